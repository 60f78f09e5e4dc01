/** What a client starts, as something that ToolHive runs: a package, an image, or a remote server behind a bridge. */
import type { ProjectEntry } from "./project-schema.ts";

type PullPolicy = NonNullable<ProjectEntry["pull"]>;

/** Written out, because a browser loads this file without the schema. */
const PULL_POLICIES: readonly PullPolicy[] = ["never", "missing", "always"];

export type Program =
  | {
      readonly run: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Variables that the client's own surroundings have. */
      readonly inherited: readonly string[];
      readonly volumes: readonly string[];
      readonly pull?: PullPolicy;
      /** Sentences without a full stop. */
      readonly notes: readonly string[];
    }
  | { readonly address: string; readonly headers: Readonly<Record<string, string>>; readonly isSse: boolean }
  /** Half a sentence. */
  | { readonly reason: string };

/** Servers whose arguments are the folders that they serve. */
const FOLDER_SERVERS = /^@modelcontextprotocol\/server-filesystem(?:@.*)?$/;
/** Programs that speak to a remote server for a client that cannot. */
const BRIDGES = /^(?:mcp-remote|@geelen\/mcp-remote)(?:@.*)?$/;
/** Options of `docker run` without a value that change nothing of what is imported: ToolHive starts every server so. */
const SWITCHES = /^(?:-[itdq]+|--(?:interactive|tty|rm|init|detach|quiet)(?:=true)?)$/;
/** An option with its value behind `=`, or, of a short one, behind its letter. Any other value is the next argument. */
const JOINED = /^(--[^=]+)=(.*)$|^(-[a-zA-Z])=?(.+)$/s;
const IGNORED = { npx: /^(?:-y|--yes|-q|--quiet|--)$/, uvx: /^(?:-q|--quiet|--)$/ } as const;

export function readProgram(command: string, args: readonly string[]): Program {
  const program = command.replace(/^.*[\\/]/, "").replace(/\.(?:exe|cmd)$/i, "");
  const [first = "", second, ...others] = args;
  switch (program) {
    case "cmd":
      // How Windows starts what is no program of its own.
      if (/^\/[cdsk]$/i.test(first)) return readProgram(/^\/c$/i.test(first) ? (second ?? "") : "cmd", unwrap(args));
      break;
    case "npx":
    case "bunx":
      return readPackage("npx", args);
    case "uvx":
      return readPackage("uvx", args);
    case "pnpm":
    case "yarn":
      if (first === "dlx") return readPackage("npx", args.slice(1));
      break;
    case "pipx":
      if (first === "run") return readPackage("uvx", args.slice(1));
      break;
    case "uv":
      if (first === "tool" && second === "run") return readPackage("uvx", others);
      break;
    case "go":
      if (first === "run" && second !== undefined && !second.startsWith("-"))
        return { run: `go://${second}`, args: others, env: {}, inherited: [], volumes: [], notes: [] };
      break;
    case "docker":
    case "podman":
      return readContainer(args);
  }
  return {
    reason: `it is started by ${(program || "nothing").slice(0, 60)}, and only npx, uvx, docker and podman can be imported`,
  };
}

/** The arguments behind `/c PROGRAM`, or behind the first switch. */
function unwrap([first = "", ...rest]: readonly string[]): readonly string[] {
  return /^\/c$/i.test(first) ? rest.slice(1) : rest;
}

