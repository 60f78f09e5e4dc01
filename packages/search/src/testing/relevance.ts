/**
 * How good an order of pages is, for the queries of a graded set (`relevance-*.json`): the pages a reader wanted (grade 3),
 * those that answer too (2) and related ones (1).
 */

export interface GradedQuery {
  readonly id: string;
  readonly query: string;
  readonly category: string;
  readonly targets: readonly { readonly route: string; readonly grade: number }[];
}

export interface Relevance {
  /** Share of queries whose first page answers (grade 2 or 3). */
  readonly success1: number;
  /** Share of queries with such a page among the first five. */
  readonly success5: number;
  /** Mean of 1 / rank of the first such page, 0 beyond rank 10. */
  readonly mrr10: number;
  /** Mean normalised discounted cumulative gain of the first ten pages: gain 2^grade - 1, discount log2(rank + 1). */
  readonly ndcg10: number;
  /** Share of queries that found nothing. */
  readonly none: number;
}

export const GOOD_GRADE = 2;
function computeGain(grade: number): number {
  return 2 ** grade - 1;
}

export function dcg(grades: readonly number[]): number {
  return grades.slice(0, 10).reduce((sum, grade, at) => sum + computeGain(grade) / Math.log2(at + 2), 0);
}

/** Path of a hit's page, as the graded routes name it. */
function routeOf(url: string): string {
  const path = new URL(url).pathname.replace(/\/+$/, "");
  return path === "" ? "/" : path;
}

/** Pages in order of their first hit. */
export function pagesOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map(routeOf))];
}

/** Path of each graded page → its grade. */
export function gradesOf({ targets }: GradedQuery, segment: string): Map<string, number> {
  return new Map(targets.map(({ route, grade }) => [route.replace("{docs}", segment).replace(/(.)\/$/, "$1"), grade]));
}

/**
 * Scores a search over all queries.
 *
 * @param search Urls of the hits, best first.
 * @param segment Stands for `{docs}` in the routes.
 */
export async function measureRelevance(
  queries: readonly GradedQuery[],
  search: (query: string) => readonly string[] | Promise<readonly string[]>,
  segment: string,
): Promise<Relevance> {
  const sums = { success1: 0, success5: 0, mrr10: 0, ndcg10: 0, none: 0 };
  for (const graded of queries) {
    const grades = gradesOf(graded, segment);
    const pages = pagesOf(await search(graded.query));
    const found = pages.slice(0, 10).map((page) => grades.get(page) ?? 0);
    const first = found.findIndex((grade) => grade >= GOOD_GRADE);
    sums.success1 += first === 0 ? 1 : 0;
    sums.success5 += first >= 0 && first < 5 ? 1 : 0;
    sums.mrr10 += first >= 0 ? 1 / (first + 1) : 0;
    sums.ndcg10 += dcg(found) / dcg([...grades.values()].sort((a, b) => b - a));
    sums.none += pages.length === 0 ? 1 : 0;
  }
  const mean = (sum: number): number => sum / queries.length;
  return {
    success1: mean(sums.success1),
    success5: mean(sums.success5),
    mrr10: mean(sums.mrr10),
    ndcg10: mean(sums.ndcg10),
    none: mean(sums.none),
  };
}
