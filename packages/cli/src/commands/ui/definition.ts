/** `thv ui`, which the reference has as an application of its own. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const UI = {
  path: ["ui"],
  summary: "Open ToolHive in the browser",
  description:
    "Serves the web application on 127.0.0.1 and opens it in your browser. The URL that it prints signs in one browser, once, within five minutes; the browser stays signed in for 30 days. To use a browser on another machine, print the URL with --no-browser, forward the port with ssh -L, and open the URL there.",
  positionals: [],
  flags: {
    port: { kind: "port", summary: "Port of the application; default: 8484, or a free one" },
    "no-browser": { kind: "bool", summary: "Print the URL only" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Open the application", command: "thv ui" },
    { summary: "Print the URL, on a machine without a screen", command: "thv ui --no-browser" },
  ],
} as const satisfies CommandDefinition;

export const UI_COMMAND: Command = defineCommand(UI, async () => (await import("./ui.ts")).openUi);
