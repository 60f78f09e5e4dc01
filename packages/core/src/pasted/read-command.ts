/** One command line as the server that it starts, or that it adds to a client. Nothing of it is run. */
import type { FoundServer } from "../client-import/find-servers.ts";
import { findProgram } from "../client-import/read-program.ts";
import { readMcpAdd, readMcpJson } from "./read-mcp-add.ts";
import { readThvRun } from "./read-thv-run.ts";

/** Half a sentence: why it starts no server. */
export type ReadCommand = readonly FoundServer[] | { readonly problem: string };

/** They change how a program is started, and nothing of it. */
const WRAPPERS = new Set(["sudo", "exec", "command", "nohup", "time", "&"]);
/** Packages that add a server to a client, and are none. */
const INSTALLERS = /^(?:@smithery\/cli|install-mcp|add-mcp|@mcp_router\/cli|mcp-install|mcp-get)(?:@.*)?$/;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const ENGINES = new Set(["docker", "podman", "nerdctl"]);
/** Programs that prepare something in instructions, and start no server. */
const PREPARING: Readonly<Record<string, RegExp>> = {
  docker: /^(?:pull|build|compose|login|images|network|volume)$/,
  podman: /^(?:pull|build|compose|login)$/,
  npm: /^(?:i|install|ci|run|start|init)$/,
  pip: /^install$/,
  pip3: /^install$/,
  git: /^clone$/,
  go: /^(?:install|build|get)$/,
  uv: /^(?:sync|pip|venv|add)$/,
  pnpm: /^(?:i|install|add|build)$/,
  brew: /^install$/,
};
const PREPARES = new Set(["cd", "mkdir", "source", "curl", "wget", "chmod", "echo", "cat", "cp"]);

/** @param exported Variables that lines before this one set. */
export function readCommand(words: readonly string[], exported: Readonly<Record<string, string>> = {}): ReadCommand {
  const env: Record<string, string> = {};
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (ASSIGNMENT.test(word)) Object.assign(env, parseAssignment(word));
    else if (!WRAPPERS.has(word)) break;
  }
  const [command = "", ...args] = words.slice(at);
  const program = findProgram(command);
  const added = findAdded(program, args);
  if (added) return added;
  if (program === "thv" && args[0] === "run") {
    const found = readThvRun(args.slice(1));
    return "problem" in found ? found : [found];
  }
  const prepared = findPreparation(program, args);
  if (prepared) return prepared;
  const isEngine = ENGINES.has(program);
  const name = isEngine ? takeContainerName(args) : "";
  const given = { ...exported, ...env };
  // An engine passes on only the variables that its options name.
  const variables = isEngine ? pick(given, args) : given;
  const settings = { command, args, ...(Object.keys(variables).length > 0 && { env: variables }) };
  return [{ name, settings, inputs: new Map() }];
}

/** A command of a client that adds a server to its settings. */
function findAdded(program: string, args: readonly string[]): ReadCommand | undefined {
  const json = args.indexOf("--add-mcp");
  if (json >= 0) return readMcpJson(args.slice(json + 1, json + 2));
  // A client may be started by a package manager, whose options and package come first.
  const at = /^(?:npx|bunx)$/.test(program) ? args.slice(0, 4).indexOf("mcp") : args[0] === "mcp" ? 0 : -1;
  if (at < 0 || program === "thv") return undefined;
  const rest = args.slice(at + 2);
  if (args[at + 1] === "add") return readMcpAdd(rest);
  return args[at + 1] === "add-json" ? readMcpJson(rest) : undefined;
}

function findPreparation(program: string, args: readonly string[]): { readonly problem: string } | undefined {
  const [first = ""] = args;
  const pattern = Object.hasOwn(PREPARING, program) ? PREPARING[program] : undefined;
  if (PREPARES.has(program) || pattern?.test(first)) return { problem: "it starts no server" };
  const isPackage = /^(?:npx|bunx|pnpm|npm)$/.test(program);
  const installer = isPackage ? args.slice(0, 3).find((arg) => INSTALLERS.test(arg)) : undefined;
  if (installer === undefined) return undefined;
  return { problem: `${installer.slice(0, 60)} adds a server to a client, and is none: paste what it adds` };
}

/** The name of the container becomes the server's, and is taken out of the arguments. */
function takeContainerName(args: string[]): string {
  const at = args.findIndex((arg) => arg === "--name" || arg.startsWith("--name="));
  const image = args.findIndex((arg, index) => index > 0 && /^[\w.-]+(?:[/:][\w.-]+)+$/.test(arg));
  // Behind the image it is an argument of the server.
  if (at < 0 || (image >= 0 && image < at)) return "";
  const [taken = "", value = ""] = args.splice(at, args[at] === "--name" ? 2 : 1);
  return taken === "--name" ? value : taken.slice("--name=".length);
}

function pick(given: Readonly<Record<string, string>>, args: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => args.includes(name)));
}

function parseAssignment(word: string): Record<string, string> {
  const split = word.indexOf("=");
  return { [word.slice(0, split)]: word.slice(split + 1) };
}

/** @returns The variables that a line sets for those behind it; `undefined` for any other line. */
export function readExport(words: readonly string[]): Readonly<Record<string, string>> | undefined {
  const [first = "", ...rest] = words;
  const given = /^(?:export|set|setenv)$/.test(first) ? rest : words;
  if (!given.every((word) => ASSIGNMENT.test(word))) return undefined;
  return Object.assign({}, ...given.map(parseAssignment)) as Record<string, string>;
}
