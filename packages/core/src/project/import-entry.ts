/**
 * One server of a client's settings as a server of a project file. Values that look secret become references, and are not
 * repeated.
 */
import { isRecord } from "@toolhive/http/values";
import { readProgram } from "./import-program.ts";
import type { ProjectEntry } from "./project-schema.ts";
import { hasPlaceholder, isPlainPlaceholder, isSecretLike, isSecretName, isSecretValue } from "./secret-like.ts";

/** A secret that has to be stored before the server can start. */
export interface ImportedSecret {
  readonly name: string;
  /** The variable or header that had it. */
  readonly target: string;
}

/** The same with its value in the settings; no value where the client read it from its environment. */
export interface ReadSecret extends ImportedSecret {
  readonly value?: string;
}

export type ReadEntry =
  | {
      readonly entry: ProjectEntry;
      readonly secrets: readonly ReadSecret[];
      /** Sentences without a full stop: what the user has to check. */
      readonly notes: readonly string[];
    }
  /** Half a sentence: why it is omitted. */
  | { readonly reason: string };

type Values = Readonly<Record<string, unknown>>;

/** A text with the characters that names may have; empty when there are none. */
export function formatPlainName(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
}

/** Clients take any text for a server's name; this is what a name may be made of, without hyphens at the end. */
export function formatServerName(given: string): string {
  let name = formatPlainName(given);
  while (name.endsWith("-")) name = name.slice(0, -1);
  return name;
}

/** The servers in a client's settings by their names: `mcpServers` of most clients, `servers` of VS Code. */
export function findServers(settings: unknown): Values | undefined {
  for (const member of ["mcpServers", "servers"]) {
    const servers = isRecord(settings) ? settings[member] : undefined;
    if (isRecord(servers)) return servers;
  }
  return undefined;
}

export function readEntry(name: string, settings: unknown): ReadEntry {
  if (!isRecord(settings)) return { reason: "it is no object" };
  const { command, url, serverUrl, httpUrl, disabled } = settings;
  if (disabled === true) return { reason: "it is disabled there" };
  const address = [url, serverUrl, httpUrl].find((each) => typeof each === "string" && each !== "");
  if (typeof address === "string") return readRemote(name, address, settings);
  if (typeof command === "string" && command !== "") return readCommand(name, command, settings);
  return { reason: "it has neither a command nor a url" };
}

function readRemote(name: string, address: string, { headers, type }: Values): ReadEntry {
  const host = URL.canParse(address) ? new URL(address) : undefined;
  if (!host || !/^https?:$/.test(host.protocol)) return { reason: "its url is no http address" };
  if (/^(?:localhost|127\.|\[::1\])/.test(host.hostname))
    return { reason: "its url is an address of this machine, where ToolHive may serve it already" };
  const isSecret = host.username !== "" || host.password !== "" || hasPlaceholder(decode(address));
  if (isSecret || [...host.searchParams].some(([key, value]) => isSecretLike(key, value)))
    return { reason: "its url holds something that looks secret: send that in a header, if the server takes it there" };
  const { plain, secret, secrets, notes } = splitSecrets(name, headers);
  return {
    entry: {
      run: address,
      ...(type === "sse" && { transport: "sse" }),
      ...(Object.keys(plain).length > 0 && { remote_forward_headers: plain }),
      ...(Object.keys(secret).length > 0 && { remote_forward_headers_secret: secret }),
    },
    secrets,
    notes,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readCommand(name: string, command: string, { args: given, env }: Values): ReadEntry {
  const found = readProgram(command, Array.isArray(given) ? given.map(String) : []);
  if ("reason" in found) return found;
  if ("address" in found) {
    const { address, headers, isSse } = found;
    return readRemote(name, address, { headers: fillIn(headers, env), ...(isSse && { type: "sse" }) });
  }
  const loud = findSecretArgument(found.args);
  if (loud !== undefined) return { reason: loud };
  const values = { ...(isRecord(env) ? env : {}), ...found.env };
  const { plain, secret, secrets, notes } = splitSecrets(name, values);
  const inherited = found.inherited.filter((target) => !Object.hasOwn(values, target));
  const taken = inherited.map((target) => ({ name: formatSecretName(name, target), target }));
  const all = { ...secret, ...Object.fromEntries(taken.map((each) => [each.target, each.name])) };
  return {
    entry: {
      run: found.run,
      ...(found.args.length > 0 && { args: [...found.args] }),
      ...(Object.keys(plain).length > 0 && { env: plain }),
      ...(Object.keys(all).length > 0 && { secrets: all }),
      ...(found.volumes.length > 0 && { volumes: [...found.volumes] }),
      ...(found.pull && { pull: found.pull }),
    },
    secrets: [...secrets, ...taken],
    notes: [...found.notes, ...notes],
  };
}

/** Headers of `mcp-remote` name variables that the client's settings have: `Authorization:${AUTH}`. */
function fillIn(headers: Readonly<Record<string, string>>, env: unknown): Record<string, string> {
  const values = isRecord(env) ? env : {};
  const replace = (text: string) =>
    text.replace(/\$\{(\w+)\}/g, (whole, key: string) => (Object.hasOwn(values, key) ? String(values[key]) : whole));
  return Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, replace(value)]));
}

/** @returns Half a sentence that names the option, or which argument it is; never the value. */
function findSecretArgument(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [, flag = "", joined] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = joined ?? args[index + 1] ?? "";
    const which = flag === "" ? `number ${index + 1}` : `--${flag}`;
    if (isPlainPlaceholder(joined ?? arg))
      return `its argument ${which} has a placeholder that only the client fills in: write the path itself there`;
    const isNamed = flag !== "" && isSecretName(flag) && value !== "" && !value.startsWith("-");
    if (isNamed || isSecretValue(joined ?? arg) || hasPlaceholder(arg))
      return `its argument ${which} looks secret, and other programs can read arguments: give it as a variable`;
  }
  return undefined;
}

function splitSecrets(server: string, values: unknown) {
  const plain: Record<string, string> = {};
  const secret: Record<string, string> = {};
  const secrets: ReadSecret[] = [];
  const notes: string[] = [];
  for (const [target, given] of Object.entries(isRecord(values) ? values : {})) {
    const value = typeof given === "string" ? given : JSON.stringify(given);
    if (isPlainPlaceholder(value)) {
      notes.push(`${target.slice(0, 100)} has a placeholder that only the client fills in, and was left out`);
    } else if (isSecretLike(target, value)) {
      const name = formatSecretName(server, target);
      secret[target] = name;
      // What the client asks for is not a value.
      secrets.push({ name, target, ...(hasPlaceholder(value) ? {} : { value }) });
    } else plain[target] = value;
  }
  return { plain, secret, secrets, notes };
}

function formatSecretName(server: string, target: string): string {
  return `${server}-${target}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
