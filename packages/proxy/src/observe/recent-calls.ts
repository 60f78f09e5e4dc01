/** Keeps the newest calls of an endpoint in memory, for people who review permissions. */
import type { ObservedCall } from "@toolhive/core";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import type { Ending, Observation, Observer } from "./observer.ts";

const MAX_CALLS = 200;
const MAX_TEXT = 200;

interface Clock {
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
  readonly date: () => Date;
}

export class RecentCalls implements Observer {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #calls: ObservedCall[] = [];
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Newest first. */
  list(): ObservedCall[] {
    return this.#calls.toReversed();
  }

  begin(caller: Caller, { envelope, params }: ClientMessage): Observation {
    const startedAt = this.#clock.now();
    const target = [params.name, params.uri].find((value) => typeof value === "string");
    let isOver = false;
    return {
      end: ({ outcome }: Ending) => {
        // A notification shows nothing about permissions, unless it was denied.
        if (isOver || (envelope.kind === "notification" && outcome === "success")) return;
        isOver = true;
        this.#count += 1;
        this.#calls.push({
          id: this.#count,
          at: this.#clock.date(),
          caller: describeCaller(caller),
          method: envelope.method.slice(0, MAX_TEXT),
          ...(typeof target === "string" && { target: target.slice(0, MAX_TEXT) }),
          outcome,
          ms: Math.round(this.#clock.now() - startedAt),
        });
        if (this.#calls.length > MAX_CALLS) this.#calls.shift();
      },
    };
  }
}

function describeCaller({ claims, address }: Caller): string {
  const { name, email, sub } = claims;
  const who = [name, email, sub, address].find((value) => typeof value === "string" && value !== "");
  return String(who ?? "anonymous").slice(0, MAX_TEXT);
}
