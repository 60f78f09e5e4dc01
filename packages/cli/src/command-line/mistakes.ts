/** Collects everything that is wrong with a command line, so that one error reports it all. */
import { ThvError } from "@toolhive/core/errors";

/** Begins the hint on a flag of another program. */
export const HABIT_HINT = "Instead of";
/** Hints that say more than where the help is. */
const WORTH_KEEPING = ["Did you mean", "With its unit", HABIT_HINT];

export class Mistakes {
  readonly #errors: ThvError[] = [];

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  add(...errors: readonly ThvError[]): void {
    this.#errors.push(...errors);
  }

  /** @returns `undefined` when it fails with an error of ours, which is kept. */
  collect<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ThvError)) throw error;
      this.#errors.push(error);
      return undefined;
    }
  }

  /**
   * @param path Words after `thv` of the command, for the hint.
   * @throws {ThvError} The only one as it is; of several, one `USAGE` with the sentences of all.
   */
  throwAll(path: readonly string[]): void {
    const [first, ...others] = this.#errors;
    if (!first) return;
    if (others.length === 0) throw first;
    const suggestions = this.#errors.flatMap(({ hint }) =>
      hint !== undefined && WORTH_KEEPING.some((begin) => hint.startsWith(begin)) ? [endSentence(hint)] : [],
    );
    const sentences = new Set(this.#errors.map(({ message }) => endSentence(message)));
    throw new ThvError("USAGE", [...sentences].join(" "), {
      hint: [...new Set(joinHabits(suggestions)), `See: ${["thv", ...path].join(" ")} --help`].join(" "),
    });
  }
}

function endSentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}

/** What is typed in the place of several flags is said once: `Instead of -i, -t: …`. */
function joinHabits(hints: readonly string[]): string[] {
  const flags = new Map<string, string[]>();
  for (const hint of hints) {
    const [begin = "", ...rest] = hint.split(": ");
    if (!hint.startsWith(HABIT_HINT)) flags.set(hint, []);
    else flags.set(rest.join(": "), [...(flags.get(rest.join(": ")) ?? []), begin.slice(HABIT_HINT.length + 1)]);
  }
  return [...flags].map(([text, of]) =>
    of.length === 0 ? text : `${HABIT_HINT} ${[...new Set(of)].join(", ")}: ${text}`,
  );
}
