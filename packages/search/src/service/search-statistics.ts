/**
 * From keystrokes to searches: the client sends a request for every letter, the statistics keep what a reader ended with.
 * Requests from one address belong together; the address stays in memory for seconds, and only the query is written.
 */

import { type EventLine, parseEvents, redactQuery, toMinute } from "../events/event-line.ts";
import type { SearchNote } from "./search-route.ts";

export interface SearchStatisticsOptions {
  readonly write: (lines: readonly EventLine[]) => void;
  /** Wall clock. */
  readonly today: () => Date;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** A reader who has not typed for so many milliseconds has finished. */
const TYPING_PAUSE_MS = 2_000;
/** Readers typing at once; the one that paused longest is written first. */
const MAX_TYPING = 1_000;
/** Answers whose query is remembered for their clicks. */
const MAX_QUERY_IDS = 10_000;

interface Typing {
  readonly index: string;
  readonly query: string;
  readonly hits: number;
  readonly at: number;
}

export class SearchStatistics {
  readonly #options: SearchStatisticsOptions;
  /** By address, in order of the last keystroke. */
  readonly #typing = new Map<string, Typing>();
  readonly #queries = new Map<string, string>();

  constructor(options: SearchStatisticsOptions) {
    this.#options = options;
  }

  /** Takes a search that was answered. */
  note(address: string, { index, query, total, queryID }: SearchNote): void {
    const text = redactQuery(query);
    this.writePaused();
    if (text === "") return;
    if (queryID !== undefined) {
      if (this.#queries.size >= MAX_QUERY_IDS) this.#queries.delete(findFirstKey(this.#queries));
      this.#queries.set(queryID, text);
    }
    const before = this.#typing.get(address);
    this.#typing.delete(address);
    const isSameSearch = before?.index === index && (text.startsWith(before.query) || before.query.startsWith(text));
    if (before !== undefined && !isSameSearch) this.#write(before);
    if (this.#typing.size >= MAX_TYPING) this.#end(findFirstKey(this.#typing));
    this.#typing.set(address, { index, query: text, hits: total, at: this.#options.now() });
  }

  /** Takes the body of an events request. @returns false when it is not one. */
  recordEvents(body: unknown): boolean {
    const lines = parseEvents(body, toMinute(this.#options.today()), (id) => this.#queries.get(id));
    if (lines === undefined) return false;
    if (lines.length > 0) this.#options.write(lines);
    return true;
  }

  /** Writes the searches of readers who have paused; of all readers when `everyone`. */
  writePaused(everyone = false): void {
    const limit = this.#options.now() - TYPING_PAUSE_MS;
    for (const [address, typing] of this.#typing) {
      if (!everyone && typing.at > limit) break;
      this.#end(address);
    }
  }

  #end(address: string): void {
    const typing = this.#typing.get(address);
    this.#typing.delete(address);
    if (typing !== undefined) this.#write(typing);
  }

  #write({ index, query, hits }: Typing): void {
    this.#options.write([{ at: toMinute(this.#options.today()), kind: "search", index, query, hits }]);
  }
}

function findFirstKey(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value ?? "";
}
