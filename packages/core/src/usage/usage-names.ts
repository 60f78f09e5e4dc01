/** Names of tools and clients are chosen by others: how long they may be, how many are kept apart, and what they may contain. */
import { UsageSeries } from "./usage-series.ts";

/** Characters of a name; the rest is cut off. */
export const MAX_NAME_LENGTH = 100;
/** What all are called together that have no place of their own. */
export const OTHER_NAME = "_other";
/** What nobody sees, or what changes how the text around it is read. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** @returns The name without hidden characters; two names that differ only in these are counted as one. */
export function cleanName(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).replaceAll(HIDDEN, "\ufffd");
}

/** Series by name, of which there are never more than a number. */
export class NamedSeries {
  readonly byName = new Map<string, UsageSeries>();
  /** Of all that have no place of their own. */
  readonly other = new UsageSeries();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns The series of a name, or that of all others while there is no place. */
  find(name: string, today: number): UsageSeries {
    // A name that is kept is clean.
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const key = cleanName(name);
    if (key === OTHER_NAME) return this.other;
    const found = this.byName.get(key);
    if (found !== undefined) return found;
    if (this.byName.size >= this.#max) this.#forgetUnused(today);
    if (this.byName.size >= this.#max) return this.other;
    const series = new UsageSeries();
    this.byName.set(key, series);
    return series;
  }

  add({ byName, other }: NamedSeries, today: number): void {
    for (const [name, series] of byName) this.find(name, today).add(series);
    this.other.add(other);
  }

  #forgetUnused(today: number): void {
    for (const [name, series] of [...this.byName]) if (!series.isRecent(today)) this.byName.delete(name);
  }
}
