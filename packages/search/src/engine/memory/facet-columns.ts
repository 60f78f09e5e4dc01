/** Facets of an index: filters as a byte per record, and counts of values. */

import type { IndexData } from "../index/index-format.ts";
import type { FacetFilter, FacetTerm } from "../search-engine.ts";

/** Compiled filters kept; a site uses one or two. */
const MAX_COMPILED_FILTERS = 16;

export class FacetColumns {
  readonly #data: IndexData;
  readonly #attributes: readonly string[];
  readonly #compiled = new Map<string, Uint8Array>();

  constructor(data: IndexData) {
    this.#data = data;
    this.#attributes = Object.keys(data.meta.facetSets);
  }

  /** A byte per record, 1 where the filter holds; undefined when it always does. */
  compile(filter: FacetFilter): Uint8Array | undefined {
    if (filter.length === 0) return undefined;
    const key = JSON.stringify(filter);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const allowed = new Uint8Array(this.#data.meta.recordCount).fill(1);
    for (const group of filter) this.#apply(group, allowed);
    if (this.#compiled.size >= MAX_COMPILED_FILTERS) this.#compiled.clear();
    this.#compiled.set(key, allowed);
    return allowed;
  }

  #apply(group: readonly FacetTerm[], allowed: Uint8Array): void {
    const { meta, sections } = this.#data;
    const terms = group.map(({ attribute, value, isNegated }) => {
      const column = this.#attributes.indexOf(attribute);
      // Not by name alone: `constructor` is in every object.
      const sets = column < 0 ? [] : (meta.facetSets[attribute] ?? []);
      return { column, isNegated, holds: sets.map((values) => values.includes(value) !== isNegated) };
    });
    for (let record = 0; record < allowed.length; record++) {
      const holds = terms.some(({ column, isNegated, holds: matches }) =>
        // An attribute that is not for faceting matches nothing, so its negation matches everything.
        column < 0 ? isNegated : matches[sections.facetIds[column * allowed.length + record] as number],
      );
      if (!holds) allowed[record] = 0;
    }
  }

  /** Values of some attributes (`*` for all) with the number of records that have them, most frequent first. */
  count(attributes: readonly string[], records: readonly number[]): Record<string, Record<string, number>> {
    const { meta, sections } = this.#data;
    const result: Record<string, Record<string, number>> = {};
    for (const attribute of attributes.includes("*") ? this.#attributes : attributes) {
      const column = this.#attributes.indexOf(attribute);
      if (column < 0) continue;
      const sets = meta.facetSets[attribute] ?? [];
      const counts = new Uint32Array(sets.length);
      for (const record of records) {
        const set = sections.facetIds[column * meta.recordCount + record] as number;
        counts[set] = (counts[set] as number) + 1;
      }
      const byValue = new Map<string, number>();
      for (const [set, values] of sets.entries()) {
        const count = counts[set] as number;
        if (count > 0) for (const value of values) byValue.set(value, (byValue.get(value) ?? 0) + count);
      }
      if (byValue.size > 0) result[attribute] = Object.fromEntries([...byValue].sort((a, b) => b[1] - a[1]));
    }
    return result;
  }
}
