/**
 * One server of a client's settings as a server of a project file. Values that look secret become references, and are not
 * repeated. Nothing here needs Node: the application reads pasted entries with it.
 */
import { isRecord, toRecord } from "@toolhive/http/values";
import { isSecretLike, isSecretName, isSecretValue, isStandIn } from "../secrets/secret-like.ts";
import { guessRemoteTransport } from "../target/target.ts";
import { describeUnused, findClientsOwn, isSwitchedOff, readTools, type Values } from "./entry-members.ts";
import { listUnseenVariables } from "./host-paths.ts";
import type { ImportedEntry, Program, ReadEntry, ReadSecret } from "./imported-entry.ts";
import {
  fillDefaults,
  fillVariables,
  hasPlaceholder,
  type Inputs,
  isFolderPlaceholder,
  listPlaceholders,
} from "./placeholders.ts";
import { readProgram } from "./read-program.ts";
import { formatSecretName } from "./server-name.ts";

const NO_INPUTS: Inputs = new Map();
/** What clients call streamable HTTP. */
const HTTP = /^(?:https?|streamable[-_]?https?|streamable|remote|http[-_]stream)$/i;
const STDIO = /^(?:stdio|local|command|process|custom)$/i;

/** @param name Of the server, as the file will have it: its secrets are named after it. */
export function readEntry(name: string, given: unknown, inputs: Inputs = NO_INPUTS): ReadEntry {
  if (!isRecord(given)) return { reason: "it is no object" };
  const settings = normalize(given);
  if (isSwitchedOff(settings)) return { reason: "it is disabled there" };
  const own = findClientsOwn(settings);
  if (own) return own;
  const command = typeof settings.command === "string" ? settings.command.trim() : undefined;
  const address = ["url", "serverUrl", "httpUrl", "uri", "baseUrl"]
    .map((member) => settings[member])
    .find((each) => typeof each === "string" && each !== "");
  const isProgram = command !== undefined && command !== "" && !isRemoteType(settings);
  if (isProgram) return readCommand(name, command, settings, inputs);
  if (typeof address === "string") return readAddress(name, address, settings, inputs);
  return { reason: "it has neither a command nor a url" };
}

/** The same entry with its program and type where most clients have them. */
function normalize(given: Values): Values {
  // Continue's older form has all of it below `transport`, Zed's the program below `command`.
  const outer = isRecord(given.transport) ? { ...without(given, "transport"), ...given.transport } : given;
  const { command = outer.cmd, args } = outer;
  if (Array.isArray(command)) {
    const [program, ...rest] = command.map(String);
    return { ...outer, command: program, args: [...rest, ...(Array.isArray(args) ? args : [])] };
  }
  if (isRecord(command)) {
    const { path, ...more } = command;
    return { ...outer, ...more, command: path };
  }
  return command === undefined ? outer : { ...outer, command };
}

function without(values: Values, member: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== member));
}

function readType({ type, transport, transportType }: Values): string | undefined {
  return [type, transport, transportType].find((each) => typeof each === "string");
}

function isRemoteType(settings: Values): boolean {
  const type = readType(settings);
  return type !== undefined && (/^sse$/i.test(type) || HTTP.test(type));
}

function readAddress(name: string, address: string, settings: Values, inputs: Inputs): ReadEntry {
  const type = readType(settings);
  const isSse = type !== undefined && /^sse$/i.test(type);
  const isHttp = (type !== undefined && HTTP.test(type)) || settings.httpUrl === address;
  const program: Remote = { kind: "remote", address, headers: {}, isSse, isHttp, offTools: [], notes: [] };
  return readRemote(name, program, settings, inputs);
}

type Remote = Extract<Program, { kind: "remote" }> & { readonly isHttp?: boolean };

