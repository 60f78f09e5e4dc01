/** Servers in a pasted text as requests, with what somebody has to give before they can be added. */
import type { OperationInput } from "@toolhive/api/client";
import {
  formatServerName,
  type ImportedEntry,
  type OpenVolume,
  type ReadSecret,
  readEntry,
} from "@toolhive/core/client-import";
import { nameServer, type Pasted, readPasted } from "@toolhive/core/pasted";
import { parseMemory } from "@toolhive/core/resource-limits";
import { isRemoteTarget } from "@toolhive/core/target";

type Request = OperationInput<"createWorkload">["body"];

export interface PastedServer {
  /** What it is called in the text, else after what it runs; no other server of the text has it. */
  readonly name: string;
  /** Without values that look secret. */
  readonly request: Request;
  /** Values that look secret: the request gets them from stored secrets, as `thv import` writes it. */
  readonly secrets: readonly ReadSecret[];
  readonly openVolumes: readonly OpenVolume[];
  readonly notes: readonly string[];
}

export interface PastedServers {
  readonly form: Pasted["form"];
  readonly servers: readonly PastedServer[];
  /** What cannot be added, each with the reason. */
  readonly skipped: readonly string[];
}

/** @param readText Reads TOML and YAML; absent until it is loaded. */
export function readPastedServers(text: string, readText?: (text: string) => unknown): PastedServers | undefined {
  const pasted = readPasted(text, { readText });
  if (pasted === undefined) return undefined;
  const servers: PastedServer[] = [];
  const skipped = pasted.problems.map(({ name, reason }) => formatReason(name ?? "", reason));
  for (const found of pasted.servers) {
    const name = nameServer(found);
    const known = formatServerName(name) || "server";
    const read = found.off === undefined ? readEntry(known, found.settings, found.inputs) : { reason: found.off };
    if ("reason" in read) {
      skipped.push(formatReason(found.name, read.reason));
      continue;
    }
    const own = chooseName(name, servers);
    const hasName = found.name !== "" || own !== name;
    servers.push({
      name: own,
      request: { ...toRequest(read.entry), ...(hasName && { name: formatServerName(own) }) },
      secrets: read.secrets,
      openVolumes: read.openVolumes,
      // A folder that is left open has a field.
      notes: read.notes
        .filter((note) => !read.openVolumes.some(({ shown }) => note.includes(shown)))
        .map((note) => `${note}.`),
    });
  }
  return { form: pasted.form, servers, skipped };
}

function formatReason(name: string, reason: string): string {
  return name === "" ? `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` : `${name}: ${reason}.`;
}

function chooseName(name: string, taken: readonly PastedServer[]): string {
  for (let number = 1; ; number++) {
    const own = number === 1 ? name : `${name}-${number}`;
    if (!taken.some((each) => each.name === own)) return own;
  }
}

/** Without secrets: these are chosen. */
function toRequest(entry: ImportedEntry): Request {
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

/** What somebody chose for one server of a text. */
export interface PastedChoices {
  /** Names of stored secrets, by the variables or headers that get them. */
  readonly secrets: Readonly<Record<string, string>>;
  /** By the path in the container. */
  readonly folders: Readonly<Record<string, FolderChoice>>;
}

export interface FolderChoice {
  readonly source: string;
  readonly isReadOnly: boolean;
}

export const NO_CHOICES: PastedChoices = { secrets: {}, folders: {} };

export function applyChoices(server: PastedServer, { secrets, folders }: PastedChoices): Request {
  return withSecrets(withFolders(server, folders), server.secrets, secrets);
}

function withSecrets(request: Request, asked: readonly ReadSecret[], choices: PastedChoices["secrets"]): Request {
  const chosen = asked.flatMap(({ target }) => {
    const name = choices[target] ?? "";
    return name === "" ? [] : [[target, name] as const];
  });
  if (chosen.length === 0) return request;
  if (!isRemoteTarget(request.image))
    return { ...request, secrets: chosen.map(([target, name]) => ({ name, target })) };
  const forward = { ...request.header_forward, add_headers_from_secret: Object.fromEntries(chosen) };
  return { ...request, header_forward: forward };
}

/** A folder that the text names, or leaves to the reader. */
export interface ProposedFolder extends FolderChoice {
  readonly target: string;
  /** What the text has in place of a path. */
  readonly shown?: string;
  /** Further options of a volume, such as `z`. */
  readonly options: readonly string[];
}

export function listFolders({ request, openVolumes }: PastedServer): readonly ProposedFolder[] {
  const named = (request.volumes ?? []).flatMap((volume) => {
    const [, source = "", target = "", options = ""] =
      /^((?:[A-Za-z]:)?[^:]+):([^:]+)(?::([^:]*))?$/s.exec(volume) ?? [];
    if (target === "") return [];
    const all = options.split(",").filter((option) => option !== "");
    return [{ source, target, isReadOnly: all.includes("ro"), options: all.filter((each) => !/^r[ow]$/.test(each)) }];
  });
  const open = openVolumes.map(({ shown, target, isReadOnly }) => ({
    ...{ source: "", target, isReadOnly, shown, options: [] },
  }));
  return [...named, ...open];
}

function withFolders(server: PastedServer, choices: PastedChoices["folders"]): Request {
  const { request } = server;
  const folders = listFolders(server).map((folder) => ({ ...folder, ...choices[folder.target] }));
  if (folders.length === 0) return request;
  const given = folders.filter(({ source }) => source.trim() !== "");
  const volumes = given.map(({ source, target, isReadOnly, options }) =>
    [source.trim(), target, [...(isReadOnly ? ["ro"] : []), ...options].join(",")].filter(Boolean).join(":"),
  );
  const { volumes: _volumes, ...rest } = request;
  return volumes.length > 0 ? { ...rest, volumes } : rest;
}
