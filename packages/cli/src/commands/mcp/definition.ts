/** `thv mcp` and its commands. Source: cli.md 3.3. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Flags } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/format-flag.ts";

export const MCP_GROUP: CommandGroup = {
  path: ["mcp"],
  summary: "List what MCP servers offer, and call their tools",
  description: "Connects as an MCP client, so the output is what clients get.",
};

const FLAGS = {
  server: {
    kind: "string",
    isRequired: true,
    completes: "workload",
    summary: "Name of a workload, or the URL of any MCP endpoint",
  },
  timeout: {
    kind: "duration",
    isPositive: true,
    default: "30s",
    summary: "Time limit for connecting and all responses together",
  },
  format: FORMAT_FLAG,
} as const satisfies Flags;

const KINDS = ["prompts", "resources", "tools"] as const;

export const MCP_LIST = {
  path: ["mcp", "list"],
  summary: "List the tools, resources and prompts of a server",
  description:
    "Speaks streamable HTTP and HTTP with SSE, in both protocol eras, and reads every page of an answer. A kind that the server does not have is left out; one that it cannot list is a warning.",
  positionals: [],
  flags: FLAGS,
  examples: [
    { summary: "Of a server of thv", command: "thv mcp list --server everything" },
    { summary: "Of any endpoint", command: "thv mcp list --server http://127.0.0.1:8000/mcp" },
  ],
} as const satisfies CommandDefinition;

export const MCP_CALL = {
  path: ["mcp", "call"],
  summary: "Call a tool of a server",
  description:
    "Prints the text of the answer; images, audio and other files only with their type and size. --format json prints everything that the server returns. A tool that reports an error is a failure. Questions of the server during the call are not answered here: thv ui asks you for the answers.",
  positionals: [
    { name: "SERVER", summary: FLAGS.server.summary, completes: "workload" },
    { name: "TOOL", summary: "Name of the tool, as thv mcp list tools shows it" },
  ],
  flags: {
    arguments: { kind: "string", default: "{}", summary: "Arguments of the tool, as a JSON object" },
    timeout: { ...FLAGS.timeout, default: "2m", summary: "Time limit for connecting and the response together" },
    format: FORMAT_FLAG,
  },
  examples: [
    {
      summary: "Call a tool with arguments",
      command: `thv mcp call everything echo --arguments '{"message": "hello"}'`,
    },
    {
      summary: "Read the whole answer in a script",
      command: `thv mcp call everything get-structured-content --arguments '{"location": "Chicago"}' --format json`,
    },
  ],
} as const satisfies CommandDefinition;

export const MCP_COMMANDS: readonly Command[] = [
  defineCommand(MCP_LIST, async () => (await import("./list.ts")).listAll),
  defineCommand(MCP_CALL, async () => (await import("./call.ts")).call),
  ...KINDS.map((kind) =>
    defineCommand(
      {
        path: ["mcp", "list", kind],
        summary: `List the ${kind} of a server`,
        positionals: [],
        flags: MCP_LIST.flags,
        examples: [
          { summary: "Show them", command: `thv mcp list ${kind} --server everything` },
          {
            summary: "Read everything about them in a script",
            command: `thv mcp list ${kind} --server everything --format json`,
          },
        ],
      },
      async () => (await import("./list.ts")).listKind(kind),
    ),
  ),
];
