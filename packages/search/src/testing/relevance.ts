/**
 * How good an order of pages is, for the queries of a graded set (`relevance-*.json`): the pages a reader wanted (grade 3),
 * those that answer too (2) and related ones (1).
 */

export interface GradedQuery {
  readonly id: string;
  readonly query: string;
  readonly category: string;
  readonly targets: readonly {
    readonly route: string;
    readonly grade: number;
    /** Anchor of the section that answers. */
    readonly section?: string;
  }[];
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
function readRoute(url: string): string {
  const path = new URL(url).pathname.replace(/\/+$/, "");
  return path === "" ? "/" : path;
}

/** Pages in order of their first hit. */
export function listFoundPages(urls: readonly string[]): string[] {
  return [...new Set(urls.map(readRoute))];
}

/** Path of each graded page → its grade. */
export function mapGrades({ targets }: GradedQuery, segment: string): Map<string, number> {
  return new Map(targets.map(({ route, grade }) => [route.replace("{docs}", segment).replace(/(.)\/$/, "$1"), grade]));
}

/** How well one query is answered; a share is 0 or 1. */
export interface QueryScore extends Relevance {
  /** Whether the first hit of a page that answers is in the section that does; `undefined` where no section is graded. */
  readonly section: number | undefined;
}

/**
 * Scores the answer to one query.
 *
 * @param urls Of the hits, best first.
 * @param segment Stands for `{docs}` in the routes.
 */
export function scoreQuery(graded: GradedQuery, urls: readonly string[], segment: string): QueryScore {
  const grades = mapGrades(graded, segment);
  const pages = listFoundPages(urls);
  const found = pages.slice(0, 10).map((page) => grades.get(page) ?? 0);
  const first = found.findIndex((grade) => grade >= GOOD_GRADE);
  return {
    success1: first === 0 ? 1 : 0,
    success5: first >= 0 && first < 5 ? 1 : 0,
    mrr10: first >= 0 ? 1 / (first + 1) : 0,
    ndcg10: dcg(found) / dcg([...grades.values()].sort((a, b) => b - a)),
    none: pages.length === 0 ? 1 : 0,
    section: scoreSection(graded, urls, segment),
  };
}

/** Of the first page with a graded section, its first hit counts; a page that is not among the hits is a miss. */
function scoreSection({ targets }: GradedQuery, urls: readonly string[], segment: string): number | undefined {
  const wanted = new Map<string, string[]>();
  for (const { route, grade, section } of targets) {
    if (section === undefined || grade < GOOD_GRADE) continue;
    const page = route.replace("{docs}", segment);
    wanted.set(page, [...(wanted.get(page) ?? []), section]);
  }
  if (wanted.size === 0) return undefined;
  const hit = urls.find((url) => wanted.has(readRoute(url)));
  if (hit === undefined) return 0;
  return wanted.get(readRoute(hit))?.includes(decodeURIComponent(new URL(hit).hash.slice(1))) ? 1 : 0;
}

/**
 * Scores a search over all queries.
 *
 * @param search Urls of the hits, best first.
 * @param segment Stands for `{docs}` in the routes.
 * @returns `section` is the share of queries whose right page comes with its right section first, where sections are graded.
 */
export async function measureRelevance(
  queries: readonly GradedQuery[],
  search: (query: string) => readonly string[] | Promise<readonly string[]>,
  segment: string,
): Promise<Relevance & { readonly section?: number }> {
  const scores: QueryScore[] = [];
  for (const graded of queries) scores.push(scoreQuery(graded, await search(graded.query), segment));
  const mean = (name: keyof Relevance): number => computeMean(scores.map((score) => score[name]));
  const sections = scores.flatMap(({ section }) => (section === undefined ? [] : [section]));
  return {
    ...(sections.length > 0 && { section: computeMean(sections) }),
    success1: mean("success1"),
    success5: mean("success5"),
    mrr10: mean("mrr10"),
    ndcg10: mean("ndcg10"),
    none: mean("none"),
  };
}

export function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Drawings of a bootstrap; more change the third digit. */
const DRAWINGS = 2_000;

/** The interval that holds the mean with 95 %, by the percentile bootstrap. The same values give the same interval. */
export function computeInterval(values: readonly number[]): readonly [low: number, high: number] {
  let state = 1;
  const draw = (): number => {
    // Marsaglia's xorshift (2003), so that a report can be made again.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const means = Array.from({ length: DRAWINGS }, () =>
    computeMean(values.map(() => values[Math.floor(draw() * values.length)] as number)),
  ).sort((a, b) => a - b);
  return [means[Math.floor(DRAWINGS * 0.025)] as number, means[Math.floor(DRAWINGS * 0.975)] as number];
}