function readRemote(name: string, remote: Remote, settings: Values, inputs: Inputs): ReadEntry {
  const filled = fillDefaults(remote.address, inputs);
  const reason = findAddressProblem(filled.text);
  if (reason !== undefined) return { reason };
  const { plain, secret, secrets, notes } = splitSecrets(name, listHeaders(settings, remote.headers), inputs);
  const bearer = readBearer(name, settings);
  const secretHeaders = { ...secret, ...Object.fromEntries(bearer.map((each) => [each.target, each.name])) };
  const tools = readTools(settings);
  const isGuessedSse = guessRemoteTransport(filled.text) === "sse";
  return {
    entry: {
      run: filled.text,
      ...(remote.isSse && { transport: "sse" }),
      ...(remote.isHttp && isGuessedSse && { transport: "streamable-http" }),
      ...(tools.only && { tools: tools.only }),
      ...(Object.keys(plain).length > 0 && { remote_forward_headers: plain }),
      ...(Object.keys(secretHeaders).length > 0 && { remote_forward_headers_secret: secretHeaders }),
    },
    secrets: [...secrets, ...bearer],
    openVolumes: [],
    notes: [
      ...remote.notes,
      ...describeFilled("its url", filled.filled),
      ...notes,
      ...bearer.map(({ name: stored }) => `the secret ${stored} is the whole header: write Bearer before the token`),
      ...describeUnused(name, settings, { ...tools, off: [...tools.off, ...remote.offTools] }),
    ],
  };
}

function findAddressProblem(address: string): string | undefined {
  const named = listPlaceholders(address).filter(({ kind }) => kind !== "other");
  if (named.length > 0 && !named.some((each) => isSecretName(each.name))) {
    return "its url has a placeholder that only the client fills in: write the address itself there";
  }
  const host = URL.canParse(address) ? new URL(address) : undefined;
  if (named.length === 0 && (!host || !/^https?:$/.test(host.protocol))) return "its url is no http address";
  if (host && /^(?:localhost|127\.|\[::1\])/.test(host.hostname))
    return "its url is an address of this machine, where ToolHive may serve it already";
  const isSecret =
    host === undefined ||
    `${host.username}${host.password}` !== "" ||
    hasPlaceholder(decode(address)) ||
    [...host.searchParams].some(([key, value]) => isSecretToClient(key, value));
  return isSecret
    ? "its url holds something that looks secret: send that in a header, if the server takes it there"
    : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Headers with their values; those whose value is a variable of the client's surroundings have a placeholder. */
function listHeaders(settings: Values, given: Readonly<Record<string, string>>): Values {
  const { headers, http_headers: httpHeaders, env_http_headers: ofVariables, requestOptions } = settings;
  const variables = Object.entries(toRecord(ofVariables)).map(([header, name]) => [header, `\${${String(name)}}`]);
  return {
    ...toRecord(toRecord(requestOptions).headers),
    ...toRecord(headers),
    ...toRecord(httpHeaders),
    ...Object.fromEntries(variables),
    ...given,
  };
}

/** The header of a token whose variable the client knows. */
function readBearer(server: string, { bearer_token_env_var: variable }: Values): ReadSecret[] {
  const target = "Authorization";
  return typeof variable === "string" && variable !== "" ? [{ name: formatSecretName(server, target), target }] : [];
}

function readCommand(name: string, command: string, settings: Values, inputs: Inputs): ReadEntry {
  const given = Array.isArray(settings.args) ? settings.args.map(String) : [];
  const env = listVariables(settings);
  // A secret stays a placeholder: other programs can read arguments.
  const known = Object.fromEntries(
    Object.entries(env).filter(([target, value]) => !isSecretToClient(target, String(value))),
  );
  const filled = given.map((arg) => fillDefaults(fillVariables(arg, known), inputs));
  const found = readProgram(
    command,
    filled.map(({ text }) => text),
  );
  if (found.kind === "none") return found;
  if (found.kind === "remote") {
    // Headers of a bridge name variables of the same entry: `Authorization:${AUTH}`.
    const headers = Object.fromEntries(
      Object.entries(found.headers).map(([header, value]) => [header, fillVariables(value, env)]),
    );
    return readRemote(name, { ...found, headers }, without(settings, "headers"), inputs);
  }
  const reason = findArgumentProblem(found.args);
  if (reason !== undefined) return { reason };
  const tools = readTools(settings);
  const values = { ...env, ...found.env };
  const { plain, secret, secrets, notes } = splitSecrets(name, values, inputs);
  const inherited = [...found.inherited, ...listInherited(settings)].filter((target) => !Object.hasOwn(values, target));
  const taken = [...new Set(inherited)].map((target) => ({ name: formatSecretName(name, target), target }));
  const all = { ...secret, ...Object.fromEntries(taken.map((each) => [each.target, each.name])) };
  const type = readType(settings);
  const entry: ImportedEntry = {
    run: found.run,
    ...(found.args.length > 0 && { args: [...found.args] }),
    ...(Object.keys(plain).length > 0 && { env: plain }),
    ...(Object.keys(all).length > 0 && { secrets: all }),
    ...(tools.only && { tools: tools.only }),
    ...found.limits,
  };
  return {
    entry,
    secrets: [...secrets, ...taken],
    openVolumes: found.openVolumes,
    notes: [
      ...found.notes,
      ...describeFilled(
        "its arguments",
        filled.flatMap((each) => each.filled),
      ),
      ...(found.kind === "package" ? listUnseenVariables(plain) : []),
      ...notes,
      ...(type === undefined || STDIO.test(type) ? [] : [`its type ${type.slice(0, 60)} was left out`]),
      ...describeUnused(name, settings, tools),
    ],
  };
}

function listVariables({ env, environment, envs }: Values): Values {
  return { ...toRecord(envs), ...toRecord(environment), ...toRecord(env) };
}

/** Variables that the client takes from its own surroundings or its keyring. */
function listInherited({ env_vars: variables, env_keys: keys }: Values): string[] {
  const listed = [variables, keys].flatMap((list) => (Array.isArray(list) ? list : []));
  return listed
    .flatMap((each: unknown) => (isRecord(each) ? [each.name] : [each]))
    .filter((each) => typeof each === "string");
}

/** @returns Half a sentence that names the option, or which argument it is; never the value. */
function findArgumentProblem(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [, flag = "", joined] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = joined ?? args[index + 1] ?? "";
    const which = flag === "" ? `number ${index + 1}` : `--${flag}`;
    if (isFolderPlaceholder(joined ?? arg))
      return `its argument ${which} has a placeholder that only the client fills in: write the path itself there`;
    const isNamed = flag !== "" && isSecretName(flag) && value !== "" && !value.startsWith("-");
    const [placeholder] = listPlaceholders(arg);
    if (!isNamed && placeholder?.kind === "other" && !isSecretName(placeholder.name))
      return `its argument ${which} is what a command prints: write the value itself there`;
    if (!isNamed && placeholder?.kind === "variable" && !isSecretName(placeholder.name))
      return `its argument ${which} takes ${placeholder.name.slice(0, 100)} from the client's surroundings: write the value itself there`;
    if (isNamed || isSecretValue(joined ?? arg) || hasPlaceholder(arg))
      return `its argument ${which} looks secret, and other programs can read arguments: give it as a variable`;
  }
  return undefined;
}

