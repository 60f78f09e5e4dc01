/** `thv runner`: what the operator starts in the proxy's pod of an MCPServer. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";

export const RUNNER = {
  path: ["runner"],
  summary: "Run the proxy of an MCPServer in its pod",
  description:
    "The operator starts it. It reads the settings that the operator wrote, and runs until it receives SIGTERM.",
  hidden: true,
  positionals: [],
  flags: {
    config: {
      kind: "path",
      default: "/etc/toolhive/runner/runner.json",
      summary: "File with the settings",
    },
  },
  examples: [{ summary: "Start the proxy as the operator does", command: "thv runner" }],
} as const satisfies CommandDefinition;

export const RUNNER_COMMAND: Command = defineCommand(RUNNER, async () => (await import("./runner.ts")).run);
