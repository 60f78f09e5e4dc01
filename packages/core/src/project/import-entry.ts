/** One server of a client's settings as a server of a project file. What looks secret becomes a reference, and is not repeated. */
import type { ProjectEntry } from "./project-schema.ts";

/** A secret that has to be stored before the server can start. */
export interface ImportedSecret {
  readonly name: string;
  /** The variable or header that had it. */
  readonly target: string;
}

export type ImportedEntry =
  | { readonly entry: ProjectEntry; readonly secrets: readonly ImportedSecret[] }
  /** Half a sentence: why it is left out. */
  | { readonly reason: string };

type Values = Readonly<Record<string, unknown>>;

/** Names of what is secret, wherever it stands: `GITHUB_TOKEN`, `apiKey`, `Authorization`. */
const SECRET_NAME =
  /(?:api|access|private|secret|signing|encryption)[-_]?key|token|secret|passw|pwd|credential|auth|cookie|bearer|(?:^|[-_])(?:key|pat|pass|dsn)(?:$|[-_])|connection[-_]?string|database[-_]?ur[il]/i;
/** Beginnings of keys of well-known services. */
const KEY =
  /^(?:gh[a-z]_|github_pat_|glpat-|sk-|pk-|rk_|sk_|xox[a-z]-|AKIA|AIza|eyJ|hf_|npm_|pypi-|Bearer |Basic |Token )/i;
/** Characters of a run of letters and digits together, which no word, path or address is. */
const RANDOM_LENGTH = 20;

const FLAGS_WITHOUT_VALUE = /^(?:-i|-t|-it|-ti|--interactive|--tty|--rm|--init|--pull=\w+|--pull|-d|--detach)$/;

export function importEntry(name: string, settings: unknown): ImportedEntry {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    return { reason: "it is no object" };
  const { command, url, serverUrl, httpUrl, disabled } = settings as Values;
  if (disabled === true) return { reason: "it is disabled there" };
  const address = [url, serverUrl, httpUrl].find((each) => typeof each === "string" && each !== "");
  if (typeof address === "string") return importRemote(name, address, settings as Values);
  if (typeof command === "string" && command !== "") return importCommand(name, command, settings as Values);
  return { reason: "it has neither a command nor a url" };
}

export function isSecretLike(name: string, value: string): boolean {
  if (value === "") return false;
  return SECRET_NAME.test(name) || hasPlaceholder(value) || isSecretValue(value);
}

/** What a client asks for, or reads from its surroundings: `${input:key}`. */
function hasPlaceholder(value: string): boolean {
  const begin = value.indexOf("${");
  return begin >= 0 && value.includes("}", begin);
}

function isSecretValue(value: string): boolean {
  return KEY.test(value) || value.toUpperCase().includes("-----BEGIN") || hasPassword(value) || hasRandomRun(value);
}

/** Whether it holds an address with a password, such as `postgres://me:password@db`. */
function hasPassword(value: string): boolean {
  const authorities = value.split("://").slice(1);
  return authorities.some((rest) => {
    const [authority = ""] = rest.split(/[/\s]/, 1);
    return authority.slice(0, Math.max(0, authority.lastIndexOf("@"))).includes(":");
  });
}

function hasRandomRun(value: string): boolean {
  const runs = value.split(/[^A-Za-z0-9_-]/);
  return runs.some((run) => run.length >= RANDOM_LENGTH && /\d/.test(run) && /[A-Za-z]/.test(run));
}

