/**
 * Compares the settings of two create requests, and describes each difference in words: `thv edit`, `thv up --check`, the API and the
 * application use the same ones. Nothing here needs Node.js.
 */

import { sortJson } from "@toolhive/http/values";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { findMemberNames, formatMember } from "./request-members.ts";

export interface SettingChange {
  /** A member of the request; one of several in it, such as a variable, a secret or a limit, behind a dot. */
  readonly member: string;
  /** Needed beside the values, because some of them are not shown. */
  readonly kind: "added" | "removed" | "changed";
  /** Absent if the setting was not set, or if its value is not shown. */
  readonly before?: string;
  readonly after?: string;
}

/** Characters of a value that are repeated. */
const SHOWN_LENGTH = 200;

/** Headers and variables, and what may have an address with a password in it. */
const HIDDEN: ReadonlySet<string> = new Set(["header_forward", "oauth_config", "telemetry", "env_vars"]);
/** Members with members of their own, each of which is one setting. */
const NESTED: ReadonlySet<string> = new Set(["limits", "oidc", "oauth_config", "telemetry", "labels"]);

/** Sorted by member. Values that may be secret are not repeated. */
export function listSettingChanges(before: CreateRequest, after: CreateRequest): SettingChange[] {
  const [old, next] = [flatten(before), flatten(after)];
  const members = [...new Set([...old.keys(), ...next.keys()])].sort();
  return members.flatMap((member): SettingChange[] => {
    const [was, is] = [old.get(member), next.get(member)];
    if (toText(was) === toText(is)) return [];
    const kind = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    if (HIDDEN.has(member.split(".", 1)[0] ?? "")) return [{ member, kind }];
    return [{ member, kind, ...show("before", was), ...show("after", is) }];
  });
}

/** The difference as a line for people, with the setting called as in a project file. */
export function describeSettingChange({ member, kind, before, after }: SettingChange): string {
  const name = nameSetting(member);
  if (before === undefined && after === undefined)
    return kind === "changed" ? `${name} has a different value` : `${name} is ${kind}`;
  return `${name}: ${formatSettingValue(member, before) ?? "(not set)"} → ${formatSettingValue(member, after) ?? "(not set)"}`;
}

/** What a member of a change is called in a project file, or by its flag where a project file does not have it. */
export function nameSetting(member: string): string {
  const path = member.split(".");
  const [first = "", ...rest] = path;
  if (first === "image") return member;
  const isDeep = first === "limits" || first === "header_forward";
  const { file, flag } = findMemberNames(isDeep ? path : [first]);
  if (file === undefined) return flag?.startsWith("--") ? flag.slice(2) : member;
  if (first === "limits") return file;
  // There, a member is called as in a request.
  if (file === "access") return `access.${member}`;
  return [file, ...(first === "header_forward" ? rest.slice(1) : rest)].join(".");
}

function flatten(request: CreateRequest): Map<string, unknown> {
  const { env_vars = [], secrets = [], volumes = [], header_forward: headers = {}, ...others } = request;
  const { add_plaintext_headers: plain = {}, add_headers_from_secret: stored = {} } = headers;
  const below = (member: string, values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).map(([name, value]): [string, unknown] => [`${member}.${name}`, value]);
  const entries: [string, unknown][] = [
    ...Object.entries(others).flatMap(([member, value]): [string, unknown][] =>
      NESTED.has(member) && typeof value === "object" && value !== null
        ? below(member, { ...value })
        : [[member, value]],
    ),
    ...env_vars.map((item): [string, unknown] => [`env_vars.${item.split("=", 1)[0] ?? ""}`, item]),
    ...secrets.map(({ name, target }): [string, unknown] => [`secrets.${target}`, name]),
    ...volumes.map((text): [string, unknown] => [`volumes.${readMountTarget(text)}`, text]),
    ...below("header_forward.add_plaintext_headers", plain),
    ...below("header_forward.add_headers_from_secret", stored),
  ];
  return new Map(entries.filter(([, value]) => !isEmpty(value)));
}

/** The path in the container, which identifies a volume: `/data` of `/srv/maps:/data:ro`. */
export function readMountTarget(text: string): string {
  const [, target = text] = /:(\/[^:]*)(?::[a-zA-Z,]*)?$/.exec(text) ?? [];
  return target;
}

/** Desktop applications send empty lists where the user chose nothing. */
function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === false || value === "";
}

/** Equal values have the same text, whatever the order of their members. */
function toText(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return JSON.stringify(sortJson(value));
}

function show(name: "before" | "after", value: unknown): Partial<SettingChange> {
  const text = toText(value);
  return text === undefined ? {} : { [name]: text.slice(0, SHOWN_LENGTH) };
}

/** A size and a time in the form in which people write them: `512m`, `1m30s`. Other values stay as they are. */
export function formatSettingValue(member: string, text: string | undefined): string | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return text;
  return formatMember(member.split("."), Number(text));
}
