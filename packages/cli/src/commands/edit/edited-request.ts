/** The settings of a server with those that flags of `thv edit` change, and without those that `--unset` names. */
import { ThvError } from "@toolhive/core/errors";
import { isSameRepository } from "@toolhive/core/image-reference";
import { mergeRequest, removeSetting } from "@toolhive/core/merge-request";
import { findNearest } from "@toolhive/core/nearest";
import { findMemberPath } from "@toolhive/core/request-members";
import type { CommandContext } from "../../command-line/command.ts";
import { RUN, type RunInput } from "../run/definition.ts";
import { problemsInFlags } from "../run/flag-problems.ts";
import { type RequestBody, readFlags, resolveFolder } from "../run/request-body.ts";
import { EDIT, type EditInput } from "./definition.ts";

export interface FlagChanges {
  readonly changes: Partial<RequestBody>;
  /** Paths of members, with what `--unset` called them. */
  readonly removed: readonly (readonly [word: string, path: readonly string[]])[];
}

/** @returns The same input in the form of `thv run`, of which nothing is given but what was given here. */
export function toRunInput(input: EditInput): RunInput {
  const { positionals: _name, unset: _unset, undo: _undo, image, ...settings } = input;
  const { flags } = RUN;
  return {
    ...settings,
    positionals: [image ?? "image"],
    name: undefined,
    group: undefined,
    port: undefined,
    envFile: [],
    fromConfig: undefined,
    foreground: false,
    remoteAuthTimeout: 0,
    proxyMode: settings.proxyMode ?? flags["proxy-mode"].default,
    targetHost: settings.targetHost ?? flags["target-host"].default,
    host: settings.host ?? flags.host.default,
    pinTools: settings.pinTools ?? flags["pin-tools"].default,
    changedTools: settings.changedTools ?? flags["changed-tools"].default,
    pull: settings.pull ?? flags.pull.default,
    imageVerification: settings.imageVerification ?? flags["image-verification"].default,
    // What only `thv run` has is not given.
    isGiven: (flag) => (input.isGiven as (name: string) => boolean)(flag),
  };
}

/** @throws {ThvError} `USAGE` naming every mistake. */
export async function readChanges(input: EditInput, context: CommandContext): Promise<FlagChanges> {
  const { image } = input;
  const { flags, problems: wrong } = await readFlags(toRunInput(input), context, { keepsFalse: true });
  const problems = [...wrong];
  const removed = input.unset.flatMap((word) => {
    const path = parseSetting(word);
    if (typeof path === "string") problems.push(path);
    return typeof path === "string" ? [] : [[word, path] as const];
  });
  if (image === "") problems.push("--image is empty");
  const changes = { ...flags, ...(image && { image: resolveFolder(image) }) };
  if (problems.length === 0) return { changes, removed };
  const all = [...problems, ...(await problemsInFlags({ ...flags, image }))];
  throw new ThvError("USAGE", `${all.join("; ")}.`, { hint: "See: thv edit --help" });
}

/** What a project file calls some of the flags, and names of what has several. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  args: ["cmd_arguments"],
  "allowed-hosts": ["allowed_hosts"],
  labels: ["labels"],
  limits: ["limits"],
  oidc: ["oidc"],
  otel: ["telemetry"],
  permissions: ["permission_profile"],
  "remote-auth": ["oauth_config"],
  secrets: ["secrets"],
  volumes: ["volumes"],
};

/** Flags that name no setting, or no setting that a server can be without. */
const NO_SETTINGS: ReadonlySet<string> = new Set([
  ...["dry-run", "env-from", "format", "image", "undo", "unset", "yes"],
  ...["remote-auth-bearer-token-file", "remote-auth-client-secret-file"],
]);

/** Members of which one item can be taken away by its name. */
const NAMED = ["env_vars", "secrets", "labels", "volumes", "header_forward", "allowed_hosts", "tools", "with"];

/** @returns The path of the member, and of the item in it; or a sentence about what is wrong with the word. */
function parseSetting(word: string): readonly string[] | string {
  const [, head = "", item] = /^([^.]*)(?:\.(.*))?$/s.exec(word) ?? [];
  const flag = head.replaceAll("_", "-");
  const known = Object.keys(EDIT.flags).filter((name) => !NO_SETTINGS.has(name));
  if (!known.includes(flag) && !Object.hasOwn(OTHER_NAMES, flag)) {
    const near = findNearest(flag, [...known, ...Object.keys(OTHER_NAMES)]);
    const guess = near === undefined ? "" : `; did you mean ${near}${item === undefined ? "" : `.${item}`}?`;
    return `--unset is "${word.slice(0, 100)}", but there is no setting "${head.slice(0, 100)}"${guess}`;
  }
  const path = OTHER_NAMES[flag] ?? findMemberPath(`--${flag}`);
  const [member = ""] = path;
  if (item === undefined) return path;
  if (item === "" || !NAMED.includes(member))
    return `--unset is "${word.slice(0, 100)}", but ${head} is taken away as a whole: --unset ${head}`;
  if (member === "header_forward" && path.length === 1) return [member, "add_plaintext_headers", item];
  return [...path, item];
}

/** @throws {ThvError} `INVALID_ARGUMENT` where `--unset` names what the server does not have. */
export function applyChanges(name: string, present: RequestBody, { changes, removed }: FlagChanges): RequestBody {
  let left = present;
  for (const [word, path] of removed) {
    const without = removeSetting(left, path);
    if (without === undefined) {
      throw new ThvError("INVALID_ARGUMENT", `"${name}" has no ${word}, which --unset names.`, {
        hint: `See its settings: thv export ${name}`,
      });
    }
    left = without;
  }
  return mergeRequest(omitOfImage(left, changes.image), changes);
}

/** Another image has another digest, and where its repository is another one, another origin. */
function omitOfImage(request: RequestBody, image: string | undefined): RequestBody {
  if (image === undefined || image === request.image) return request;
  const { image_digest: _digest, url: _url, provenance, ...others } = request;
  const isSame = isSameRepository(image, request.image);
  return { ...others, ...(isSame && provenance && { provenance }) };
}
