/** What a client starts, as something that ToolHive runs: a package, an image, or a remote server behind a bridge. */
import { listUnseenArguments } from "./host-paths.ts";
import type { Program } from "./imported-entry.ts";
import { isFolderPlaceholder } from "./placeholders.ts";
import { readBridge } from "./read-bridge.ts";
import { readContainer } from "./read-container.ts";
import { formatPlainName } from "./server-name.ts";

type Scheme = "npx" | "uvx";

/** Servers whose arguments are the folders that they serve. */
const FOLDER_SERVERS = /^@modelcontextprotocol\/server-filesystem(?:@.*)?$/;
/** Options without a value that say how a package is fetched, and nothing of the server. */
const FETCH_SWITCHES: Readonly<Record<Scheme, RegExp>> = {
  npx: /^(?:-y|--yes|-q|--quiet|-s|--silent|--no|--prefer-online|--prefer-offline|--bun|--)$/,
  uvx: /^(?:-q|--quiet|-v|--verbose|-n|--no-cache|--refresh|--isolated|--native-tls|--no-progress|--no-config|--)$/,
};
/** A line that a shell would do nothing to but split. */
const PLAIN_LINE = /^[\w@%+=:,./\\~\s-]+$/;

/** Options of a package manager that have a counterpart: the package, what is installed with it, and a version of Python. */
const OPTIONS: Readonly<Record<Scheme, ReadonlyMap<string, "from" | "with" | "python">>> = {
  npx: new Map([
    ["-p", "from"],
    ["--package", "from"],
  ]),
  uvx: new Map([
    ["--from", "from"],
    ["--spec", "from"],
    ["--with", "with"],
    ["-p", "python"],
    ["--python", "python"],
  ]),
};

/** The program of a command, without its folder and the ending that Windows gives it. */
export function findProgram(command: string): string {
  return command
    .replace(/^.*[\\/]/, "")
    .replace(/\.(?:exe|cmd|bat|ps1)$/i, "")
    .toLowerCase();
}

export function readProgram(command: string, args: readonly string[]): Program {
  const program = findProgram(command);
  const [first = "", second, ...others] = args;
  switch (program) {
    case "cmd":
      // How Windows starts what is no program of its own.
      if (/^\/[cdsk]$/i.test(first)) return readProgram(/^\/c$/i.test(first) ? (second ?? "") : "cmd", unwrap(args));
      break;
    case "bash":
    case "sh":
    case "zsh":
      if (/^-[il]*c$/.test(first) && second !== undefined && PLAIN_LINE.test(second)) return readLine(second);
      break;
    case "env":
      return readEnvCommand(args);
    case "wsl":
      if (first !== "" && !first.startsWith("-")) return readProgram(first, args.slice(1));
      if (first === "--" || first === "-e") return readProgram(second ?? "", others);
      break;
    case "npx":
    case "bunx":
      return readPackage("npx", args);
    case "uvx":
      return readPackage("uvx", args);
    case "npm":
      if (first === "exec" || first === "x") return readPackage("npx", args.slice(1));
      break;
    case "bun":
      if (first === "x") return readPackage("npx", args.slice(1));
      break;
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
        return describePackage("go", second, others);
      break;
    case "docker":
    case "podman":
    case "nerdctl":
      return readContainer(args);
    case "thv":
      return { kind: "none", reason: "it is ToolHive's own entry, and its server is one already" };
    case "mcp-remote":
    case "mcp-proxy":
    case "supergateway": {
      const bridge = readBridge(program, args);
      if (bridge) return bridge;
      break;
    }
  }
  // The whole line as the command, which clients that use a shell take.
  const slash = command.search(/[\\/]/);
  const isPathWithBlank = slash !== -1 && /\s/.test(command.slice(slash));
  if (args.length === 0 && /\s/.test(command) && PLAIN_LINE.test(command) && !isPathWithBlank) return readLine(command);
  const shown = (program || "nothing").slice(0, 60);
  return {
    kind: "none",
    reason: `it is started by ${shown}, and only npx, uvx, docker and podman can be imported`,
  };
}

function readLine(line: string): Program {
  const [command = "", ...args] = line.trim().split(/\s+/);
  return readProgram(command, args);
}

/** `env NAME=VALUE… PROGRAM` */
function readEnvCommand(args: readonly string[]): Program {
  const at = args.findIndex((arg) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(arg));
  const given = Object.fromEntries(
    (at < 0 ? args : args.slice(0, at)).map((arg) => {
      const split = arg.indexOf("=");
      return [arg.slice(0, split), arg.slice(split + 1)] as const;
    }),
  );
  const found = readProgram(args[at] ?? "", args.slice(at + 1));
  return found.kind === "package" || found.kind === "image" ? { ...found, env: { ...given, ...found.env } } : found;
}

/** The arguments behind `/c PROGRAM`, or behind the first switch. */
function unwrap([first = "", ...rest]: readonly string[]): readonly string[] {
  return /^\/c$/i.test(first) ? rest.slice(1) : rest;
}

