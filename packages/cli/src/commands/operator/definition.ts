/** `thv operator`: what runs in the pod of the operator. Flags are the reference's. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";

export const OPERATOR = {
  path: ["operator"],
  summary: "Run MCPServers of a Kubernetes cluster",
  description:
    "The operator's chart starts this command in a pod. It creates and maintains the objects of every MCPServer until it receives SIGTERM. WATCH_NAMESPACE names the namespaces to watch; if it is empty, the operator watches all.",
  hidden: true,
  positionals: [],
  flags: {
    "metrics-bind-address": {
      kind: "string",
      default: ":8080",
      summary: "Address of /metrics, HOST:PORT or :PORT; 0 for none",
    },
    "health-probe-bind-address": {
      kind: "string",
      default: ":8081",
      summary: "Address of /healthz and /readyz, HOST:PORT or :PORT; 0 for none",
    },
    "leader-elect": { kind: "bool", summary: "Stand by while another operator leads" },
  },
  examples: [{ summary: "Start the operator as the chart does", command: "thv operator --leader-elect" }],
} as const satisfies CommandDefinition;

export const OPERATOR_COMMAND: Command = defineCommand(OPERATOR, async () => (await import("./operator.ts")).operate);
