/** `thv docs`: sections that answer, a page, or the list of pages; on a terminal for the eye, elsewhere as Markdown. */
import { BRAND } from "@toolhive/core/brand";
import { ThvError } from "@toolhive/core/errors";
import { type DocsLibrary, type FoundSection, PackError, readAnchor, searchSections } from "@toolhive/docs";
import { shorten } from "@toolhive/http/values";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { showPaged } from "../../terminal/pager.ts";
import { plainMarkdown, renderMarkdown } from "../../terminal/render-markdown.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { wrap } from "../../terminal/wrap.ts";
import { openBrowser } from "../shared/browser/open-browser.ts";
import type { DOCS } from "./definition.ts";
import { openOwnDocs } from "./own-docs.ts";

/** A program that opens no page: what it shows of each hit, in characters. */
const EXCERPT_CHARACTERS = 240;
/** A section beside others; its page has the rest. */
const FOUND_TOKENS = 2_500;
const SEGMENT = `/${BRAND.docsSegment}`;

interface Shown {
  readonly query: string;
  readonly sections: readonly FoundSection[];
}

export const showDocs: CommandHandler<typeof DOCS> = async (input, context) => {
  const { terminal, env } = context;
  const query = input.positionals.join(" ").trim();
  const { library, warning } = await openOwnDocs(env);
  if (warning !== undefined) terminal.infoProse(`${terminal.err("yellow", "Warning:")} ${warning}`);
  if (input.web) return openWeb(library, query, context);
  const page = query === "" ? listPages(library) : findPage(library, query);
  const shown = page ?? { query, sections: await search(library, query, input.limit) };
  if (input.format === "json") {
    terminal.printJson({ query, sections: shown.sections.map(toJson) });
    return;
  }
  if (page === undefined && shown.sections.length === 0) {
    terminal.infoProse(
      `No page of the documentation has "${shorten(query, 100)}". Try other words, or list the pages: thv docs`,
    );
    return;
  }
  await show(shown, { context, isSearch: page === undefined, usesPager: !input.noPager });
};

function toJson({ titles, path, address, text, isWhole }: FoundSection) {
  return { title: titles.join(" > "), path, url: address, text, complete: isWhole };
}

/** Every page, with its subject. */
function listPages(library: DocsLibrary): Shown {
  const sections = library.content.pages.map(({ path, title, description }) => ({
    titles: [title],
    path,
    address: library.formatAddress(path),
    text: description,
    isWhole: false,
  }));
  return { query: "", sections };
}

/**
 * The page that the words name by its path, whole or with one section.
 *
 * @returns `undefined` for words to search.
 * @throws {ThvError} `INVALID_ARGUMENT` for what can only be a path, and is none.
 */
function findPage(library: DocsLibrary, query: string): Shown | undefined {
  const isPath = !/\s/.test(query) && /^(?:https?:\/\/|\/)|^[\w.-]+\/[\w./-]+(?:#.*)?$/.test(query);
  const page = /\s/.test(query) ? undefined : library.findPage(query);
  if (page === undefined) {
    if (!isPath) return undefined;
    const near = library.findNearestPaths(query).map((path) => `${BRAND.command} docs ${shortPath(path)}`);
    const { version } = library.content;
    throw new ThvError("INVALID_ARGUMENT", `The documentation of ${version} has no page "${shorten(query, 200)}".`, {
      hint: `Near: ${near.join(", ")}. All pages: ${BRAND.command} docs`,
    });
  }
  const anchor = readAnchor(query);
  const section = anchor === "" ? undefined : library.findSection(page, anchor);
  const [start, end] = section === undefined ? [0, page.markdown.length] : [section.start, section.endOfAll];
  const path = section === undefined ? page.path : `${page.path}#${section.anchor ?? ""}`;
  const titles = section === undefined ? [page.title] : [page.title, section.title];
  const text = library.shorten(page.markdown.slice(start, end)).trim();
  return { query, sections: [{ titles, path, address: library.formatAddress(path), text, isWhole: true }] };
}

async function search(library: DocsLibrary, question: string, limit: number): Promise<readonly FoundSection[]> {
  try {
    return (await searchSections(library, { question, limit, maxTokens: FOUND_TOKENS })).sections;
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    throw new ThvError("NOT_SUPPORTED", `The documentation cannot be searched: ${error.message}.`, {
      hint: "Its pages can be read: thv docs lists them.",
    });
  }
}

interface ShowOptions {
  readonly context: CommandContext;
  readonly isSearch: boolean;
  readonly usesPager: boolean;
}

async function show({ query, sections }: Shown, { context, isSearch, usesPager }: ShowOptions): Promise<void> {
  const { terminal, env, signal } = context;
  const isList = query === "";
  if (!terminal.isOutputTerminal) {
    terminal.print(
      sections.map((section) => formatMarkdown(section, { isSearch, isList })).join(isList ? "\n" : "\n\n"),
    );
    return;
  }
  const parts = sections.map((section, index) => {
    if (isList || isSearch) return formatHit(section, index, terminal);
    return renderMarkdown(section.text, describeScreen(terminal));
  });
  const text = `${parts.join("\n\n")}\n`;
  const first = sections[0]?.path ?? "";
  const hint = isList || isSearch ? `Read one: ${BRAND.command} docs ${shortPath(first)}` : "";
  if (usesPager && (await showPaged(terminal.encode(text), { env, signal, rows: terminal.rows }))) return;
  terminal.write(text);
  if (hint !== "") terminal.infoProse(`\n${terminal.err("dim", hint)}`);
}

function describeScreen(terminal: Terminal) {
  return {
    width: terminal.width,
    isUtf8: terminal.isUtf8,
    paint: (style: Parameters<Terminal["out"]>[0], text: string) => terminal.out(style, text),
    shortenLink: (address: string) => (address.startsWith(`${SEGMENT}/`) ? shortPath(address) : address),
  };
}

/** For who chooses what to read: title, path, and the beginning of the text. */
function formatHit({ titles, path, text }: FoundSection, index: number, terminal: Terminal): string {
  const { width } = terminal;
  const excerpt = shorten(plainMarkdown(text), EXCERPT_CHARACTERS);
  return [
    wrap(terminal.out("bold", titles.join(" > ")), width, `${index + 1}. `),
    wrap(terminal.out("cyan", shortPath(path)), width, "   "),
    ...(excerpt === "" ? [] : [wrap(excerpt, width, "   ")]),
  ].join("\n");
}

function formatMarkdown(
  { titles, path, text }: FoundSection,
  { isSearch, isList }: { readonly isSearch: boolean; readonly isList: boolean },
): string {
  if (isList) return `- ${shortPath(path)}: ${titles.join(" > ")}. ${text}`;
  return isSearch ? `## ${titles.join(" > ")}\n\n\`${BRAND.command} docs ${shortPath(path)}\`\n\n${text}` : text;
}

/** Without the segment that all but the home page have. */
function shortPath(path: string): string {
  return path.startsWith(`${SEGMENT}/`) ? path.slice(SEGMENT.length + 1) : path;
}

function openWeb(library: DocsLibrary, query: string, { terminal, env }: CommandContext): void {
  const page = query === "" ? undefined : library.findPage(query);
  const anchor = readAnchor(query);
  const path =
    query === ""
      ? SEGMENT
      : page === undefined
        ? `/search?q=${encodeURIComponent(query)}`
        : `${page.path}${anchor === "" ? "" : `#${encodeURIComponent(anchor)}`}`;
  const address = library.formatAddress(path);
  terminal.print(address);
  openBrowser(address, env);
}
