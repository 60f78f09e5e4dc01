/** A question's answer as sections of pages, best first, with as much of their text as the budget allows. */
import type { EngineAnswer, EngineHit, SearchRecord } from "@toolhive/search/offline";
import { HIERARCHY_LEVELS } from "@toolhive/search/offline";
import type { DocsPage } from "../pack/docs-content.ts";
import { cleanText, distillMessage, isPasted } from "./distill-message.ts";
import type { DocsLibrary, SectionText } from "./docs-library.ts";
import { excerptSection } from "./excerpt.ts";
import { type Form, isOfForm } from "./forms.ts";
import { isLong, joinOrders, listSentences } from "./rank-places.ts";
import { type RankedSection, SectionIndex } from "./section-index.ts";
import { estimateTokens } from "./tokens.ts";

/** Hits that are asked for: as many as the search page shows, and more where most may be of another form. */
const HITS = 20;
const HITS_OF_A_FORM = 100;
export const DEFAULT_SECTIONS = 5;
/** Further sections, where the first ones leave room and the caller named no number. */
export const FURTHER_SECTIONS = 3;
export const MAX_SECTIONS = 10;
/** For a whole answer. */
export const ANSWER_TOKENS = 1_500;
/** What the words around the sections take: numbers, paths, notes. */
const FRAME_TOKENS = 60;
/** Parts of the budget that the sections get in their order; what one leaves, the next ones have. */
const SHARES = [0.38, 0.24, 0.16, 0.12, 0.1];
/** The section of an error's page that has the way out. */
const REMEDY_TITLE = "What to do";
/** Of the order by sections' questions: the search's own order knows these questions already. */
const QUESTIONS_WEIGHT = 0.5;
/** A shorter text answers nothing. */
const LEAST_TOKENS = 40;

export interface FoundSection {
  /** Of the page and the headings above, outermost first. */
  readonly titles: readonly string[];
  /** With the anchor. */
  readonly path: string;
  readonly address: string;
  readonly text: string;
  /** Whether `text` is the whole section. */
  readonly isWhole: boolean;
}

export interface SectionSearch {
  readonly question: string;
  readonly form?: Form | undefined;
  /** Default {@link DEFAULT_SECTIONS}, and {@link FURTHER_SECTIONS} more where they fit. */
  readonly limit?: number | undefined;
  /** Default {@link ANSWER_TOKENS}. */
  readonly maxTokens?: number | undefined;
}

export interface SectionAnswer {
  /** What was searched: of a pasted log, the lines that matter. */
  readonly searched: string;
  readonly sections: readonly FoundSection[];
  /** Words that no page has, each with the nearest that some have. */
  readonly unknown: EngineAnswer["unknown"];
}

interface Place {
  readonly page: DocsPage;
  readonly section: SectionText;
  /** Of the search, where it has found the section. */
  readonly hit: EngineHit | undefined;
  readonly anchor: string | null;
}

/** @throws What the engine throws while there is no index. */
export async function searchSections(library: DocsLibrary, search: SectionSearch): Promise<SectionAnswer> {
  const { question, form, limit = DEFAULT_SECTIONS + FURTHER_SECTIONS, maxTokens = ANSWER_TOKENS } = search;
  const searched = isPasted(question) ? distillMessage(question) : cleanText(question);
  if (searched === "") return { searched, sections: [], unknown: [] };
  const answer = await library.ask({
    text: searched,
    filter: [],
    facets: [],
    offset: 0,
    limit: form === undefined ? HITS : HITS_OF_A_FORM,
    typoTolerance: true,
    queryType: "prefixLast",
  });
  const found = findPlaces(library, answer.hits, form);
  const places = isLong(searched) ? joinPlaces(library, search, found, searched, limit) : found.slice(0, limit);
  const key = JSON.stringify([searched, maxTokens, places.map(({ page, section }) => [page.path, section.start])]);
  const known = remembered(library);
  const sections = known.get(key) ?? excerptPlaces(library, places, answer, maxTokens);
  known.delete(key);
  known.set(key, sections);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_REMEMBERED) break;
    known.delete(oldest);
  }
  return { searched, sections, unknown: answer.unknown };
}

/** Texts for the same places and the same question are the same, and assistants ask the same again and again. */
const MAX_REMEMBERED = 200;
const memories = new WeakMap<DocsLibrary, Map<string, readonly FoundSection[]>>();

function remembered(library: DocsLibrary): Map<string, readonly FoundSection[]> {
  const known = memories.get(library) ?? new Map<string, readonly FoundSection[]>();
  memories.set(library, known);
  return known;
}

function excerptPlaces(
  library: DocsLibrary,
  places: readonly Place[],
  answer: EngineAnswer,
  maxTokens: number,
): readonly FoundSection[] {
  const sections: FoundSection[] = [];
  let left = maxTokens - FRAME_TOKENS;
  for (const [index, place] of places.entries()) {
    const share = SHARES[index] ?? SHARES.at(-1) ?? 0;
    // After those that have one, a section has what is left.
    const rest = SHARES.slice(index, places.length).reduce((sum, each) => sum + each, 0) || share;
    const titles = listTitles(place);
    const path = place.anchor === null ? place.page.path : `${place.page.path}#${place.anchor}`;
    const head = estimateTokens(`${titles.join(" > ")}\n${path}\n\n`) + 4;
    const room = Math.floor(left * Math.min(1, share / rest)) - head;
    if (room < LEAST_TOKENS) break;
    const { section, page, hit } = place;
    const markdown = withoutHeading(page.markdown.slice(section.start, section.end));
    const body = library.shorten(
      markdown.trim() === "" ? page.description : markdown + findRemedy(library, page, section),
    );
    const { text, isWhole } = excerptSection(body, room, answer.matchTerm, hit?.record.content ?? "");
    left -= head + estimateTokens(text);
    sections.push({ titles, path, address: library.formatAddress(path), text, isWhole });
  }
  return sections;
}

