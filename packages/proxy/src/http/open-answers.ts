/**
 * Answers of a server that speaks HTTP itself while they are on their way to clients: counts them, and finds those that can carry
 * a notification.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createNotification, RPC_ERRORS } from "../messages/json-rpc.ts";
import type { EventFilter } from "./event-filter.ts";
import { HttpRefusal, readHeader, SESSION_HEADER } from "./http-exchange.ts";

const TOOLS_CHANGED = createNotification("notifications/tools/list_changed");

export class OpenAnswers {
  readonly #maxAnswers: number;
  readonly #all = new Set<ServerResponse>();
  readonly #streams = new Set<ServerResponse>();
  /** Streams whose messages are read: these can carry a notification. */
  readonly #filtered = new Map<ServerResponse, EventFilter>();
  /** Sessions whose clients return with another stream, on which they are then notified that the tools have changed. */
  readonly #uninformed = new Set<string>();

  constructor(maxAnswers: number) {
    this.#maxAnswers = maxAnswers;
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  /** Those that are no streams. */
  get pendingCount(): number {
    return this.#all.size - this.#streams.size;
  }

  /** @throws {HttpRefusal} 503 when there are too many. */
  add(response: ServerResponse): void {
    if (this.#all.size >= this.#maxAnswers) {
      const headers = { "retry-after": "5" };
      throw new HttpRefusal(503, RPC_ERRORS.TOO_MANY, "Too many requests are open.", { headers });
    }
    this.#all.add(response);
  }

  delete(response: ServerResponse): void {
    this.#streams.delete(response);
    this.#filtered.delete(response);
    this.#all.delete(response);
  }

  /** @param filter Present where the messages of the stream are read. */
  addStream(request: IncomingMessage, response: ServerResponse, filter: EventFilter | undefined): void {
    this.#streams.add(response);
    if (!filter) return;
    this.#filtered.set(response, filter);
    const session = readHeader(request, SESSION_HEADER);
    if (session !== undefined && this.#uninformed.delete(session)) filter.insert(TOOLS_CHANGED);
  }

  /** Notifies clients that the list of tools has changed, and ends streams that were begun unread. */
  announceTools(isSse: boolean): void {
    for (const response of this.#streams) {
      const filter = this.#filtered.get(response);
      if (filter) {
        // Before its first event, the client of a server with SSE has no session yet, and no list.
        if (!isSse || filter.hasPassed) filter.insert(TOOLS_CHANGED);
        continue;
      }
      // It was begun when nothing was to be read. Its client opens another, with the same session where that has an id.
      const session = readHeader(response.req, SESSION_HEADER);
      if (session !== undefined && this.#uninformed.size < this.#maxAnswers) this.#uninformed.add(session);
      response.destroy();
    }
  }

  /** Cuts the answers that have begun; the others still wait for a server. */
  destroyBegun(): void {
    for (const response of this.#all) if (response.headersSent) response.destroy();
  }
}
