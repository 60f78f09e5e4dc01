/** What somebody typed or pasted, recognised: the start of a create request. */
import type { OperationInput } from "@toolhive/api/client";
import {
  findServers,
  formatServerName,
  type ImportedEntry,
  type ReadSecret,
  readClientJson,
  readEntry,
} from "@toolhive/core/client-import";
import { parseMemory } from "@toolhive/core/resource-limits";
import { isRemoteTarget, parseTarget } from "@toolhive/core/target";

export type CreateRequest = OperationInput<"createWorkload">["body"];

export type Source =
  | { readonly kind: "registry" | "image" | "package" | "remote"; readonly request: CreateRequest }
  | PastedSource
  | { readonly kind: "none"; readonly reason: string };

/** One of the servers in the JSON that was pasted. */
export interface PastedSource {
  readonly kind: "json";
  /** Without values that look secret. */
  readonly request: CreateRequest;
  /** Values that look secret: the request gets them from stored secrets, as `thv import` writes it. */
  readonly secrets: readonly ReadSecret[];
  /** Names of all its servers that can be added; the first one is meant when nothing was chosen. */
  readonly names: readonly string[];
  readonly notes: readonly string[];
  /** The others, each with the reason. */
  readonly skipped: readonly string[];
}

/** Of a server that is pasted without one; its secrets are named after it. */
const DEFAULT_NAME = "server";
/** Of text that is read as JSON. */
const MAX_JSON = 100_000;
const IMAGE = /^[a-z0-9][\w.-]*(:\d+)?(\/[\w.-]+)*(:[\w.-]+)?(@sha256:[a-f0-9]{64})?$/i;

/** @param names Of the registry's entries. @param chosen Which server of pasted JSON is meant. */
export function recognise(text: string, names: ReadonlySet<string>, chosen?: string): Source {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "none", reason: "" };
  if (/^[{"]/.test(trimmed)) return readJson(trimmed, chosen);
  const target = parseTarget(trimmed);
  if (target.kind === "address") return readAddress(trimmed);
  if (target.kind === "package" && /^\S+$/.test(target.name)) return { kind: "package", request: { image: trimmed } };
  if (names.has(trimmed)) return { kind: "registry", request: { image: trimmed } };
  if (IMAGE.test(trimmed)) return { kind: "image", request: { image: trimmed } };
  return {
    kind: "none",
    reason: `"${trimmed.slice(0, 100)}" is neither a name, nor an image, a package or a URL.`,
  };
}

function readAddress(text: string): Source {
  // Said here, because a link, a list and the command below would show the password.
  if (!URL.canParse(text) || /\s/.test(text)) return { kind: "none", reason: `"${text.slice(0, 100)}" is no address.` };
  const { username, password } = new URL(text);
  if (username === "" && password === "") return { kind: "remote", request: { image: text } };
  return { kind: "none", reason: "The URL holds a password: forward it as a header from a secret." };
}

/** Entries of a client's file, `{"mcpServers": {"name": {"command": …, "args": […], "env": {…}}}}`, or what is in them. */
function readJson(text: string, chosen: string | undefined): Source {
  if (text.length > MAX_JSON) return { kind: "none", reason: `The JSON has more than ${MAX_JSON} characters.` };
  let value: unknown;
  try {
    value = readClientJson(text);
  } catch (error) {
    return { kind: "none", reason: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const entries = (findServers(value) ?? []).map(({ name, settings, inputs, off }) => ({
    name,
    read: off === undefined ? readEntry(formatServerName(name) || DEFAULT_NAME, settings, inputs) : { reason: off },
  }));
  const skipped = entries.flatMap(({ name, read }) => ("reason" in read ? [{ name, reason: read.reason }] : []));
  const usable = entries.flatMap(({ name, read }) => ("entry" in read ? [{ name, ...read }] : []));
  const found = usable.find(({ name }) => name === chosen) ?? usable[0];
  const reasons = skipped.map(({ name, reason }) => (name === "" ? `${reason}.` : `${name}: ${reason}.`));
  if (found === undefined)
    return { kind: "none", reason: reasons[0] ?? "The JSON has no entry with a command or a URL." };
  const { entry, secrets, notes } = found;
  return {
    kind: "json",
    request: { ...toRequest(entry), ...(found.name !== "" && { name: formatServerName(found.name) }) },
    secrets,
    names: usable.map(({ name }) => name),
    notes: notes.map((note) => `${note}.`),
    skipped: reasons,
  };
}

/** Without secrets: these are chosen. */
function toRequest(entry: ImportedEntry): CreateRequest {
  const { run, args, env, secrets: _secrets, volumes, pull, memory, cpus, pids_limit: pids, ...more } = entry;
  const { permission_profile: profile, remote_forward_headers: headers, ...rest } = more;
  const { remote_forward_headers_secret: _headers, ...same } = rest;
  const limits = {
    ...(memory !== undefined && { memory_bytes: parseMemory(memory) ?? 0 }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  };
  return {
    ...same,
    image: run,
    ...(args && { cmd_arguments: args }),
    ...(env && { env_vars: Object.entries(env).map(([key, each]) => `${key}=${each}`) }),
    ...(volumes && { volumes }),
    ...(pull && { pull_policy: pull }),
    ...(profile && { permission_profile: { name: profile } }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(headers && { header_forward: { add_plaintext_headers: headers } }),
  };
}

/** @param choices Names of stored secrets, by the variables or headers that get them. */
export function withSecrets(source: Source, choices: Readonly<Record<string, string>>): Source {
  if (source.kind !== "json") return source;
  const chosen = source.secrets.flatMap(({ target }) => {
    const name = choices[target] ?? "";
    return name === "" ? [] : [[target, name] as const];
  });
  if (chosen.length === 0) return source;
  const { request } = source;
  if (!isRemoteTarget(request.image))
    return { ...source, request: { ...request, secrets: chosen.map(([target, name]) => ({ name, target })) } };
  const forward = { ...request.header_forward, add_headers_from_secret: Object.fromEntries(chosen) };
  return { ...source, request: { ...request, header_forward: forward } };
}
