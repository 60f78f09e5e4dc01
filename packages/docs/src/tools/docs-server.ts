/** The MCP server of the documentation, written with the official SDK: one object for each request or connection. */

import type { CallToolResult } from "@modelcontextprotocol/server";
import { McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import { BRAND } from "@toolhive/core/brand";
import { quote } from "@toolhive/http/values";
import { describeCommand } from "../library/describe-command.ts";
import { type DocsLibrary, readAnchor } from "../library/docs-library.ts";
import { explainError } from "../library/explain-error.ts";
import { FORMS } from "../library/forms.ts";
import { LEAST_PIECE_TOKENS, MAX_PIECE_TOKENS, readPiece } from "../library/read-page.ts";
import {
  ANSWER_TOKENS,
  DEFAULT_SECTIONS,
  FURTHER_SECTIONS,
  MAX_SECTIONS,
  type SectionAnswer,
  searchSections,
} from "../library/search-sections.ts";
import {
  ANSWER_SCHEMAS,
  answerCommand,
  answerFlag,
  answerOperation,
  asOutputSchema,
  type CommandAnswer,
  formatExplanation,
  formatSections,
} from "./answers.ts";
import { defineArguments } from "./arguments.ts";

/** No tool changes anything, whatever is asked, and none reads anything outside these pages. */
const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** Pages that completion offers; the protocol's limit. */
const MAX_COMPLETIONS = 100;
/** Members and elements of one call's arguments. */
const MAX_ARGUMENT_ELEMENTS = 100;
const PAGE_SCHEME = "docs:";

/** Instructions that a client gives its model before the first question. */
const INSTRUCTIONS = `${BRAND.product} runs MCP servers in containers, limits what each may reach, and gives clients a URL for each or one for a group of them; its command is ${BRAND.command}. Ask search_docs first, with the question in plain words, and read_page only when a section it found is cut. For an error code or a message pasted from a terminal ask explain_error, and for the exact flags of a command or the parameters of an API operation describe_command.`;

const SEARCH = defineArguments({
  query: { type: "string", description: "The question in plain words, a flag, an error, or lines of a log." },
  form: {
    type: "string",
    values: FORMS,
    description: "Leave out pages that are about another form of the product.",
    isOptional: true,
  },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: MAX_SECTIONS,
    description: `How many sections at most; when absent, ${DEFAULT_SECTIONS}, and up to ${DEFAULT_SECTIONS + FURTHER_SECTIONS} where they fit.`,
    isOptional: true,
  },
});

const READ = defineArguments({
  path: {
    type: "string",
    maxLength: 2_000,
    description: "Path or address of a page, perhaps with #section, as search_docs names it.",
  },
  section: { type: "string", maxLength: 300, description: "Title or anchor of one section.", isOptional: true },
  from: {
    type: "integer",
    minimum: 0,
    maximum: 10_000_000,
    description: "Where to read on: next of the piece before.",
    isOptional: true,
  },
  max_tokens: {
    type: "integer",
    minimum: LEAST_PIECE_TOKENS,
    maximum: MAX_PIECE_TOKENS,
    description: `Tokens of the piece at most; ${MAX_PIECE_TOKENS} when absent.`,
    isOptional: true,
  },
});

const EXPLAIN = defineArguments({
  error: { type: "string", description: "A code such as PORT_IN_USE, or the message as it was printed." },
});

const DESCRIBE = defineArguments({
  name: {
    type: "string",
    maxLength: 500,
    description:
      "A command (thv run), a flag (--isolate-network), both, a whole command line, or an operation of the API (POST /api/v1beta/workloads).",
  },
});

export interface DocsServerOptions {
  /** Why there is nothing to search, for the caller; with `undefined`, the caller receives the error. */
  readonly describeOutage?: (error: unknown) => string | undefined;
}

/** @param library The present library: each new server reads it again, so that it finds new pages. */
export function createDocsServer(library: DocsLibrary, { describeOutage }: DocsServerOptions = {}): McpServer {
  const server = new McpServer(
    {
      name: `${BRAND.docsSegment}-docs`,
      title: `${BRAND.product} documentation`,
      version: library.content.version.replace(/^v/, ""),
      websiteUrl: library.content.siteUrl,
    },
    {
      instructions: INSTRUCTIONS,
      maxToolInputElements: MAX_ARGUMENT_ELEMENTS,
      // The pages of one version stay as they are.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
    },
  );
  addSearch(server, library, describeOutage);
  addReading(server, library);
  addExplaining(server, library);
  addDescribing(server, library);
  addPages(server, library);
  return server;
}

function addSearch(server: McpServer, library: DocsLibrary, describeOutage: DocsServerOptions["describeOutage"]): void {
  const config = {
    title: "Search the documentation",
    description: `Finds the sections of the ${BRAND.product} documentation that answer a question, best first, with their text; at most ${ANSWER_TOKENS} tokens.`,
    inputSchema: SEARCH,
    outputSchema: asOutputSchema(ANSWER_SCHEMAS.search_docs),
    annotations: READ_ONLY,
  };
  server.registerTool("search_docs", config, async ({ query, form, limit }) => {
    let answer: SectionAnswer;
    try {
      answer = await searchSections(library, { question: query, form, limit });
    } catch (error) {
      const outage = describeOutage?.(error);
      if (outage === undefined) throw error;
      return refuse(outage);
    }
    const sections = answer.sections.map(({ titles, path, address, text, isWhole }) => ({
      title: titles.join(" > "),
      path,
      address,
      text,
      complete: isWhole,
    }));
    const structure = { query: answer.searched, sections, unknown_words: answer.unknown.map(({ word }) => word) };
    return say(formatSections(answer), structure);
  });
}

