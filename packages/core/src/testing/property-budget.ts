/**
 * How often a property is tried: as often as its test says, or for as many seconds as `TOOLHIVE_PROPERTY_SECONDS` gives to each,
 * which the nightly run sets in one place. A failure prints its seed, its path and the smallest case.
 */
import fc from "fast-check";

/** More than fit into any number of seconds. */
const UNBOUNDED_RUNS = 1_000_000;

/** Not of a clock that a test has replaced. */
const now = performance.now.bind(performance);

export class PropertyBudget {
  readonly #endsAt: number;
  #tried = 0;
  #hasFailed = false;
  /** For `fc.assert`. */
  readonly parameters: { readonly numRuns: number };

  /** @param runs Without a budget of time. @param seconds Default: the variable's. */
  constructor(runs: number, seconds: string | undefined = process.env.TOOLHIVE_PROPERTY_SECONDS) {
    const isTimed = seconds !== undefined && seconds !== "";
    this.parameters = { numRuns: isTimed ? UNBOUNDED_RUNS : runs };
    this.#endsAt = isTimed ? now() + Number(seconds) * 1000 : Number.POSITIVE_INFINITY;
  }

  /** How often it was tried until now. */
  get tried(): number {
    return this.#tried;
  }

  /** @returns The predicate, which ends the property between two runs once the time is over; a failure is still made smaller. */
  limit<Args extends unknown[]>(predicate: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
    return async (...args) => {
      if (this.#tried > 0 && !this.#hasFailed && now() > this.#endsAt) throw new fc.PreconditionFailure(true);
      this.#tried += 1;
      try {
        await predicate(...args);
      } catch (error) {
        this.#hasFailed = true;
        throw error;
      }
    };
  }
}
