/**
 * All changes, as one stream for any number of readers. It reads the workloads only while there are readers, and shortly after,
 * so that a reader whose connection broke can continue where it was.
 */

import { randomUUID } from "node:crypto";
import { ThvError } from "@toolhive/core";
import { Listeners } from "@toolhive/http/listeners";
import { type EventBody, HEARTBEAT_MS } from "../contract/events.ts";
import { MAX_EVENT_STREAMS } from "../contract/parts/limits.ts";
import type { WorkloadBody } from "../contract/parts/workload-schemas.ts";
import { EventRing, type News } from "./event-ring.ts";
import { PROGRESS_MS, WorkloadNews } from "./workload-news.ts";

/** Milliseconds after the last reader has left in which events are still kept. */
const LINGER_MS = 60_000;

interface EventSources {
  /** All workloads, sorted by name. */
  readonly list: () => readonly WorkloadBody[];
  /** Yields at once and after changes; ends with the signal or with the supervisor. */
  readonly followChanges: (signal: AbortSignal) => AsyncIterable<void>;
}

/** What there is while somebody reads. */
interface Session {
  readonly ring: EventRing;
  readonly news: WorkloadNews;
  readonly stop: AbortController;
  /** Each wakes a reader. */
  readonly readers: Listeners;
  heldBack: NodeJS.Timeout | undefined;
  linger: NodeJS.Timeout | undefined;
}

export class EventHub {
  readonly #sources: EventSources;
  #session: Session | undefined;
  #readers = 0;

  constructor(sources: EventSources) {
    this.#sources = sources;
  }

  /** Adds an event; without readers nothing happens. */
  publish(news: News): void {
    const session = this.#session;
    if (!session) return;
    session.ring.add(news, new Date());
    session.readers.notify();
  }

  /** @param since Id of the last event that was read. @throws {ThvError} `LIMIT_REACHED`, before anything is yielded. */
  follow(since: string | undefined, signal: AbortSignal): AsyncGenerator<EventBody> {
    if (this.#readers >= MAX_EVENT_STREAMS) {
      throw new ThvError("LIMIT_REACHED", `There are ${MAX_EVENT_STREAMS} event streams already.`, {
        hint: "Close a page or program that follows events, then try again.",
      });
    }
    return this.#follow(since, signal);
  }

  async *#follow(since: string | undefined, signal: AbortSignal): AsyncGenerator<EventBody> {
    const session = this.#open();
    const { ring, news, stop } = session;
    let wake: () => void = () => undefined;
    const onNews = () => wake();
    this.#readers += 1;
    const leave = session.readers.add(onNews);
    signal.addEventListener("abort", onNews, { once: true });
    try {
      this.#look(session);
      let last = since === undefined ? undefined : ring.findNumber(since);
      while (!signal.aborted) {
        if (last === undefined || !ring.hasAllSince(last)) {
          last = ring.newest;
          yield describe(ring, { type: "snapshot", data: { workloads: news.workloads } });
        }
        while (last < ring.newest && ring.hasAllSince(last)) {
          last += 1;
          yield ring.at(last) as EventBody;
        }
        if (last < ring.newest) continue;
        if (stop.signal.aborted || signal.aborted) return;
        const isQuiet = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(true), HEARTBEAT_MS);
          wake = () => {
            clearTimeout(timer);
            resolve(false);
          };
        });
        if (isQuiet) yield describe(ring, { type: "heartbeat", data: {} });
      }
    } finally {
      signal.removeEventListener("abort", onNews);
      leave();
      this.#readers -= 1;
      this.#closeSoon(session);
    }
  }

  #open(): Session {
    if (this.#session) {
      clearTimeout(this.#session.linger);
      return this.#session;
    }
    const session: Session = {
      ring: new EventRing(randomUUID().slice(0, 8)),
      news: new WorkloadNews(),
      stop: new AbortController(),
      readers: new Listeners(),
      heldBack: undefined,
      linger: undefined,
    };
    this.#session = session;
    // The snapshot contains all of these changes.
    session.news.compare(this.#sources.list(), Date.now());
    void this.#watch(session);
    return session;
  }

  async #watch(session: Session): Promise<void> {
    for await (const _change of this.#sources.followChanges(session.stop.signal)) this.#look(session);
    this.#close(session);
  }

  #look(session: Session): void {
    const { news, isHeldBack } = session.news.compare(this.#sources.list(), Date.now());
    for (const each of news) this.publish(each);
    if (!isHeldBack) return;
    session.heldBack ??= setTimeout(() => {
      session.heldBack = undefined;
      if (!session.stop.signal.aborted) this.#look(session);
    }, PROGRESS_MS).unref();
  }

  #closeSoon(session: Session): void {
    if (session.readers.size > 0) return;
    clearTimeout(session.linger);
    session.linger = setTimeout(() => this.#close(session), LINGER_MS).unref();
  }

  #close(session: Session): void {
    clearTimeout(session.linger);
    clearTimeout(session.heldBack);
    session.stop.abort();
    if (this.#session === session) this.#session = undefined;
    session.readers.notify();
  }
}

/** An event for one reader: it has the id of the last event that was for all. */
function describe(ring: EventRing, news: News): EventBody {
  return { id: ring.formatId(ring.newest), at: new Date().toISOString(), ...news } as EventBody;
}