function readPackage(scheme: "npx" | "uvx", args: readonly string[]): Program {
  const at = args.findIndex((arg) => !IGNORED[scheme].test(arg));
  const name = args[at];
  if (name === undefined) return { reason: "it names no package" };
  const rest = args.slice(at + 1);
  const [, flag = name, joined] = /^(--[^=]+)=(.*)$/s.exec(name) ?? [];
  const isFrom = scheme === "uvx" ? flag === "--from" : flag === "-p" || flag === "--package";
  if (isFrom) return readFrom(scheme, joined ?? rest[0] ?? "", joined === undefined ? rest.slice(1) : rest);
  if (name.startsWith("-")) return { reason: `it has the option ${name.slice(0, 60)}, which has no counterpart` };
  if (BRIDGES.test(name)) return readBridge(rest);
  const served = FOLDER_SERVERS.test(name) ? rest.filter(isPath) : [];
  const unseen = rest
    .map((arg) => arg.replace(/^--?[\w-]+=/, ""))
    .filter((arg) => isPath(arg) && !served.includes(arg));
  const notes = [
    ...served.map(
      (path) => `it may change ${path.slice(0, 200)}: write :ro behind that volume when it should only read`,
    ),
    ...unseen.map(
      (path) => `its argument ${path.slice(0, 200)} is a path of this machine, which it sees only as a volume`,
    ),
  ];
  const volumes = served.map((path) => `${path}:${path}`);
  return { run: `${scheme}://${name}`, args: rest, env: {}, inherited: [], volumes, notes };
}

/** A package is started by the program that has its name. */
function readFrom(scheme: "npx" | "uvx", from: string, [program = "", ...rest]: readonly string[]): Program {
  const bare = from.replace(/\[.*$|[=<>~!].*$/s, "").replace(/(.)@.*$/s, "$1");
  if (from.startsWith("-") || /:\/\//.test(from))
    return { reason: `its package is ${from.slice(0, 100)}, and only packages of a registry can be imported` };
  if (program.startsWith("-")) return { reason: `it has the option ${program.slice(0, 60)}, which has no counterpart` };
  const name = bare.replace(/^@[^/]+\//, "");
  if (program !== name) {
    return {
      reason: `it starts ${program.slice(0, 60)} of the package ${from.slice(0, 100)}, and ${scheme}:// starts the program that has the package's name`,
    };
  }
  return readPackage(scheme, [from, ...rest]);
}

function readBridge([address = "", ...options]: readonly string[]): Program {
  const headers: Record<string, string> = {};
  let isSse = false;
  for (let at = 0; at < options.length; at++) {
    const option = options[at] ?? "";
    if (option === "--header") {
      const [, header = "", value = ""] = /^([^:]+):\s*(.*)$/s.exec(options[++at] ?? "") ?? [];
      if (header !== "") headers[header] = value;
    } else if (option === "--transport") isSse = (options[++at] ?? "").startsWith("sse");
  }
  return { address, headers, isSse };
}

/** An absolute path of this machine, or one in the user's folder. */
function isPath(text: string): boolean {
  return /^(?:\/[^/]|~\/|[A-Za-z]:[\\/])/.test(text);
}

/**
 * `docker run`. An unknown option refuses the whole entry: the reader cannot know whether the next argument is its value or the
 * image.
 */
function readContainer([subcommand, ...args]: readonly string[]): Program {
  if (subcommand !== "run") return { reason: "it is no docker run" };
  const env: Record<string, string> = {};
  const inherited: string[] = [];
  const volumes: string[] = [];
  let pull: PullPolicy | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (SWITCHES.test(arg)) continue;
    if (!arg.startsWith("-"))
      return { run: arg, args: args.slice(at + 1), env, inherited, volumes, ...(pull && { pull }), notes: [] };
    const [, long, longValue, short, shortValue] = JOINED.exec(arg) ?? [];
    const option = long ?? short ?? arg;
    const value = longValue ?? shortValue ?? args[++at] ?? "";
    switch (option) {
      case "-v":
      case "--volume":
        volumes.push(value);
        break;
      case "-e":
      case "--env": {
        const split = value.indexOf("=");
        if (split > 0) env[value.slice(0, split)] = value.slice(split + 1);
        else if (value !== "") inherited.push(value);
        break;
      }
      case "--pull":
        pull = PULL_POLICIES.find((policy) => policy === value);
        break;
      case "--name":
        break;
      default:
        return { reason: `it has the option ${option.slice(0, 60)}, which has no counterpart` };
    }
  }
  return { reason: "it names no image" };
}
