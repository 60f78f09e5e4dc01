/** `thv docs`: the documentation of this version, without a network. The reference has none. */
import { type Command, type CommandDefinition, defineCommand } from "../../command-line/command.ts";
import { FORMAT_FLAG } from "../shared/flags/format-flag.ts";

export const DOCS = {
  path: ["docs"],
  summary: "Search and read the documentation of this version",
  description:
    "With words, finds the sections that answer them. With the path of a page, shows that page, or one section of it: PATH#SECTION. Without either, lists all pages. Nothing is sent anywhere, because the pages come with thv. On a terminal, long texts open in the pager; in a pipe, they are Markdown.",
  positionals: [
    { name: "WORDS", summary: "Words to search for, or the path of a page", isOptional: true, isRepeated: true },
  ],
  flags: {
    limit: {
      kind: "int",
      min: 1,
      max: 10,
      default: 5,
      unit: "sections",
      summary: "Number of sections that a search shows",
    },
    web: { kind: "bool", summary: "Open the page, or the search, in the browser" },
    "no-pager": { kind: "bool", summary: "Print without the pager" },
    format: FORMAT_FLAG,
  },
  examples: [
    { summary: "Search", command: "thv docs isolate network" },
    { summary: "Read a page", command: "thv docs guides-cli/custom-permissions" },
    { summary: "List all pages", command: "thv docs" },
    { summary: "Save a page as Markdown", command: "thv docs faq > faq.md" },
  ],
} as const satisfies CommandDefinition;

export const DOCS_MCP = {
  path: ["docs", "mcp"],
  summary: "Answer MCP clients from the documentation, on standard input and output",
  description:
    "An MCP server on stdio for assistants: search_docs, read_page, explain_error and describe_command answer from the pages that come with thv. A client starts it with the command thv and the arguments docs and mcp.",
  positionals: [],
  flags: {},
  examples: [
    { summary: "Try the server by hand, with a request on standard input", command: "thv docs mcp < requests.jsonl" },
  ],
} as const satisfies CommandDefinition;

export const DOCS_COMMANDS: readonly Command[] = [
  defineCommand(DOCS, async () => (await import("./show-docs.ts")).showDocs),
  defineCommand(DOCS_MCP, async () => (await import("./serve-docs.ts")).serveDocs),
];