function importRemote(name: string, address: string, { headers, type }: Values): ImportedEntry {
  const host = URL.canParse(address) ? new URL(address) : undefined;
  if (!host || !/^https?:$/.test(host.protocol)) return { reason: "its url is no http address" };
  if (/^(?:localhost|127\.|\[::1\])/.test(host.hostname))
    return { reason: "its url is an address of this machine, where ToolHive may serve it already" };
  const isSecret = host.username !== "" || host.password !== "" || hasPlaceholder(decode(address));
  if (isSecret || [...host.searchParams].some(([key, value]) => isSecretLike(key, value)))
    return { reason: "its url holds something that looks secret: send that in a header, if the server takes it there" };
  const { plain, secret, secrets } = splitSecrets(name, headers);
  return {
    entry: {
      run: address,
      ...(type === "sse" && { transport: "sse" }),
      ...(Object.keys(plain).length > 0 && { remote_forward_headers: plain }),
      ...(Object.keys(secret).length > 0 && { remote_forward_headers_secret: secret }),
    },
    secrets,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function importCommand(name: string, command: string, { args: given, env }: Values): ImportedEntry {
  const args = Array.isArray(given) ? given.map(String) : [];
  const program = command.replace(/^.*[\\/]/, "").replace(/\.(?:exe|cmd)$/i, "");
  const found = readProgram(program, args);
  if ("reason" in found) return found;
  const loud = findSecretArgument(found.args);
  if (loud !== undefined)
    return {
      reason: `its argument ${loud} looks secret, and other programs can read arguments: give it as a variable`,
    };
  const values = { ...(isObject(env) ? env : {}), ...found.env };
  const { plain, secret, secrets } = splitSecrets(name, values);
  return {
    entry: {
      run: found.run,
      ...(found.args.length > 0 && { args: [...found.args] }),
      ...(Object.keys(plain).length > 0 && { env: plain }),
      ...(Object.keys(secret).length > 0 && { secrets: secret }),
      ...(found.volumes.length > 0 && { volumes: [...found.volumes] }),
    },
    secrets,
  };
}

interface Program {
  readonly run: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
}

function readProgram(program: string, args: readonly string[]): Program | { readonly reason: string } {
  switch (program) {
    case "npx":
    case "bunx":
      return readPackage("npx", args, /^(?:-y|--yes|-q|--quiet)$/);
    case "uvx":
      return readPackage("uvx", args, /^(?:-q|--quiet)$/);
    case "docker":
    case "podman":
      return readContainer(args);
    default:
      return {
        reason: `it is started by ${program.slice(0, 60)}, and only npx, uvx, docker and podman can be imported`,
      };
  }
}

function readPackage(scheme: string, args: readonly string[], ignored: RegExp): Program | { readonly reason: string } {
  const at = args.findIndex((arg) => !ignored.test(arg));
  const name = args[at];
  if (name === undefined) return { reason: "it names no package" };
  if (name.startsWith("-")) return { reason: `it has the option ${name.slice(0, 60)}, which has no counterpart` };
  return { run: `${scheme}://${name}`, args: args.slice(at + 1), env: {}, volumes: [] };
}

/** `docker run`, with the options that servers are started with. */
function readContainer([subcommand, ...args]: readonly string[]): Program | { readonly reason: string } {
  if (subcommand !== "run") return { reason: "it is no docker run" };
  const env: Record<string, string> = {};
  const volumes: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (FLAGS_WITHOUT_VALUE.test(arg)) continue;
    if (!arg.startsWith("-")) return { run: arg, args: args.slice(at + 1), env, volumes };
    const [, flag = arg, joined] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    const value = joined ?? args[++at] ?? "";
    if (flag === "-v" || flag === "--volume") volumes.push(value);
    else if (flag === "-e" || flag === "--env") {
      const split = value.indexOf("=");
      if (split > 0) env[value.slice(0, split)] = value.slice(split + 1);
    } else if (flag !== "--name") return { reason: `it has the option ${flag.slice(0, 60)}, which has no counterpart` };
  }
  return { reason: "it names no image" };
}

/** @returns The name of the option, or which argument it is; never the value. */
function findSecretArgument(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [, flag = "", joined] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = joined ?? args[index + 1] ?? "";
    if (flag !== "" && SECRET_NAME.test(flag) && value !== "" && !value.startsWith("-")) return `--${flag}`;
    if (isSecretValue(joined ?? arg) || hasPlaceholder(arg)) return flag === "" ? `number ${index + 1}` : `--${flag}`;
  }
  return undefined;
}

function splitSecrets(server: string, values: unknown) {
  const plain: Record<string, string> = {};
  const secret: Record<string, string> = {};
  for (const [target, given] of Object.entries(isObject(values) ? values : {})) {
    const value = typeof given === "string" ? given : JSON.stringify(given);
    if (isSecretLike(target, value)) secret[target] = formatSecretName(server, target);
    else plain[target] = value;
  }
  return { plain, secret, secrets: Object.entries(secret).map(([target, name]) => ({ name, target })) };
}

function formatSecretName(server: string, target: string): string {
  return `${server}-${target}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
