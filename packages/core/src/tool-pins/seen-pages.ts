/** The pages of a list that have passed: the names of a server's tools are known when the last page has passed, too. */

/** Pages of a list that are remembered; a server with more of them has other cursors each time. */
export const MAX_PAGES = 100;

export class SeenPages {
  /** Names on each page, by the cursor of the page behind it; the last page by "". */
  readonly #names = new Map<string, ReadonlySet<string>>();
  /** Whether pages were forgotten, so that those that are known are not the whole list. */
  #hasLost = false;

  /** @param next Cursor of the page behind it; absent on the last one. */
  add(next: string | undefined, names: readonly string[]): void {
    if (!this.#names.has(next ?? "") && this.#names.size >= MAX_PAGES) {
      this.#names.clear();
      this.#hasLost = true;
    }
    this.#names.set(next ?? "", new Set(names));
  }

  clear(): void {
    this.#names.clear();
    this.#hasLost = false;
  }

  /** The last page was seen. @returns The names of all; `undefined` when that is not known. */
  conclude(): ReadonlySet<string> | undefined {
    if (!this.#hasLost) return new Set([...this.#names.values()].flatMap((names) => [...names]));
    this.clear();
    return undefined;
  }
}