function addReading(server: McpServer, library: DocsLibrary): void {
  const config = {
    title: "Read a page",
    description: "The Markdown of a page or of one of its sections, in pieces.",
    inputSchema: READ,
    outputSchema: asOutputSchema(ANSWER_SCHEMAS.read_page),
    annotations: READ_ONLY,
  };
  server.registerTool(
    "read_page",
    config,
    ({ path: asked, section: wanted, from = 0, max_tokens: maxTokens = MAX_PIECE_TOKENS }) => {
      const page = library.findPage(asked);
      if (page === undefined) return refuse(describeMissingPage(library, asked));
      const titles = library.listSections(page).map(({ title }) => title);
      const name = wanted ?? readAnchor(asked);
      const section = name === "" ? undefined : library.findSection(page, name);
      // An anchor may be that of a row or a term: then the page is what was meant.
      if (section === undefined && wanted !== undefined) {
        return refuse(`${page.path} has no section "${wanted.slice(0, 100)}". It has: ${titles.slice(1).join("; ")}.`);
      }
      const { text, next } = readPiece(library, page, { section, from, maxTokens });
      if (text === "" && from > 0)
        return refuse(`Nothing stands behind ${from} in ${page.path}. Read it without "from".`);
      const address = library.formatAddress(page.path);
      const structure = {
        path: page.path,
        title: page.title,
        address,
        text,
        sections: titles.slice(1),
        ...(next !== undefined && { next }),
      };
      const more = next === undefined ? "" : `\n\n(More: read_page with the same path and from ${next}.)`;
      return say(`${text}${more}`, structure);
    },
  );
}

function addExplaining(server: McpServer, library: DocsLibrary): void {
  const config = {
    title: "Explain an error",
    description: `What an error of ${BRAND.command}, its API or the programs around it means, why it happens and what to do.`,
    inputSchema: EXPLAIN,
    outputSchema: asOutputSchema(ANSWER_SCHEMAS.explain_error),
    annotations: READ_ONLY,
  };
  server.registerTool("explain_error", config, ({ error }) => {
    const found = explainError(library, error);
    if (found === undefined) {
      const asked = quote(error, 200);
      return refuse(
        `No known error fits ${asked}. Pass a code of ${BRAND.docsSegment}/reference/errors, or the line that says what failed; or ask search_docs for it.`,
      );
    }
    const { exitCode, ...rest } = found;
    return say(formatExplanation(found), { ...rest, ...(exitCode !== undefined && { exit_code: exitCode }) });
  });
}

function addDescribing(server: McpServer, library: DocsLibrary): void {
  const config = {
    title: "Describe a command",
    description: `Usage, options and examples of a command of ${BRAND.command}, what a flag does, or the parameters and body fields of an operation of the HTTP API.`,
    inputSchema: DESCRIBE,
    outputSchema: asOutputSchema(ANSWER_SCHEMAS.describe_command),
    annotations: READ_ONLY,
  };
  server.registerTool("describe_command", config, ({ name }) => {
    const found = describeCommand(library, name);
    if (found.kind === "unknown") {
      const near =
        found.nearest.length === 0
          ? `See all commands: describe_command with "${BRAND.command}".`
          : `Near: ${found.nearest.join(", ")}.`;
      return refuse(`There is no command, flag or operation ${quote(name, 100)}. ${near}`);
    }
    const answer: CommandAnswer =
      found.kind === "command"
        ? answerCommand(found.command, found.flags, library.formatAddress(found.command.path))
        : found.kind === "flag"
          ? answerFlag(found.name, found.uses, (path) => library.formatAddress(path))
          : answerOperation(found.operation, found.fields, library.formatAddress(found.operation.path));
    return say(answer.text, answer.structure);
  });
}

/** Every page is a resource of its own address within the documentation: `docs:///toolhive/faq`. */
function addPages(server: McpServer, library: DocsLibrary): void {
  const { pages } = library.content;
  const template = new ResourceTemplate(`${PAGE_SCHEME}///{+path}`, {
    list: () => ({
      resources: pages.map(({ path, title, description, markdown }) => ({
        uri: `${PAGE_SCHEME}//${path}`,
        name: path,
        title,
        description,
        mimeType: "text/markdown",
        size: Buffer.byteLength(markdown),
      })),
    }),
    complete: {
      path: (begin) => {
        const paths = pages.map(({ path }) => path.slice(1));
        const beginning = paths.filter((path) => path.startsWith(begin));
        return (beginning.length > 0 ? beginning : paths.filter((path) => path.includes(begin))).slice(
          0,
          MAX_COMPLETIONS,
        );
      },
    },
  });
  const about = { title: "Page of the documentation", description: "Its Markdown.", mimeType: "text/markdown" };
  server.registerResource("page", template, about, (uri) => {
    const page = library.findPage(uri.pathname);
    if (page === undefined) throw new ResourceNotFoundError(uri.href, describeMissingPage(library, uri.pathname));
    return { contents: [{ uri: uri.href, mimeType: "text/markdown", text: page.markdown }] };
  });
}

export function describeMissingPage(library: DocsLibrary, asked: string): string {
  const near = library.findNearestPaths(asked).join(", ");
  return `There is no page "${asked.slice(0, 200)}" in version ${library.content.version}. Near: ${near}.`;
}

function say(text: string, structure: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: { ...structure } };
}

/** An error that the model reads and can do something about. */
function refuse(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
