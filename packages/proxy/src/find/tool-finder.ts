/**
 * Answers requests of clients that find tools instead of listing them: searches the list that the client itself would get, so that
 * whatever hides a tool from a client also keeps it from being found. The index of a list is kept for as long as the list is the same.
 */
import { createHash } from "node:crypto";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { copySpan } from "../messages/json-rpc.ts";
import { isPastEnd } from "../messages/lists/list-pages.ts";
import { type Ending, readOutcome } from "../observe/observer.ts";
import type { Relay } from "../relay/relay.ts";
import {
  createFailedReply,
  createFoundReply,
  createListRequest,
  createUnlistedReply,
  describeUnknown,
  type FindCall,
  readToolPage,
  type ToolPage,
} from "./find-calls.ts";
import { type FindableTool, ToolIndex } from "./tool-index.ts";

/** Tools, pages and bytes of definitions that are searched. */
const MAX_TOOLS = 10_000;
const MAX_PAGES = 100;
const MAX_BYTES = 32 * 1024 * 1024;
/** Different lists: callers may see different ones. */
const MAX_INDEXES = 8;
/** Callers whose last list is remembered, so that a call by a known name needs no list. */
const MAX_CALLERS = 1_000;

interface SearchedTools {
  readonly index: ToolIndex;
  /** Whether there are more tools than are searched. */
  readonly hasUnread: boolean;
}

export interface ToolFinderOptions {
  readonly admission: Relay["admission"];
  /** The server that has a tool, where there are several. */
  readonly findServer?: ((name: string) => string | undefined) | undefined;
}

/** The client that sent a request. */
export interface FindingClient {
  readonly caller: Caller;
  /** Requests a page of the list in the client's name. @returns `undefined` when the client waits for no answer any more. */
  readonly askPage: (list: ClientMessage) => Promise<Buffer | undefined>;
  readonly respond: (answer: Buffer) => void;
}

export class ToolFinder {
  readonly #options: ToolFinderOptions;
  /** By their digest, least recently used first. */
  readonly #indexes = new Map<string, SearchedTools>();
  readonly #lastSeen = new Map<string, ToolIndex>();

  constructor(options: ToolFinderOptions) {
    this.#options = options;
  }

  /** Whether the server is to answer, as far as is known without its list. */
  isForServer({ id }: Caller, call: FindCall): boolean {
    // A tool of the last list may have been removed by now, and then its server answers with an error.
    if (call.kind === "call") return this.#lastSeen.get(id)?.has(call.name) === true;
    return call.kind === "other" || call.kind === "list";
  }

  /** @returns Whether the client has its answer, or waits for none any more; otherwise the server is to answer. */
  async answer(call: FindCall, client: FindingClient): Promise<boolean> {
    if (this.isForServer(client.caller, call)) return false;
    if (call.kind === "find") await this.#search(call, client);
    else if (call.kind === "call") return await this.#refuseUnknown(call, client);
    else if (call.kind === "refuse") this.#fail(call.message, client, { reason: call.reason, outcome: "error" });
    return true;
  }

  async #search(call: FindCall & { readonly kind: "find" }, client: FindingClient): Promise<void> {
    const { message, query, limit } = call;
    const observation = this.#options.admission.observe(client.caller, message);
    let ending: Ending = { outcome: "error", response: undefined };
    try {
      const list = await this.#read(message, client);
      if (list === undefined) {
        ending = { outcome: "failure", response: undefined };
        return;
      }
      const id = copyId(message);
      const response =
        "answer" in list
          ? createUnlistedReply(id, list.answer)
          : createFoundReply(id, { found: list.index.search(query, limit), hasUnread: list.hasUnread });
      ending = { outcome: readOutcome(response), response };
      client.respond(response);
    } finally {
      observation?.end(ending);
    }
  }

  /** A name that the client's last list did not have is looked up in the present one. */
  async #refuseUnknown(
    { name, message }: FindCall & { readonly kind: "call" },
    client: FindingClient,
  ): Promise<boolean> {
    const list = await this.#read(message, client);
    if (list === undefined) return true;
    // Where not all is searched, or there is no list, the server knows.
    if ("answer" in list || list.index.has(name) || list.hasUnread) return false;
    const isDenied = this.#options.admission.findRefusal(client.caller, message) !== undefined;
    const reason = describeUnknown(name, list.index);
    this.#fail(message, client, { reason, outcome: isDenied ? "denied" : "error" });
    return true;
  }

  #fail(
    message: ClientMessage,
    { caller, respond }: FindingClient,
    { reason, outcome }: Pick<Ending, "outcome"> & { readonly reason: string },
  ): void {
    const response = createFailedReply(copyId(message), reason);
    this.#options.admission.observe(caller, message)?.end({ outcome, response });
    respond(response);
  }

  /** Reads all pages. @returns The answer in the place of a list when it is none; `undefined` when the client waits no more. */
  async #read(
    message: ClientMessage,
    { caller, askPage }: FindingClient,
  ): Promise<SearchedTools | { readonly answer: Buffer } | undefined> {
    const tools: FindableTool[] = [];
    let bytes = 0;
    let cursor: string | undefined;
    let pages = 0;
    let previous: ToolPage | undefined;
    do {
      const answer = await askPage(createListRequest(message, cursor));
      if (answer === undefined) return undefined;
      const page = readToolPage(answer, MAX_TOOLS - tools.length);
      if (isPastEnd(cursor, page, previous)) {
        cursor = undefined;
        break;
      }
      if (page === undefined) return { answer };
      tools.push(...page.tools);
      bytes += page.text.length;
      pages += 1;
      previous = page;
      cursor = page.nextCursor;
    } while (cursor !== undefined && pages < MAX_PAGES && tools.length < MAX_TOOLS && bytes < MAX_BYTES);
    const searched = this.#index(tools, cursor !== undefined || tools.length >= MAX_TOOLS);
    if (this.#lastSeen.size >= MAX_CALLERS) this.#lastSeen.clear();
    this.#lastSeen.set(caller.id, searched.index);
    return searched;
  }

  #index(listed: readonly FindableTool[], hasUnread: boolean): SearchedTools {
    // A server that has a name twice means one thing by it.
    const once = [...new Map(listed.map((tool) => [tool.name, tool])).values()];
    const tools = once.map((tool) => ({ ...tool, server: this.#options.findServer?.(tool.name) }));
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

function copyId({ envelope }: ClientMessage): Buffer {
  return envelope.id === undefined ? Buffer.from("null") : copySpan(envelope.text, envelope.id);
}
