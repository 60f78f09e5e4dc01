/** A value that is absent at times, and that requests wait for meanwhile. */

import type { ServerResponse } from "node:http";
import { Listeners } from "@toolhive/http/listeners";

export class Awaited<Value> {
  #value: Value | undefined;
  readonly #waiting = new Listeners();

  get value(): Value | undefined {
    return this.#value;
  }

  set value(value: Value | undefined) {
    this.#value = value;
    if (value !== undefined) this.wake();
  }

  /** Ends all waiting, also without a value. */
  wake(): void {
    this.#waiting.notify();
  }

  /** @returns `undefined` when the time is over, the client has left, or the waiting was ended. */
  async wait(response: ServerResponse, ms: number): Promise<Value | undefined> {
    if (this.#value === undefined) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          leave();
          response.off("close", wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        const leave = this.#waiting.add(wake);
        response.on("close", wake);
      });
    }
    return this.#value;
  }
}