const indexes = new WeakMap<DocsLibrary, SectionIndex>();

/** For a question in sentences, the search's order joined with that of the sections' own words. */
function joinPlaces(
  library: DocsLibrary,
  { form }: SectionSearch,
  found: readonly Place[],
  searched: string,
  limit: number,
): Place[] {
  const index = indexes.get(library) ?? new SectionIndex(library);
  indexes.set(library, index);
  const toPlaces = (ranked: readonly RankedSection[]): Place[] =>
    ranked
      .filter(({ page }) => form === undefined || isOfForm(page.path, form))
      .map(({ page, section }) => {
        const known = found.find((place) => place.page === page && place.section.start === section.start);
        return known ?? { page, section, hit: undefined, anchor: section.anchor };
      });
  const rankable = (place: Place) => ({
    ...place,
    path: place.page.path,
    start: place.section.start,
    title: place.section.title,
  });
  const order = (places: readonly Place[], weight = 1) => ({ weight, places: places.map(rankable) });
  const rank = (question: string) => order(toPlaces(index.rank(question)));
  const orders = [
    order(found),
    rank(searched),
    order(toPlaces(index.rankByQuestions(searched)), QUESTIONS_WEIGHT),
    ...listSentences(searched).map(rank),
  ];
  return joinOrders(searched, orders, limit);
}

/** Each section once, in the order of the hits. A page that answers with a section needs no turn for itself. */
function findPlaces(library: DocsLibrary, hits: readonly EngineHit[], form: Form | undefined): Place[] {
  const places = new Map<string, Place>();
  for (const hit of hits) {
    const found = locate(library, hit.record);
    if (found === undefined || (form !== undefined && !isOfForm(found.page.path, form))) continue;
    const { page, section } = found;
    const key = `${page.path} ${section.start}`;
    if (!places.has(key)) places.set(key, { page, section, hit, anchor: hit.record.anchor ?? section.anchor });
  }
  const all = [...places.values()];
  return all.filter(
    ({ page, section, hit }) =>
      hit?.record.type !== "lvl1" || !all.some((other) => other.page === page && other.section !== section),
  );
}

/** Where the records of each library are: an engine gives the same record for the same hit. */
const locations = new WeakMap<DocsLibrary, WeakMap<SearchRecord, RankedSection>>();

function locate(library: DocsLibrary, record: SearchRecord): RankedSection | undefined {
  const known = locations.get(library) ?? new WeakMap<SearchRecord, RankedSection>();
  locations.set(library, known);
  const found = known.get(record);
  if (found !== undefined) return found;
  const page = library.findPage(record.url_without_anchor);
  if (page === undefined) return undefined;
  const made = { page, section: findSection(library, page, record) };
  known.set(record, made);
  return made;
}

/** The section with the record's anchor, or with the innermost of its headings that the page's Markdown has. */
function findSection(library: DocsLibrary, page: DocsPage, { anchor, hierarchy }: SearchRecord): SectionText {
  const sections = library.listSections(page);
  const [beginning] = sections;
  const titles = HIERARCHY_LEVELS.slice(2)
    .map((level) => hierarchy[level])
    .filter((title) => title !== null)
    .reverse();
  for (const title of titles) {
    const called = sections.filter((section) => section.title === title);
    const found = called.find((section) => section.anchor === anchor) ?? called[0];
    if (found !== undefined) return found;
  }
  return (
    sections.find((section) => section.anchor !== null && section.anchor === anchor) ??
    beginning ?? {
      anchor: null,
      title: page.title,
      level: 1,
      start: 0,
      end: page.markdown.length,
      endOfAll: page.markdown.length,
    }
  );
}

function listTitles({ page, section, hit }: Place): string[] {
  if (hit === undefined) return section.level === 1 ? [page.title] : [page.title, section.title];
  const { hierarchy } = hit.record;
  return [page.title, ...HIERARCHY_LEVELS.slice(2).flatMap((level) => hierarchy[level] ?? [])];
}

/** A reader who meets an error wants the solution, in whichever section of its page the message is. */
function findRemedy(library: DocsLibrary, page: DocsPage, section: SectionText): string {
  if (!page.path.includes("/reference/errors/") || section.title === REMEDY_TITLE) return "";
  const remedy = library.listSections(page).find(({ title }) => title === REMEDY_TITLE);
  return remedy === undefined
    ? ""
    : `\n${REMEDY_TITLE}:\n\n${withoutHeading(page.markdown.slice(remedy.start, remedy.end))}`;
}

/** The titles say it. */
function withoutHeading(markdown: string): string {
  return markdown.replace(/^(?:#{1,6} |[\s>]*\*\*).*\n+/, "");
}
