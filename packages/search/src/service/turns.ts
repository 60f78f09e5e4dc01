/** Work that is done one at a time, in the order of arrival, so that much of it at once takes no more memory than one piece. */
import { WireError } from "../wire/wire-error.ts";

/** Requests that wait for their turn; an answer takes some tens of milliseconds. */
const MAX_WAITING = 32;

export class Turns {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @throws {WireError} 429 when too many wait already; and what the work throws. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING) {
      return Promise.reject(new WireError(429, "Too many large searches at once", { "retry-after": "1" }));
    }
    this.#waiting += 1;
    const done = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}
