/** `thv k8s` and its commands: servers of a Kubernetes cluster on this machine. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";
import { ALLOW_FLAG } from "../shared/flags/yes-flag.ts";

export const K8S_GROUP: CommandGroup = {
  path: ["k8s"],
  summary: "Run servers of a Kubernetes cluster on this machine",
  description:
    "The cluster is the one that kubectl uses: KUBECONFIG names its file, and the current context in it counts. The other way is thv export NAME --format k8s.",
};

export const K8S_IMPORT = {
  path: ["k8s", "import"],
  summary: "Run the server that an MCPServer describes on this machine",
  description:
    "Reads a manifest, or the object of that name from the current cluster, and runs the same server here, as thv run --from-config does. What has a / in it or ends in .yaml, .yml or .json is a file. ConfigMaps and the MCPToolConfig that the object names are read, too; a file must have them. Secrets are not: store them under the names of their keys first. What an MCPServer says and this machine cannot do is named, and refused where the server would be less protected. Folders, stored secrets and protection that it gives up are shown and asked about first.",
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
