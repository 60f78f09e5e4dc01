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
  summary: "Run the server that an MCPServer describes on this machine",
  description:
    "Reads a manifest, or the object of that name from the current cluster, and runs the same server here, as thv run --from-config does. A name that contains a / or ends in .yaml, .yml or .json is a file. The command also reads the ConfigMaps and the MCPToolConfig that the object names; a file must contain them. It does not read Secrets: store them under the names of their keys first. It names the fields that this machine does not support, and refuses them if the server would be less protected. Before it starts the server, it shows folders, stored secrets and disabled protection, and asks for confirmation.",
  positionals: [
    {
      name: "FILE_OR_NAME",
      summary: "File with one MCPServer, - for standard input, or the name of one on the cluster",
      completes: "file",
    },
  ],
  flags: {
    namespace: { kind: "string", summary: "Namespace of NAME; by default that of the current context" },
    name: { kind: "string", summary: "Name of the workload here; by default that of the MCPServer" },
    yes: ALLOW_FLAG,
    "dry-run": {
      kind: "bool",
      summary: "Print the configuration for thv run --from-config, and run nothing",
    },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Run the server of a manifest", command: "thv k8s import everything.yaml" },
    {
      summary: "Keep its configuration in a file",
      command: "thv k8s import everything.yaml --dry-run > everything.json",
    },
    { summary: "Run a server of the current cluster", command: "thv k8s import everything --namespace tools" },
  ],
} as const satisfies CommandDefinition;

export const K8S_COMMANDS: readonly Command[] = [
  defineCommand(K8S_IMPORT, async () => (await import("./import.ts")).importServer),
];
