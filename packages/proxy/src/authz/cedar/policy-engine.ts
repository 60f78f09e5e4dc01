/**
 * The Cedar engine of this process, which all workloads share: WebAssembly of 4 MB, loaded only when there are policies. The
 * memory of an engine that has failed during its work is in an unknown state, so that engine is replaced.
 */
import { describeError } from "@toolhive/core/errors";
import { type Engine, loadEngine } from "./load-engine.ts";

/** Policy sets that one engine holds at most: it keeps them for ever. Larger numbers of workloads prepare theirs again. */
const MAX_PREPARED = 1_000;

/** The engine could not do it, and neither could another one. */
export class EngineFailure extends Error {
  constructor(cause: unknown) {
    super(`the policy engine failed (${describeError(cause).slice(0, 100)})`, { cause });
    this.name = "EngineFailure";
  }
}

let current: Engine | undefined;
let preparedCount = 0;

/**
 * @param ask Calls of the engine and nothing else. They are made once more, on another engine, when the engine fails: it reports
 * a problem of its input as an answer, and throws only where it cannot continue.
 * @throws {EngineFailure} When they fail there, too.
 */
export function askEngine<Answer>(ask: (engine: Engine) => Answer): Answer {
  try {
    return ask(findEngine());
  } catch {
    current = undefined;
  }
  try {
    return ask(findEngine());
  } catch (error) {
    current = undefined;
    throw new EngineFailure(error);
  }
}

/** Policies that engines decide by, whichever engine it is at that moment. */
export class PreparedPolicies {
  readonly #id: string;
  readonly #texts: Readonly<Record<string, string>>;
  readonly #engines = new WeakSet<Engine>();

  /** @param id Sets of the same id are the same. */
  constructor(id: string, texts: Readonly<Record<string, string>>) {
    this.#id = id;
    this.#texts = texts;
  }

  /** @returns The id under which the engine knows them. @throws {Error} When it cannot read them. */
  prepareIn(engine: Engine): string {
    if (this.#engines.has(engine)) return this.#id;
    const answer = engine.preparsePolicySet(this.#id, { staticPolicies: this.#texts });
    if (answer.type === "failure") throw new Error(answer.errors.map(({ message }) => message).join("; "));
    this.#engines.add(engine);
    preparedCount += 1;
    return this.#id;
  }
}

function findEngine(): Engine {
  if (current !== undefined && preparedCount < MAX_PREPARED) return current;
  preparedCount = 0;
  current = loadEngine();
  return current;
}
