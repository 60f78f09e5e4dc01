/** The flag of every command, but for those that have nothing to say in members. */
import type { Flag } from "../../../command-line/flag.ts";

export const FORMAT_FLAG = {
  kind: "string",
  default: "text",
  values: ["text", "json"],
  summary: "Output format",
} as const satisfies Flag;

/** Why a command has no `--format json`, by the words after `thv`. Every other command that people see has it. */
export const WITHOUT_JSON: Readonly<Record<string, string>> = {
  completion: "prints a script for a shell",
  "docs mcp": "speaks the protocol of MCP on standard output",
  inspector: "stays in the foreground, with a web page of its own",
  logs: "prints the lines of a server as the server wrote them",
  proxy: "stays in the foreground until it is stopped",
  "proxy stdio": "its output is the server's messages, one a line",
  "registry convert": "writes a registry, which is JSON already",
  "registry run-group": "prints what thv run prints of each server",
  serve: "stays in the foreground; what it does is in its log",
};
