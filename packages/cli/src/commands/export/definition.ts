/** `thv export`, which later versions of the reference have. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const EXPORT = {
  path: ["export"],
  summary: "Export the configuration of a server",
  description:
    "Prints a JSON file for thv run --from-config, on this or another machine; it is also a request body for the API. It contains the names of secrets, the values of variables, and the port, which applies unless --name gives the new server another name. With --format k8s, prints a manifest for the operator on Kubernetes, with comments on the differences. With FILE, writes a file that only you can read, and asks before it replaces an existing one.",
  positionals: [
    { name: "WORKLOAD", summary: "Name of the server, as thv list --all shows it", completes: "workload" },
    {
      name: "FILE",
      summary: "File to write instead of standard output; - is standard output",
      isOptional: true,
      completes: "file",
    },
  ],
  flags: {
    force: { short: "f", kind: "bool", summary: "Overwrite an existing file without asking" },
    format: { ...FORMAT_FLAG, values: ["text", "json", "k8s"], summary: "Output format; k8s is an MCPServer manifest" },
  },
  examples: [
    { summary: "Write it into a file", command: "thv export everything everything.json" },
    { summary: "Run it on a Kubernetes cluster", command: "thv export everything --format k8s | kubectl apply -f -" },
    { summary: "Run a second one like it", command: "thv export everything | thv run --from-config - --name second" },
  ],
} as const satisfies CommandDefinition;

export const EXPORT_COMMAND: Command = defineCommand(EXPORT, async () => (await import("./export.ts")).exportWorkload);
