/** `thv inspector`. Source: cli.md 3.4. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";

export const INSPECTOR = {
  path: ["inspector"],
  summary: "Inspect a server with the MCP Inspector",
  description:
    "Starts the MCP Inspector on this machine with npx, which downloads it the first time, and prints the URL of its page with the server filled in. Only this machine can open the page. The command stays in the foreground until Ctrl-C; the Inspector ends with it, even if thv is killed. The Inspector does not run in a container, because it must reach the server's URL on this machine. Of your environment, it gets only the variables that npm needs.",
  positionals: [{ name: "NAME", summary: "Name of the server, as thv list shows it", completes: "workload" }],
  flags: {
    "ui-port": { short: "u", kind: "port", default: 6274, summary: "Port of the Inspector's web page" },
    "mcp-proxy-port": { short: "p", kind: "port", default: 6277, summary: "Port of the Inspector's own proxy" },
  },
  examples: [{ summary: "Try the tools of a server in the browser", command: "thv inspector everything" }],
} as const satisfies CommandDefinition;

export const INSPECTOR_COMMAND: Command = defineCommand(
  INSPECTOR,
  async () => (await import("./inspector.ts")).inspector,
);
