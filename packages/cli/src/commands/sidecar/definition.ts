/** `thv sidecar`: what the operator starts beside a server in its pod. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";

export const SIDECAR = {
  path: ["sidecar"],
  summary: "Enforce a permission profile, in the pod of a server",
  description:
    "The operator starts this command as root with NET_ADMIN. It sets the packet rules of its network namespace, drops its privileges, and filters until it receives SIGTERM.",
  hidden: true,
  positionals: [],
  flags: {},
  examples: [{ summary: "Start the sidecar as the operator does", command: "thv sidecar" }],
} as const satisfies CommandDefinition;

export const SIDECAR_COMMAND: Command = defineCommand(SIDECAR, async () => (await import("./sidecar.ts")).run);
