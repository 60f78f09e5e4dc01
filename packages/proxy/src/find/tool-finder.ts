/**
 * What is found, and for whom: reads all pages of the list that a caller would see, and keeps the index of a list for as long as it
 * is the same.
 */
import { createHash } from "node:crypto";
import { readToolPage } from "./find-calls.ts";
import { type FindableTool, ToolIndex } from "./tool-index.ts";

/** Tools, pages and bytes of definitions that are searched. */
const MAX_TOOLS = 10_000;
const MAX_PAGES = 100;
const MAX_BYTES = 32 * 1024 * 1024;
/** Different lists: callers may see different ones. */
const MAX_INDEXES = 8;
/** Callers whose last list is remembered, so that a call by a known name needs no list. */
const MAX_CALLERS = 1_000;

export interface SearchedTools {
  readonly index: ToolIndex;
  /** Whether there are more tools than are searched. */
  readonly hasUnread: boolean;
}

/** Asks for one page, and settles with the answer, an error among them. */
export type AskPage = (cursor: string | undefined) => Promise<Buffer>;

export class ToolFinder {
  readonly #findServer: (name: string) => string | undefined;
  /** By their digest, least recently used first. */
  readonly #indexes = new Map<string, SearchedTools>();
  readonly #lastSeen = new Map<string, ToolIndex>();

  /** @param findServer The server that has a tool, where there are several. */
  constructor(findServer: (name: string) => string | undefined = () => undefined) {
    this.#findServer = findServer;
  }

  /** Whether a caller's last list had a tool. It may have been removed by now, and then its server answers with an error. */
  hasSeen(caller: string, name: string): boolean {
    return this.#lastSeen.get(caller)?.has(name) === true;
  }

  /** @returns The tools that a caller sees now; the answer in their place when it is no list. */
  async read(caller: string, ask: AskPage): Promise<SearchedTools | { readonly answer: Buffer }> {
    const tools: FindableTool[] = [];
    let bytes = 0;
    let cursor: string | undefined;
    let pages = 0;
    do {
      const answer = await ask(cursor);
      const page = readToolPage(answer, MAX_TOOLS - tools.length);
      if (page === undefined) return { answer };
      tools.push(...page.tools);
      bytes += page.bytes;
      pages += 1;
      cursor = page.nextCursor;
    } while (cursor !== undefined && pages < MAX_PAGES && tools.length < MAX_TOOLS && bytes < MAX_BYTES);
    const searched = this.#index(tools, cursor !== undefined || tools.length >= MAX_TOOLS);
    if (this.#lastSeen.size >= MAX_CALLERS) this.#lastSeen.clear();
    this.#lastSeen.set(caller, searched.index);
    return searched;
  }

  #index(listed: readonly FindableTool[], hasUnread: boolean): SearchedTools {
    // A server that has a name twice means one thing by it.
    const once = [...new Map(listed.map((tool) => [tool.name, tool])).values()];
    const tools = once.map((tool) => ({ ...tool, server: this.#findServer(tool.name) }));
    const digest = createHash("sha256");
    for (const { text, server = "" } of tools) digest.update(`${text}\0${server}\0`);
    const key = digest.digest("base64") + hasUnread;
    const known = this.#indexes.get(key) ?? { index: new ToolIndex(tools), hasUnread };
    this.#indexes.delete(key);
    this.#indexes.set(key, known);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > MAX_INDEXES && oldest !== undefined) this.#indexes.delete(oldest);
    return known;
  }
}
