/** The names of a server's tools, as they pass in lists, whatever of them is offered. */

/** Names that are kept. */
const MAX_NAMES = 10_000;

export class ListedTools {
  #names: readonly string[] | undefined;
  /** Of the pages of a list that goes on. */
  #begun = new Set<string>();

  /** @returns `undefined` until a list has passed whole. Pages of two lists at a time are taken for one. */
  get names(): readonly string[] | undefined {
    return this.#names;
  }

  /** A page has passed. @param isLast Whether no page follows. */
  record(names: readonly string[], isLast: boolean): void {
    for (const name of names) if (this.#begun.size < MAX_NAMES) this.#begun.add(name);
    if (!isLast) return;
    this.#names = [...this.#begun];
    this.#begun = new Set();
  }

  forget(): void {
    this.#names = undefined;
    this.#begun = new Set();
  }
}
