/** `thv k8s` and its commands: servers of a Kubernetes cluster on this machine. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { ALLOW_FLAG } from "../shared/flags/yes-flag.ts";

export const K8S_GROUP: CommandGroup = {
  path: ["k8s"],
  summary: "Run servers of a Kubernetes cluster on this machine",
  description:
    "Uses the cluster that kubectl uses: the current context of the file in KUBECONFIG. To go the other way, use thv export NAME --format k8s.",
};

export const K8S_IMPORT = {
  path: ["k8s", "import"],
  summary: "Run a server of a manifest here, or write all of them into a project file",
  description:
    "Reads a manifest with an MCPServer or MCPRemoteProxy, or the object of that name from the current cluster, and runs the same server here, as thv run --from-config does. A name that contains a / or ends in .yaml, .yml or .json is a file. With --file, it runs nothing and writes a project file for thv up, of any number of servers: containers, remote servers, and each MCPGroup with its choice of tools. With --all, it takes those of a namespace. The command also reads the ConfigMaps and the MCPToolConfig that an object names; a file must contain them. It does not read Secrets: store them under the names of their keys first. It names everything that this machine does not support, and leaves out a server or group that would be less protected. Before it starts a server, it shows folders, stored secrets and disabled protection, and asks for confirmation.",
  positionals: [
    {
      name: "FILE_OR_NAME",
      summary: "Manifest, - for standard input, or the name of one server on the cluster",
      isOptional: true,
      completes: "file",
    },
  ],
  flags: {
    namespace: {
      kind: "string",
      summary: "Namespace of NAME, or for --all; by default the one of the current context",
    },
    name: { kind: "string", summary: "Name of the server here; by default its name on the cluster" },
    file: { kind: "path", summary: "Project file to write instead of running a server", completes: "file" },
    all: { short: "a", kind: "bool", summary: "Take all servers and groups of the namespace; needs --file" },
    force: { short: "f", kind: "bool", summary: "Replace an existing project file" },
    yes: ALLOW_FLAG,
    "dry-run": {
      kind: "bool",
      summary: "Print the configuration for thv run --from-config, or the project file, and do nothing",
    },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Run the server of a manifest", command: "thv k8s import everything.yaml" },
    {
      summary: "Save its configuration in a file",
      command: "thv k8s import everything.yaml --dry-run > everything.json",
    },
    { summary: "Run a server of the current cluster", command: "thv k8s import everything --namespace tools" },
    {
      summary: "Write all servers of a manifest into a project file",
      command: "thv k8s import tools.yaml --file thv.yaml",
    },
    {
      summary: "Write the servers of a namespace into a project file",
      command: "thv k8s import --all --namespace tools --file thv.yaml",
    },
  ],
} as const satisfies CommandDefinition;

export const K8S_COMMANDS: readonly Command[] = [
  defineCommand(K8S_IMPORT, async () => (await import("./import.ts")).importServer),
];
