/** Requests that wait for something, bounded in number and time, and the count of those that have passed. */
import type { ServerResponse } from "node:http";

/** Why a call does not pass: too many wait, it has waited too long, or its caller has left. */
export type HoldFailure = "full" | "late" | "gone";

interface HeldCallsOptions {
  readonly max: number;
  /** Milliseconds that a call waits at most. */
  readonly holdMs: number;
  readonly createRefusal: (failure: HoldFailure) => Error;
}

interface HeldCall {
  readonly pass: () => void;
  readonly fail: (error: Error) => void;
}

export class HeldCalls {
  readonly #options: HeldCallsOptions;
  readonly #held = new Set<HeldCall>();

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  /** @throws What `createRefusal` makes, at once or later. */
  async hold(response: ServerResponse): Promise<void> {
    const { max, holdMs, createRefusal } = this.#options;
    if (this.#held.size >= max) throw createRefusal("full");
    if (response.destroyed) throw createRefusal("gone");
    const { promise, ...call } = createHeldCall();
    this.#held.add(call);
    const tooLate = setTimeout(() => call.fail(createRefusal("late")), holdMs);
    const leave = () => call.fail(createRefusal("gone"));
    response.once("close", leave);
    try {
      await promise;
    } finally {
      this.#held.delete(call);
      response.off("close", leave);
      clearTimeout(tooLate);
    }
  }

  passAll(): void {
    for (const { pass } of [...this.#held]) pass();
  }

  failAll(error: Error): void {
    for (const { fail } of [...this.#held]) fail(error);
  }
}

function createHeldCall(): HeldCall & { readonly promise: Promise<void> } {
  let pass = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    pass = resolve;
    fail = reject;
  });
  return { promise, pass, fail };
}
