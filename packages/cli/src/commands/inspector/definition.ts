/** `thv inspector`. Source: cli.md 3.4. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";

export const INSPECTOR = {
  path: ["inspector"],
  summary: "Inspect a server with the MCP Inspector",
  description:
    "Starts the MCP Inspector UI on this machine with npx, which fetches it the first time, and prints the URL of its page with the server filled in. The page is on the loopback address only. Stays in the foreground until Ctrl-C, and the Inspector ends with it, also when thv is killed. The Inspector is not in a container: it has to reach the server's URL, which this machine alone can. It gets none of your environment but what npm needs.",
  positionals: [{ name: "WORKLOAD", summary: "Name of the server, as thv list shows it", completes: "workload" }],
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