/** The arguments of a package manager that runs a package: options, the package or its program, the server's own arguments. */
function readPackage(scheme: Scheme, args: readonly string[]): Program {
  let from: string | undefined;
  const extra: string[] = [];
  let base: string | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (FETCH_SWITCHES[scheme].test(arg)) continue;
    if (!arg.startsWith("-")) break;
    const [, flag = arg, joined] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    const kind = OPTIONS[scheme].get(flag);
    if (kind === undefined) return refuseOption(arg);
    const value = joined ?? args[++at] ?? "";
    if (kind === "python" && !/^3\.\d{1,2}$/.test(value)) return refuseOption(`${flag} ${value}`);
    if (kind === "python") base = `python:${value}-slim`;
    else if (kind === "from" && from === undefined) from = value;
    // npx takes the option again for what it installs with it.
    else extra.push(...value.split(/,(?=[A-Za-z])/));
  }
  const name = args[at];
  if (name === undefined) return { kind: "none", reason: "it names no package" };
  const rest = args.slice(at + 1);
  // A name of Python with an address behind it: the address is the package, unless it is installed with extras.
  const split = scheme === "uvx" ? (from?.indexOf(" @ ") ?? -1) : -1;
  if (split > 0 && from?.slice(0, split).includes("["))
    return {
      kind: "none",
      reason: `it installs ${from.slice(0, 100)}, an address with extras, which has no counterpart`,
    };
  if (split > 0) from = from?.slice(split + 3);
  const found = from === undefined ? name : joinProgram(scheme, from, name);
  if (found === undefined)
    return {
      kind: "none",
      reason: `it starts ${name.slice(0, 60)} of ${(from ?? "").slice(0, 100)}, which is no package`,
    };
  const program =
    readBridge(from === undefined ? name : getBareName(from), rest) ?? describePackage(scheme, found, rest);
  if (program.kind !== "package") return program;
  const built = { ...(base !== undefined && { base_image: base }), ...(extra.length > 0 && { with: extra }) };
  return { ...program, limits: { ...program.limits, ...built } };
}

function refuseOption(option: string): Program {
  return { kind: "none", reason: `it has the option ${option.slice(0, 60)}, which has no counterpart` };
}

function describePackage(scheme: Scheme | "go", name: string, args: readonly string[]): Program {
  if (/^(?:\.{0,2}[\\/]|~)/.test(name)) {
    return {
      kind: "none",
      reason: `it is started from ${name.slice(0, 100)} on this machine, and only packages of a registry can be imported`,
    };
  }
  const isOfFolders = FOLDER_SERVERS.test(name);
  const served = isOfFolders ? args.filter((arg) => listUnseenArguments([arg], []).length > 0) : [];
  const open = isOfFolders ? args.filter(isFolderPlaceholder) : [];
  const openVolumes = open.map((shown) => ({ shown, target: nameOpenFolder(shown), isReadOnly: false }));
  const notes = [
    ...served.map(
      (path) => `it may change ${path.slice(0, 200)}: write :ro behind that volume when it should only read`,
    ),
    ...openVolumes.map(
      ({ shown, target }) => `its folder ${shown.slice(0, 200)} was left out: add it as a volume at ${target}`,
    ),
    ...listUnseenArguments(args, served),
  ];
  const limits = served.length > 0 ? { volumes: served.map((path) => `${path}:${path}`) } : {};
  return {
    kind: "package",
    run: `${scheme}://${scheme === "go" ? name : formatTarget(scheme, name)}`,
    args: args.map((arg) => (open.includes(arg) ? nameOpenFolder(arg) : arg)),
    env: {},
    inherited: [],
    limits,
    openVolumes,
    notes,
  };
}

/** Where a folder that is not known yet will be in the container. */
function nameOpenFolder(shown: string): string {
  const last = formatPlainName(shown.split(/[\\/]/).at(-1) ?? "");
  return last === "" || isFolderPlaceholder(shown.split(/[\\/]/).at(-1) ?? "") ? "/projects" : `/projects/${last}`;
}

/** The package with its program, unless that has the package's name. */
function joinProgram(scheme: Scheme, from: string, program: string): string | undefined {
  if (from === "" || from.startsWith("-") || !/^\w[\w.+-]*$/.test(program)) return undefined;
  return program === getBareName(from).replace(/^@[^/]+\//, "") ? from : `${formatTarget(scheme, from)}#${program}`;
}

function getBareName(from: string): string {
  return from.replace(/\[.*$|[=<>~!].*$/s, "").replace(/(.)@.*$/s, "$1");
}

/** As thv writes it: a commit of npm's form stands behind an @, and what holds together is parted by a comma. */
function formatTarget(scheme: Scheme, name: string): string {
  if (scheme === "uvx") return name.replaceAll(" ", "");
  if (!/^(?:github:|git\+https:)/.test(name)) return name.replaceAll(" ", ",");
  const [repository = "", ...commit] = name.split("#");
  return [repository, ...commit].join("@");
}
