/** The commands of a project file: up, down, import, push, pull. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import type { Flag, Positional } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { ALLOW_FLAG, YES_FLAG } from "../shared/flags/yes-flag.ts";

const FILE = {
  kind: "path",
  default: "thv.yaml",
  summary: "The project file",
  completes: "file",
} as const satisfies Flag;

/** A team's file and a person's own, for example. */
const FILES = {
  kind: "pathArray",
  default: "thv.yaml",
  summary: "Project file; may be repeated: a later file overrides earlier ones, as with extends",
  completes: "file",
} as const satisfies Flag;

/** In the place of a file. */
const SOURCE = {
  name: "REFERENCE",
  summary: "A project at an image registry, oci://HOST/NAME[:TAG][@sha256:…], instead of a file",
  isOptional: true,
} as const satisfies Positional;

export const UP = {
  path: ["up"],
  summary: "Run the servers of a project file",
  description:
    "Reads thv.yaml in this folder, creates missing servers, starts stopped servers, and changes servers that differ from the file. It does not touch other servers. First it shows what each new or changed server would get: image, folders, secrets by name, network, user and disabled protection; for a group in the file, its tools and clients. You have to allow that once, or use --yes. If a server fails, the command continues with the others, and the next thv up completes the rest. It records the image or package of each server in the lock file, thv.lock, and refuses any other. It never changes a server of the same name that this file did not create. With oci://HOST/NAME[:TAG] it reads the project from an image registry, remembers its digest, and asks before it uses another one.",
  positionals: [SOURCE],
  flags: {
    file: FILES,
    check: {
      kind: "bool",
      summary: "Change nothing; show what differs, and exit with 26 if anything does",
    },
    yes: ALLOW_FLAG,
    adopt: {
      kind: "bool",
      summary: "Take over the servers of a project file that no longer exists, or that has the same project name",
    },
    watch: {
      kind: "bool",
      summary:
        "Keep running, and apply the file again when it is saved; --yes and --adopt apply to the first time only",
    },
    "update-lock": { kind: "bool", summary: "Accept the current images and packages, and lock them" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Run the servers of thv.yaml", command: "thv up" },
    { summary: "Approve what the servers get, for example in CI", command: "thv up --yes" },
    { summary: "Show what would change, for example in CI", command: "thv up --check" },
    { summary: "Use another file", command: "thv up --file servers/thv.yaml" },
    { summary: "Use the team's file with your own settings", command: "thv up --file thv.yaml --file own.yaml" },
    { summary: "Use a project at an image registry", command: "thv up oci://ghcr.io/acme/tools:1.0" },
    { summary: "Accept a new image", command: "thv up --update-lock" },
    { summary: "Take over the servers after the folder was moved", command: "thv up --adopt" },
    { summary: "Apply each change when you save the file", command: "thv up --watch" },
  ],
} as const satisfies CommandDefinition;

export const DOWN = {
  path: ["down"],
  summary: "Remove the servers of a project file",
  description:
    "Removes the servers that thv up created from this file, including those that are no longer in the file, and no others. It also works after you have deleted the file. Groups, secrets and the lock file stay.",
  positionals: [SOURCE],
  flags: {
    file: FILES,
    force: { short: "f", kind: "bool", summary: "Kill the servers at once (SIGKILL)" },
    timeout: {
      kind: "int",
      default: 30,
      min: 0,
      max: 3_600,
      unit: "seconds",
      summary: "Seconds to wait for each server to exit before it is killed, 0 to 3600",
    },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Remove the servers of thv.yaml", command: "thv down" },
    { summary: "Remove the servers of another file", command: "thv down --file servers/thv.yaml" },
    { summary: "Remove the servers of a project at an image registry", command: "thv down oci://ghcr.io/acme/tools" },
  ],
} as const satisfies CommandDefinition;

export const IMPORT = {
  path: ["import"],
  summary: "Write a project file from a client's settings, or from a command",
  description:
    "Reads the settings file of an MCP client, as JSON with comments, TOML or YAML, and writes a first thv.yaml: npx and uvx become packages, docker run becomes an image, and a URL becomes a remote server. Standard input may also be what instructions show: command lines such as docker run or claude mcp add, or an installation link. A command can also follow --; it is never run. Values that look like secrets become references to secrets, and the command prints how to store them. It names each setting that it does not use, and each server that it leaves out, with the reason. It does not change the client's file or start a server.",
  positionals: [
    {
      name: "FILE",
      summary: "The client's file, such as .vscode/mcp.json; - is standard input",
      isOptional: true,
      completes: "file",
    },
  ],
  takesRest: true,
  restSummary: "A command that starts a server, or adds one to a client, instead of FILE",
  flags: {
    file: { ...FILE, summary: "The project file to write" },
    force: { short: "f", kind: "bool", summary: "Replace an existing file" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Import the servers of VS Code", command: "thv import .vscode/mcp.json" },
    { summary: "Import the servers of Cursor", command: "thv import ~/.cursor/mcp.json" },
    { summary: "Import the servers of Codex", command: "thv import ~/.codex/config.toml" },
    {
      summary: "Import a command from a server's instructions",
      command: "thv import -- docker run -i --rm -e API_KEY mcp/weather",
    },
  ],
} as const satisfies CommandDefinition;

export const PUSH = {
  path: ["push"],
  summary: "Store a project file at an image registry",
  description:
    "Stores thv.yaml at an OCI image registry, with its lock file and the files in its folder that it names, such as policies. Other folders and secrets are not stored; the command names what it leaves out. It uses the sign-in that docker login or podman login stored. It asks before it shares a value that looks secret, and before it replaces a tag that somebody else has changed. The tag is set last: a push that fails leaves it as it was, and the next push sends only what is missing.",
  positionals: [
    { name: "REFERENCE", summary: "Where to store it: oci://HOST[:PORT]/NAME[:TAG]; the tag is latest by default" },
  ],
  flags: {
    file: FILE,
    yes: { ...YES_FLAG, summary: "Share values that look secret, and replace what others have stored, without asking" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Store thv.yaml", command: "thv push oci://ghcr.io/acme/tools:1.0" },
    { summary: "Store another file", command: "thv push oci://ghcr.io/acme/tools --file servers/thv.yaml" },
  ],
} as const satisfies CommandDefinition;

export const PULL = {
  path: ["pull"],
  summary: "Write a project file from an image registry",
  description:
    "Writes the files of a project that thv push stored into a folder, after it has checked their digests. It does not start servers; thv up does, after it has shown what each server would get. An existing file with different content is replaced only with --force.",
  positionals: [
    { name: "REFERENCE", summary: "The project: oci://HOST[:PORT]/NAME[:TAG][@sha256:…]" },
    { name: "FOLDER", summary: "Where to write it; this folder by default", isOptional: true, completes: "file" },
  ],
  flags: {
    force: { short: "f", kind: "bool", summary: "Replace existing files" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Write a project into a new folder", command: "thv pull oci://ghcr.io/acme/tools:1.0 tools" },
    { summary: "Update the files to a newer tag", command: "thv pull oci://ghcr.io/acme/tools:1.1 tools --force" },
  ],
} as const satisfies CommandDefinition;

export const PROJECT_COMMANDS: readonly Command[] = [
  defineCommand(UP, async () => (await import("./up.ts")).up),
  defineCommand(IMPORT, async () => (await import("./import.ts")).importFile),
  defineCommand(PUSH, async () => (await import("./push.ts")).push),
  defineCommand(PULL, async () => (await import("./pull.ts")).pull),
  defineCommand(DOWN, async () => (await import("./down.ts")).down),
];
