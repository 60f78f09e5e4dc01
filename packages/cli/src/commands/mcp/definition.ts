/** `thv mcp` and its commands. Source: cli.md 3.3. */
import { type Command, type CommandDefinition, type CommandGroup, defineCommand } from "../../command-line/command.ts";
import type { Flag, Flags, Positional } from "../../command-line/flag.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const MCP_GROUP: CommandGroup = {
  path: ["mcp"],
  summary: "List what MCP servers offer, and use it",
  description: "Connects as an MCP client, so the output is what clients get.",
};

const FLAGS = {
  server: {
    kind: "string",
    isRequired: true,
    completes: "workload-or-group",
    summary: "Name of a server or a group, or the URL of any MCP endpoint",
  },
  timeout: {
    kind: "duration",
    isPositive: true,
    default: "30s",
    summary: "Time limit for connecting and all responses together",
  },
  format: FORMAT_FLAG,
} as const satisfies Flags;

const SERVER = {
  name: "SERVER",
  summary: FLAGS.server.summary,
  completes: "workload-or-group",
} as const satisfies Positional;
const ANSWER_TIMEOUT = {
  ...FLAGS.timeout,
  default: "2m",
  summary: "Time limit for connecting and the response together",
} as const satisfies Flag;

const KINDS = ["prompts", "resources", "tools"] as const;

export const MCP_LIST = {
  path: ["mcp", "list"],
  summary: "List the tools, resources and prompts of a server",
  description:
    "Supports streamable HTTP and HTTP with SSE, with and without sessions, and reads every page of an answer. It leaves out a kind that the server does not have, and warns of a kind that the server cannot list.",
  positionals: [],
  flags: FLAGS,
  examples: [
    { summary: "List what a server of thv offers", command: "thv mcp list --server everything" },
    { summary: "List what any MCP endpoint offers", command: "thv mcp list --server http://127.0.0.1:8000/mcp" },
  ],
} as const satisfies CommandDefinition;

export const MCP_CALL = {
  path: ["mcp", "call"],
  summary: "Call a tool of a server",
  description:
    "Prints the text of the answer, and the type and size of images, audio and other files. --format json prints everything that the server returns. If the tool reports an error, the command fails. It does not answer requests of the server during the call: use thv ui for those.",
  positionals: [SERVER, { name: "TOOL", summary: "Name of the tool, as thv mcp list tools shows it" }],
  flags: {
    arg: {
      kind: "stringArray",
      summary:
        "Argument of the tool, NAME=VALUE, converted to the type in the tool's schema; may be repeated, also for the items of a list",
    },
    json: { kind: "string", summary: "Arguments of the tool as a JSON object; --arg overrides its members" },
    arguments: { kind: "string", hidden: true, summary: "The same as --json" },
    timeout: ANSWER_TIMEOUT,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Call a tool with an argument", command: "thv mcp call everything echo --arg message=hello" },
    {
      summary: "Pass the arguments as JSON",
      command: `thv mcp call everything get-sum --json '{"a": 2, "b": 40}'`,
    },
    {
      summary: "Read the whole answer in a script",
      command: "thv mcp call everything get-structured-content --arg location=Chicago --format json",
    },
  ],
} as const satisfies CommandDefinition;

export const MCP_READ = {
  path: ["mcp", "read"],
  summary: "Read a resource of a server",
  description:
    "Prints the text of the resource, or the type and size of other content. --format json prints everything that the server returns.",
  positionals: [
    SERVER,
    { name: "URI", summary: "URI of the resource, as thv mcp list resources shows it, or made from a template" },
  ],
  flags: { timeout: ANSWER_TIMEOUT, format: FORMAT_FLAG },
  examples: [
    {
      summary: "Read a resource",
      command: "thv mcp read everything demo://resource/static/document/features.md",
    },
  ],
} as const satisfies CommandDefinition;

export const MCP_GET = {
  path: ["mcp", "get"],
  summary: "Get a prompt of a server",
  description:
    "Prints the messages of the prompt, each after its role. --format json prints everything that the server returns.",
  positionals: [SERVER, { name: "PROMPT", summary: "Name of the prompt, as thv mcp list prompts shows it" }],
  flags: {
    arg: { kind: "stringArray", summary: "Argument of the prompt, NAME=VALUE; may be repeated" },
    timeout: ANSWER_TIMEOUT,
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Get a prompt with an argument", command: "thv mcp get everything args-prompt --arg city=Paris" },
  ],
} as const satisfies CommandDefinition;

export const MCP_PING = {
  path: ["mcp", "ping"],
  summary: "Check that a server answers",
  description:
    "Connects to the server and measures one round trip: a ping, or server/discover in protocol revisions without ping.",
  positionals: [SERVER],
  flags: { timeout: FLAGS.timeout, format: FORMAT_FLAG },
  examples: [{ summary: "Check a server", command: "thv mcp ping everything" }],
} as const satisfies CommandDefinition;

export const MCP_COMMANDS: readonly Command[] = [
  defineCommand(MCP_LIST, async () => (await import("./list.ts")).listAll),
  defineCommand(MCP_CALL, async () => (await import("./call.ts")).call),
  defineCommand(MCP_READ, async () => (await import("./read.ts")).readResource),
  defineCommand(MCP_GET, async () => (await import("./get.ts")).getPrompt),
  defineCommand(MCP_PING, async () => (await import("./ping.ts")).pingServer),
  ...KINDS.map((kind) =>
    defineCommand(
      {
        path: ["mcp", "list", kind],
        summary: `List the ${kind} of a server`,
        positionals: [],
        flags: MCP_LIST.flags,
        examples: [
          { summary: `Show the ${kind}`, command: `thv mcp list ${kind} --server everything` },
          {
            summary: "Read all details in a script",
            command: `thv mcp list ${kind} --server everything --format json`,
          },
        ],
      },
      async () => (await import("./list.ts")).listKind(kind),
    ),
  ),
];
