/** What is another setting in one create request than in another. Values that may be secret are not repeated. */
import { isDeepStrictEqual } from "node:util";
import type { CreateRequest } from "@toolhive/core";

export interface SettingChange {
  /** A member of the request; a variable, a secret or a label behind a dot. */
  readonly member: string;
  /** Absent where it was not set, and where values are not shown. */
  readonly before?: string;
  readonly after?: string;
}

/** Characters of a value that are repeated. */
const SHOWN_LENGTH = 200;

/** Headers and variables, and what may have an address with a password in it. */
const HIDDEN: ReadonlySet<string> = new Set(["header_forward", "oauth_config", "telemetry", "env_vars"]);

/** Sorted by member. */
export function listSettingChanges(before: CreateRequest, after: CreateRequest): SettingChange[] {
  const [old, next] = [flatten(before), flatten(after)];
  const members = [...new Set([...old.keys(), ...next.keys()])].sort();
  return members
    .filter((member) => !isDeepStrictEqual(old.get(member), next.get(member)))
    .map((member) => {
      if (HIDDEN.has(member.split(".", 1)[0] ?? "")) return { member };
      return { member, ...show("before", old.get(member)), ...show("after", next.get(member)) };
    });
}

function flatten({ env_vars = [], secrets = [], labels = {}, ...others }: CreateRequest): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(others).filter(([, value]) => !isEmpty(value)),
    ...env_vars.map((item): [string, unknown] => {
      const [key = ""] = item.split("=", 1);
      return [`env_vars.${key}`, item];
    }),
    ...secrets.map(({ name, target }): [string, unknown] => [`secrets.${target}`, name]),
    ...Object.entries(labels).map(([key, value]): [string, unknown] => [`labels.${key}`, value]),
  ]);
}

/** Desktop applications send empty lists where the user chose nothing. */
function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === false || value === "";
}

function show(name: "before" | "after", value: unknown): Partial<SettingChange> {
  if (value === undefined) return {};
  return { [name]: (typeof value === "string" ? value : JSON.stringify(value)).slice(0, SHOWN_LENGTH) };
}
