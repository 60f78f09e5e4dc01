/** The commands of a project file: up, down, import. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import type { Flag } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { ALLOW_FLAG } from "../shared/flags/yes-flag.ts";

const FILE = {
  kind: "path",
  default: "thv.yaml",
  summary: "The project file",
  completes: "file",
} as const satisfies Flag;

export const UP = {
  path: ["up"],
  summary: "Run the servers of a project file",
  description:
    "Reads thv.yaml in this folder and makes it so: creates the servers that are missing, starts those that are stopped, changes in place what differs, and leaves everything else alone. What a new server would get is shown first, and what another one would get more: image, folders, secrets by name, network, user and protection that is given up; somebody has to allow it once, or --yes does. One that fails does not hold up the others, and the next thv up completes it. What each server ran from is written to the lock file beside it, with the same name and the ending .lock; a server whose image or package is another one than the lock says is refused. A server of the same name that this file has not made is never touched.",
  positionals: [],
  flags: {
    file: FILE,
    check: {
      kind: "bool",
      summary: "Change nothing; show what differs, and exit with 26 when something does",
    },
    yes: ALLOW_FLAG,
    adopt: {
      kind: "bool",
      summary: "Take over servers that another project file made which is not there any more, as after a move",
    },
    "update-lock": { kind: "bool", summary: "Accept the images and packages as they are now, and lock those" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Run the servers of thv.yaml", command: "thv up" },
    { summary: "Allow what they get, for example in CI", command: "thv up --yes" },
    { summary: "See what that would change, for example in CI", command: "thv up --check" },
    { summary: "Use another file", command: "thv up --file servers/thv.yaml" },
    { summary: "Accept a new image", command: "thv up --update-lock" },
    { summary: "After the folder was moved", command: "thv up --adopt" },
  ],
} as const satisfies CommandDefinition;

export const DOWN = {
  path: ["down"],
  summary: "Remove the servers of a project file",
  description:
    "Removes what thv up of this file has created, also what the file does not name any more, and nothing else. The file need not exist any more. Groups, secrets and the lock file stay.",
  positionals: [],
  flags: {
    file: FILE,
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
    { summary: "Remove those of another file", command: "thv down --file servers/thv.yaml" },
  ],
} as const satisfies CommandDefinition;

export const IMPORT = {
  path: ["import"],
  summary: "Write a project file from a client's settings",
  description:
    "Reads the file in which an MCP client keeps its servers, as JSON with comments, TOML or YAML, and writes a first thv.yaml: npx and uvx become packages, docker run an image, a URL a remote server. Values that look secret are not written: they become references to secrets, and the commands that store them are printed. Each setting that is not used is named, and each server that is left out has its reason. The client's file is not changed, and nothing is run.",
  positionals: [
    { name: "FILE", summary: "The client's file, such as .vscode/mcp.json; - is standard input", completes: "file" },
  ],
  flags: {
    file: { ...FILE, summary: "The project file to write" },
    force: { short: "f", kind: "bool", summary: "Replace a file that exists" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Take over the servers of VS Code", command: "thv import .vscode/mcp.json" },
    { summary: "Take over those of Cursor", command: "thv import ~/.cursor/mcp.json" },
    { summary: "Take over those of Codex", command: "thv import ~/.codex/config.toml" },
  ],
} as const satisfies CommandDefinition;

export const PROJECT_COMMANDS: readonly Command[] = [
  defineCommand(UP, async () => (await import("./up.ts")).up),
  defineCommand(IMPORT, async () => (await import("./import.ts")).importFile),
  defineCommand(DOWN, async () => (await import("./down.ts")).down),
];
