/** The session of a group's own at one server: reads its lists, and is notified when they change. */
import { BRAND } from "@toolhive/core/brand";
import { isRecord } from "@toolhive/http/values";
import { readErrorCode } from "../../messages/error-code.ts";
import {
  copySpan,
  createErrorReply,
  createResultReply,
  type Envelope,
  RPC_ERRORS,
  readAnswerId,
  readEnvelope,
} from "../../messages/json-rpc.ts";
import { isPastEnd } from "../../messages/lists/list-pages.ts";
import { LIST_CHANGED, PROGRESS } from "../../messages/methods.ts";
import type { GroupLimits } from "../../options/group-limits.ts";
import {
  type Definition,
  type Definitions,
  LIST_NAMES,
  LISTS,
  type ListName,
  type ListPage,
  readListPage,
} from "../catalog/definitions.ts";
import { readErrorMessage } from "../upstream/initialize-answer.ts";
import type { Upstream, UpstreamHandler } from "../upstream/upstream.ts";

/** Above the ids of clients' requests, which pass through the same session where a server accepts no second one. */
const FIRST_ID = 2 ** 31 - 2 ** 20;
const TICK_MS = 10_000;
/** Of ten seconds each: lists are read again after five minutes, for servers that send no notifications of changes. */
const RELIST_TICKS = 30;

export class ListReader implements UpstreamHandler {
  upstream: Upstream | undefined;
  /** Called when the reader has closed its session. */
  onClosed: () => void = () => undefined;
  readonly #limits: GroupLimits;
  readonly #onProgress: (envelope: Envelope) => void;
  readonly #waiting = new Map<number, { resolve: (answer: Buffer) => void; reject: (reason: Error) => void }>();
  #nextId = FIRST_ID;
  #bytes = 0;
  #hasChanged = false;
  #ended: Error | undefined;
  #wake: () => void = () => undefined;

  /** @param onProgress Called with progress that a server without sessions sends here: it does not know one stream from another. */
  constructor(limits: GroupLimits, onProgress: (envelope: Envelope) => void = () => undefined) {
    this.#limits = limits;
    this.#onProgress = onProgress;
  }

  onMessage(text: Buffer): void {
    const envelope = readEnvelope(text);
    if (envelope?.kind === "response") {
      const id = readAnswerId(text, envelope.id);
      const waiting = id === undefined ? undefined : this.#waiting.get(id);
      if (id !== undefined) this.#waiting.delete(id);
      waiting?.resolve(Buffer.from(text));
    } else if (envelope?.kind === "request" && envelope.id !== undefined) {
      // It belongs to no client.
      const id = copySpan(text, envelope.id);
      const message = "This session belongs to no client.";
      const isPing = envelope.method === "ping";
      const answer = isPing ? createResultReply(id, "{}") : createErrorReply(id, RPC_ERRORS.METHOD_NOT_FOUND, message);
      this.upstream?.send([answer], undefined);
    } else if (envelope !== undefined && LIST_CHANGED.test(envelope.method)) {
      this.#hasChanged = true;
      this.#wake();
    } else if (envelope?.method === PROGRESS) this.#onProgress(envelope);
  }

  isAwaited(id: number): boolean {
    return this.#waiting.has(id);
  }

  onFailed(id: number, { reason }: { readonly reason: string }): void {
    this.#waiting.get(id)?.reject(new Error(reason));
    this.#waiting.delete(id);
  }

  onEnd(reason: string): void {
    this.#ended = new Error(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
    this.#wake();
  }

  async readAll(): Promise<Definitions> {
    this.#hasChanged = false;
    this.#bytes = 0;
    const { upstream } = this;
    const result: unknown = JSON.parse(upstream?.result.toString("utf8") ?? "{}");
    const { capabilities, instructions } = isRecord(result) ? result : {};
    const declared = isRecord(capabilities) ? capabilities : {};
    const lists: Record<ListName, readonly Definition[]> = { tools: [], prompts: [], resources: [], templates: [] };
    for (const list of LIST_NAMES) {
      if (isRecord(declared[LISTS[list].capability])) lists[list] = await this.#readList(list);
    }
    return { lists, instructions: typeof instructions === "string" ? instructions : undefined };
  }

  /**
   * Also returns now and then without a change: a session ends when it is not used, and not every server sends notifications.
   * @throws When it has ended.
   */
  async untilChanged(signal: AbortSignal): Promise<void> {
    let ticks = 0;
    while (!this.#hasChanged && this.#ended === undefined && ticks < RELIST_TICKS) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await pause(TICK_MS, signal, woken.signal);
      signal.throwIfAborted();
      this.upstream?.touch();
      ticks += 1;
    }
    if (this.#ended !== undefined) throw this.#ended;
  }

  close(): void {
    this.upstream?.close();
    this.onEnd("the session was closed");
    this.onClosed();
  }

  async #readList(list: ListName): Promise<Definition[]> {
    const { maxDefinitions, maxDefinitionBytes, maxPages } = this.#limits;
    const all: Definition[] = [];
    let cursor: string | undefined;
    let previous: ListPage | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      // A server of the group that finds tools for its own clients lists all of them when asked with this member.
      const meta = list === "tools" && { _meta: { [BRAND.allToolsMeta]: true } };
      const params = { ...(cursor !== undefined && { cursor }), ...meta };
      const answer = await this.#request(LISTS[list].method, params);
      const read = readListPage(answer, list, maxDefinitions + 1);
      if (isPastEnd(cursor, read, previous)) return all;
      if (readEnvelope(answer)?.result === undefined) {
        // Servers declare resources and have no templates.
        if (readErrorCode(answer) === RPC_ERRORS.METHOD_NOT_FOUND) return all;
        throw new Error(`${LISTS[list].method}: ${readErrorMessage(answer) ?? "an error"}`);
      }
      // What is no list has no entries; the other lists of the server are not at fault.
      if (read === undefined) return all;
      all.push(...read.definitions);
      for (const { text } of read.definitions) this.#bytes += text.length;
      if (all.length > maxDefinitions || this.#bytes > maxDefinitionBytes) {
        throw new Error(
          `it offers more than ${maxDefinitions} ${list}, or more than ${maxDefinitionBytes} bytes of definitions`,
        );
      }
      previous = read;
      cursor = read.nextCursor;
      if (cursor === undefined) return all;
    }
    throw new Error(`${LISTS[list].method} has more than ${maxPages} pages`);
  }

  async #request(method: string, params: Readonly<Record<string, unknown>>): Promise<Buffer> {
    if (this.#ended !== undefined) throw this.#ended;
    const id = this.#nextId++;
    const { listMs } = this.#limits;
    return await new Promise<Buffer>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        this.upstream?.forget(id);
        reject(new Error(`it has not answered ${method} within ${listMs / 1000} s`));
      }, listMs);
      const settle =
        <T>(use: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          use(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.upstream?.send([Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, method, params }))], id);
    });
  }
}

/** Ends early when one of the signals is aborted, and then waits for none of them any more. */
export async function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    for (const signal of signals) signal.addEventListener("abort", done, { once: true });
  });
}
