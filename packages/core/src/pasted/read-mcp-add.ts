/** `CLIENT mcp add`, by which command lines of clients take a server: Claude Code, Codex, Gemini CLI and those that follow them. */
import type { FoundServer } from "../client-import/find-servers.ts";
import { readClientJson } from "../client-import/read-json.ts";
import { describeError } from "../support/errors.ts";
import { readSettings } from "./read-settings.ts";

/** Half a sentence. */
type Refusal = { readonly problem: string };
type Member =
  | "type"
  | "env"
  | "headers"
  | "url"
  | "bearer"
  | "name"
  | "command"
  | "args"
  | "client"
  | "cwd"
  | "only"
  | "off";

/** Options with a value, and what it is. */
const OPTIONS: Readonly<Record<string, Member>> = {
  "-t": "type",
  "--transport": "type",
  "--type": "type",
  "-e": "env",
  "--env": "env",
  "-H": "headers",
  "--header": "headers",
  "--headers": "headers",
  "--url": "url",
  "--bearer-token-env-var": "bearer",
  "--name": "name",
  "--command": "command",
  "--args": "args",
  "--include-tools": "only",
  "--exclude-tools": "off",
  "--cwd": "cwd",
  "-s": "client",
  "--scope": "client",
  "--timeout": "client",
  "--description": "client",
  "--client-id": "client",
  "--callback-port": "client",
  "--agent": "client",
};
const SWITCHES = new Set(["--trust", "--force", "-f", "--yes", "--global", "-g", "--client-secret", "--overwrite"]);
/** Those that belong to the client behind the program, too; any other option there is the server's. */
const LATE = new Set(["-s", "--scope", "-t", "--transport", "--env"]);
const ADDRESS = /^https?:\/\//i;

class AddedServer {
  name = "";
  type = "";
  url = "";
  bearer = "";
  cwd = "";
  readonly positionals: string[] = [];
  readonly args: string[] = [];
  readonly env: Record<string, string> = {};
  readonly inherited: string[] = [];
  readonly headers: Record<string, string> = {};
  readonly only: string[] = [];
  readonly off: string[] = [];

  take(member: Member, value: string): void {
    if (member === "env") this.#takeVariable(value);
    else if (member === "headers") this.#takeHeader(value);
    else if (member === "args") this.args.push(...splitArguments(value));
    else if (member === "only" || member === "off") this[member].push(...value.split(","));
    else if (member === "command") this.positionals.push(value);
    else if (member !== "client") this[member] = value;
  }

  #takeVariable(value: string): void {
    const split = value.indexOf("=");
    if (split > 0) this.env[value.slice(0, split)] = value.slice(split + 1);
    else this.inherited.push(value);
  }

  #takeHeader(value: string): void {
    // Amp writes an equals sign.
    const split = value.search(/[:=]/);
    if (split > 0) this.headers[value.slice(0, split).trim()] = value.slice(split + 1).trim();
  }

  toFound(): FoundServer {
    const { env, headers, inherited, only, off, type, bearer, cwd } = this;
    const words = [...this.positionals];
    const name = this.name === "" ? (words.shift() ?? "") : this.name;
    const url = this.url === "" && ADDRESS.test(words[0] ?? "") ? (words.shift() ?? "") : this.url;
    const [command, ...args] = words;
    const settings = {
      ...(url === "" ? { command, args: [...args, ...this.args] } : { url }),
      ...(type !== "" && { type }),
      ...(Object.keys(env).length > 0 && { env }),
      ...(inherited.length > 0 && { env_vars: inherited }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(bearer !== "" && { bearer_token_env_var: bearer }),
      ...(cwd !== "" && { cwd }),
      ...(only.length > 0 && { includeTools: only }),
      ...(off.length > 0 && { excludeTools: off }),
    };
    return { name, settings, inputs: new Map() };
  }
}

/** @param words Behind `mcp add`. */
export function readMcpAdd(words: readonly string[]): readonly FoundServer[] | Refusal {
  const server = new AddedServer();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      server.positionals.push(...words.slice(at + 1));
      break;
    }
    const [, option = word, joined] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const member = Object.hasOwn(OPTIONS, option) ? OPTIONS[option] : undefined;
    const isOption = member !== undefined && (!hasProgram(server) || isLate(option, words[at + 1] ?? "", server));
    if (isOption && member !== undefined) {
      server.take(member, joined ?? words[++at] ?? "");
      // These options take several values, and nothing else has the form of one.
      while (joined === undefined && isFurther(member, words[at + 1] ?? "")) server.take(member, words[++at] ?? "");
    } else if (hasProgram(server) || !word.startsWith("-")) server.positionals.push(word);
    else if (!SWITCHES.has(option))
      return { problem: `it has the option ${option.slice(0, 60)}, which is not known here` };
  }
  const found = server.toFound();
  if (server.positionals.length === 0 && server.url === "") return { problem: "it names no server" };
  return [found];
}

/** Whether the program that starts the server is named, so that what follows belongs to that. */
function hasProgram({ positionals, name }: AddedServer): boolean {
  const at = name === "" ? 1 : 0;
  return positionals.length > at && !ADDRESS.test(positionals[at] ?? "");
}

function isLate(option: string, value: string, { positionals }: AddedServer): boolean {
  if (!LATE.has(option)) return false;
  if (option === "-s" || option === "--scope") return /^(?:user|local|project)$/.test(value);
  if (option === "--env") return !positionals.some((word) => /^(?:docker|podman|nerdctl)$/.test(word));
  return /^(?:stdio|http|sse)$/.test(value);
}

function isFurther(member: Member, word: string): boolean {
  if (member === "env") return /^[A-Za-z_]\w*=/.test(word);
  return member === "headers" && /^[A-Za-z][\w-]*:\s/.test(word);
}

/** One argument, a list in JSON, or several with commas between them. */
function splitArguments(value: string): string[] {
  if (!value.startsWith("[")) return value.split(",");
  try {
    const list = readClientJson(value);
    return Array.isArray(list) ? list.map(String) : [value];
  } catch {
    return [value];
  }
}

/** @param words Behind `mcp add-json`, or one text behind `--add-mcp`. */
export function readMcpJson(words: readonly string[]): readonly FoundServer[] | Refusal {
  const json = words.find((word) => word.trim().startsWith("{"));
  if (json === undefined) return { problem: "it has no JSON of a server" };
  const plain = words.filter((word, at) => !word.startsWith("-") && word !== json && !isValue(words[at - 1]));
  let settings: unknown;
  try {
    // PowerShell needs a backslash before a quote, also within single quotes.
    settings = readClientJson(/^\s*\{\s*\\"/.test(json) ? json.replaceAll('\\"', '"') : json);
  } catch (error) {
    return { problem: `its JSON cannot be read: ${describeError(error)}` };
  }
  const found = readSettings(settings) ?? [];
  if (found.length === 0) return { problem: "its JSON has no server with a command or a URL" };
  return found.map((each) => (found.length === 1 && plain[0] !== undefined ? { ...each, name: plain[0] } : each));
}

/** Whether the word behind this one is its value. */
function isValue(before: string | undefined): boolean {
  return before !== undefined && Object.hasOwn(OPTIONS, before);
}
