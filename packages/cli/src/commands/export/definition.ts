/** `thv export`, which later versions of the reference have; `--all` and `--group` are ours. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { GROUP_FLAG } from "../shared/flags/group-flag.ts";
import { WORKLOAD } from "../shared/workload-argument.ts";

export const EXPORT = {
  path: ["export"],
  summary: "Export a server, or all servers as a project file",
  description:
    "Prints a JSON file for thv run --from-config, on this or another machine; it is also a request body for the API. It contains the names of secrets, the values of variables, and the port, which applies unless --name gives the new server another name. With --format k8s, prints a manifest for the operator on Kubernetes, with comments on the differences. With FILE, writes a file that only you can read, and asks before it replaces an existing one. With --all or --group, the command takes only FILE and writes a project file for thv up: servers with all their settings, and groups with their choices and clients. That file contains no value that looks secret; the command names each thing that it leaves out, with the reason.",
  positionals: [
    { ...WORKLOAD, isOptional: true },
    {
      name: "FILE",
      summary: "File to write instead of standard output; - is standard output",
      isOptional: true,
      completes: "file",
    },
  ],
  flags: {
    all: { short: "a", kind: "bool", summary: "Write all servers and groups as a project file" },
    group: { ...GROUP_FLAG, summary: "Write this group and its servers as a project file" },
    "project-name": { kind: "string", summary: "Name of the project in the file; by default the name of the group" },
    force: { short: "f", kind: "bool", summary: "Overwrite an existing file without asking" },
    format: { ...FORMAT_FLAG, values: ["text", "json", "k8s"], summary: "Output format; k8s is an MCPServer manifest" },
  },
  examples: [
    { summary: "Write a server to a file", command: "thv export everything everything.json" },
    { summary: "Move all servers to another machine", command: "thv export --all thv.yaml" },
    { summary: "Share the servers of a group", command: "thv export --group work thv.yaml" },
    {
      summary: "Run the server on a Kubernetes cluster",
      command: "thv export everything --format k8s | kubectl apply -f -",
    },
    {
      summary: "Run a second server with the same settings",
      command: "thv export everything | thv run --from-config - --name second",
    },
  ],
} as const satisfies CommandDefinition;

export const EXPORT_COMMAND: Command = defineCommand(EXPORT, async () => (await import("./export.ts")).exportWorkload);
