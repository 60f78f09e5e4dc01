/** Requests that wait for a server to be ready, in order of arrival, with a bound on their bytes. */
import { measureLine } from "../messages/outgoing-line.ts";
import type { PendingRequest } from "../sessions/pending-requests.ts";

export class UnsentRequests {
  readonly #maxBytes: number;
  readonly #requests = new Set<PendingRequest>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns False when there is no room. */
  add(request: PendingRequest): boolean {
    const bytes = measureRequest(request);
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#requests.add(request);
    this.#bytes += bytes;
    return true;
  }

  /** Removing what is not there is allowed. */
  remove(request: PendingRequest): void {
    if (this.#requests.delete(request)) this.#bytes -= measureRequest(request);
  }

  /** Takes all of them out. */
  takeAll(): PendingRequest[] {
    const all = [...this.#requests];
    this.#requests.clear();
    this.#bytes = 0;
    return all;
  }
}

function measureRequest({ outgoing }: PendingRequest): number {
  return outgoing === undefined ? 0 : measureLine(outgoing);
}
