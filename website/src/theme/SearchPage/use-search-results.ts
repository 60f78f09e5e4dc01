/** Asks the search service for the page's query and keeps the answer: the state behind the search page. */
import {
  useAlgoliaContextualFacetFilters,
  useAlgoliaThemeConfig,
  useSearchResultUrlProcessor,
} from "@docusaurus/theme-search-algolia/client";
import { NO_NOTES, type NotedAnswer, type QueryNotes, readNotes } from "@site/src/components/unknown-words.tsx";
import { liteClient } from "algoliasearch/lite";
import { useCallback, useEffect, useMemo, useReducer, useRef } from "react";

/** Hits per request, as on the stock page. */
const HITS_PER_PAGE = 15;
/** Wait after the last key before a request is sent, milliseconds. */
const TYPING_PAUSE_MS = 300;

export interface SearchHit {
  readonly objectID: string;
  readonly path: string;
  /** From the section down to the heading; escaped text with `<mark>`. */
  readonly titles: readonly string[];
  readonly summary: string;
}

interface State {
  readonly query: string;
  readonly status: "idle" | "loading" | "done" | "failed";
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly nextPage: number | undefined;
  readonly notes: QueryNotes;
}

type Action =
  | { type: "ask"; query: string }
  | {
      type: "answer";
      query: string;
      page: number;
      hits: readonly SearchHit[];
      total: number;
      pages: number;
      notes: QueryNotes;
    }
  | { type: "failure"; query: string };

const IDLE: State = { query: "", status: "idle", hits: [], total: 0, nextPage: undefined, notes: NO_NOTES };

function reduce(state: State, action: Action): State {
  if (action.type === "ask") return action.query === "" ? IDLE : { ...IDLE, query: action.query, status: "loading" };
  // An answer to an earlier query arrives too late to be shown.
  if (action.query !== state.query) return state;
  if (action.type === "failure") return { ...state, status: "failed" };
  return {
    ...state,
    status: "done",
    hits: action.page === 0 ? action.hits : [...state.hits, ...action.hits],
    total: action.total,
    notes: action.notes,
    nextPage: action.page + 1 < action.pages ? action.page + 1 : undefined,
  };
}

export type SearchResults =
  | { readonly kind: "idle" | "loading" }
  | { readonly kind: "none"; readonly notes: QueryNotes }
  | { readonly kind: "failed"; readonly retry: () => void }
  | {
      readonly kind: "found";
      readonly hits: readonly SearchHit[];
      readonly total: number;
      readonly notes: QueryNotes;
      readonly more: (() => void) | undefined;
    };

interface RawAnswer {
  readonly results: readonly ({
    readonly hits: readonly {
      readonly objectID: string;
      readonly url: string;
      readonly _highlightResult?: {
        readonly hierarchy?: Readonly<Record<string, { readonly value: string } | undefined>>;
      };
      readonly _snippetResult?: { readonly content?: { readonly value: string } };
    }[];
    readonly nbHits: number;
    readonly nbPages: number;
  } & NotedAnswer)[];
}

/** The first level ends with the name of the page, which is the second level: it is left out, so that it is read once. */
function listTitles([section = "", ...titles]: readonly string[]): string[] {
  const above = section.split(" / ").slice(0, -1).join(" / ");
  const repeats = withoutMarks(section.split(" / ").at(-1) ?? "") === withoutMarks(titles[0] ?? "");
  return (repeats ? [above, ...titles] : [section, ...titles]).filter((title) => title !== "");
}

function withoutMarks(html: string): string {
  return html.replaceAll(/<\/?mark>/g, "");
}

export function useSearchResults(query: string): SearchResults {
  const { algolia } = useAlgoliaThemeConfig();
  const { appId, apiKey, indexName } = algolia;
  const facetFilters = useAlgoliaContextualFacetFilters();
  const processUrl = useSearchResultUrlProcessor();
  const client = useMemo(() => liteClient(appId, apiKey), [appId, apiKey]);
  const [state, dispatch] = useReducer(reduce, IDLE);
  const context = useRef({ facetFilters, processUrl });
  context.current = { facetFilters, processUrl };

  const ask = useCallback(
    async (text: string, page: number) => {
      try {
        const answer = (await client.search({
          requests: [
            {
              indexName,
              query: text,
              page,
              hitsPerPage: HITS_PER_PAGE,
              facetFilters: algolia.contextualSearch ? context.current.facetFilters : [],
              attributesToSnippet: ["content:20"],
              snippetEllipsisText: "…",
              highlightPreTag: "<mark>",
              highlightPostTag: "</mark>",
            },
          ],
        })) as unknown as RawAnswer;
        const result = answer.results[0];
        if (result === undefined) throw new Error("The search service answered without a result.");
        const hits = result.hits.map((hit) => ({
          objectID: hit.objectID,
          path: context.current.processUrl(hit.url),
          titles: listTitles(
            Object.values(hit._highlightResult?.hierarchy ?? {}).flatMap((level) =>
              level?.value ? [level.value] : [],
            ),
          ),
          summary: hit._snippetResult?.content?.value ?? "",
        }));
        const { nbHits: total, nbPages: pages } = result;
        dispatch({ type: "answer", query: text, page, hits, total, pages, notes: readNotes(result) });
      } catch (error) {
        // The client's own message names the support of the hosted provider, who cannot help with this site.
        console.error(error);
        dispatch({ type: "failure", query: text });
      }
    },
    [client, indexName, algolia.contextualSearch],
  );

  useEffect(() => {
    dispatch({ type: "ask", query });
    if (query === "") return;
    const timer = window.setTimeout(() => void ask(query, 0), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [query, ask]);

  const { nextPage } = state;
  const askedPage = useRef(0);
  const more = useCallback(() => {
    if (nextPage === undefined || askedPage.current === nextPage) return;
    askedPage.current = nextPage;
    void ask(query, nextPage);
  }, [ask, query, nextPage]);
  if (state.status === "loading") askedPage.current = 0;

  if (state.status === "failed") {
    const retry = () => {
      dispatch({ type: "ask", query });
      void ask(query, 0);
    };
    return { kind: "failed", retry };
  }
  if (state.status !== "done") return { kind: state.status };
  const { hits, total, notes } = state;
  if (hits.length === 0) return { kind: "none", notes };
  return { kind: "found", hits, total, notes, more: nextPage === undefined ? undefined : more };
}