/** Whether a value looks secret, or the client fills it in from its surroundings, where secrets are. */
function isSecretToClient(name: string, value: string): boolean {
  return hasPlaceholder(value) || isSecretLike(name, value);
}

function splitSecrets(server: string, values: Values, inputs: Inputs) {
  const plain: Record<string, string> = {};
  const secret: Record<string, string> = {};
  const secrets: ReadSecret[] = [];
  const notes: string[] = [];
  for (const [target, given] of Object.entries(values)) {
    if (given === null || given === undefined || typeof given === "object") {
      notes.push(`${target.slice(0, 100)} has no text as its value, and was left out`);
      continue;
    }
    const { text: value, filled } = fillDefaults(String(given), inputs);
    if (isFolderPlaceholder(value)) {
      notes.push(`${target.slice(0, 100)} has a placeholder that only the client fills in, and was left out`);
    } else if (isSecretToClient(target, value)) {
      const name = formatSecretName(server, target);
      secret[target] = name;
      // What the client asks for is not a value, and what instructions show in its place is none.
      secrets.push({ name, target, ...(hasPlaceholder(value) || isStandIn(value) ? {} : { value }) });
    } else {
      plain[target] = value;
      if (isStandIn(value))
        notes.push(`${target.slice(0, 100)} has ${value.slice(0, 100)}, which stands for a value of your own`);
      notes.push(...describeFilled(target.slice(0, 100), filled));
    }
  }
  return { plain, secret, secrets, notes };
}

/** @param where What has the value. */
function describeFilled(where: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `${where} got the default of ${names.map((name) => name.slice(0, 100)).join(", ")}, which the client would ask for or look up`,
  ];
}
