/** The stock DocSearch modal with what the theme passes to it: filters of the page's context, links and navigation. */

import { DocSearchModal } from "@docsearch/react/modal";
import Link from "@docusaurus/Link";
import { useHistory } from "@docusaurus/router";
import { isRegexpStringMatch, useSearchLinkCreator } from "@docusaurus/theme-common";
import { useAlgoliaContextualFacetFilters, useSearchResultUrlProcessor } from "@docusaurus/theme-search-algolia/client";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { changeSearchInput, SEARCH_INPUT } from "@site/src/components/search-input.ts";
import {
  NO_NOTES,
  type NotedAnswer,
  type QueryNotes,
  readNotes,
  replaceWord,
  UnknownWords,
} from "@site/src/components/unknown-words.tsx";
import translations from "@theme/SearchTranslations";
import { Listeners } from "@toolhive/http/listeners";
import { type ComponentProps, type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";

type ModalProps = ComponentProps<typeof DocSearchModal>;
type FacetFilters = string | readonly (string | readonly string[])[];

interface AlgoliaConfig extends Pick<ModalProps, "appId" | "apiKey" | "indexName" | "placeholder"> {
  readonly contextualSearch: boolean;
  readonly externalUrlRegex?: string;
  readonly searchPagePath: string | false;
  readonly searchParameters?: Record<string, unknown> & { facetFilters?: FacetFilters };
}

export interface SearchDialogProps {
  readonly onClose: () => void;
}

export function SearchDialog({ onClose }: SearchDialogProps) {
  const { siteConfig, siteMetadata } = useDocusaurusContext();
  const config = siteConfig.themeConfig.algolia as AlgoliaConfig;
  const { appId, apiKey, indexName, externalUrlRegex } = config;
  const history = useHistory();
  const processUrl = useSearchResultUrlProcessor();
  const contextFilters = useAlgoliaContextualFacetFilters();
  const createSearchLink = useSearchLinkCreator();
  // Kept apart from this component's state: a modal that is rendered again restarts its search, without its hits.
  const [notes] = useState(createNotesStore);

  const searchParameters = useMemo(() => {
    const configured = config.searchParameters?.facetFilters ?? [];
    const asList = (filters: FacetFilters) => (typeof filters === "string" ? [filters] : filters);
    const facetFilters = config.contextualSearch ? [...asList(contextFilters), ...asList(configured)] : configured;
    return { ...config.searchParameters, facetFilters };
  }, [config, contextFilters]);

  const stable = useMemo(
    () => ({
      navigator: {
        navigate({ itemUrl }: { itemUrl: string }) {
          if (isRegexpStringMatch(externalUrlRegex, itemUrl)) window.location.href = itemUrl;
          else history.push(itemUrl);
        },
      },
      transformItems: ((items) => items.map((item) => ({ ...item, url: processUrl(item.url) }))) as NonNullable<
        ModalProps["transformItems"]
      >,
      transformSearchClient: ((client) => {
        client.addAlgoliaAgent("docusaurus", siteMetadata.docusaurusVersion);
        return withNotes(client, notes);
      }) as TransformSearchClient,
    }),
    [externalUrlRegex, history, processUrl, siteMetadata.docusaurusVersion, notes],
  );

  const resultsFooter = useMemo<NonNullable<ModalProps["resultsFooterComponent"]>>(
    () =>
      ({ state }) => (
        <Link to={createSearchLink(state.query)} onClick={onClose}>
          See all {String(state.context.nbHits ?? "")} results
        </Link>
      ),
    [createSearchLink, onClose],
  );

  // After the modal's own effects: it has its focus and listens to its input.
  useEffect(typeWaitingKeys, []);

  const restarts = useRestartAtFirstFavourite(indexName);

  const modal = (
    <DocSearchModal
      key={restarts}
      appId={appId}
      apiKey={apiKey}
      indexName={indexName}
      initialScrollY={window.scrollY}
      hitComponent={Hit}
      {...stable}
      resultsFooterComponent={resultsFooter}
      placeholder={config.placeholder ?? translations.placeholder}
      {...(translations.modal === undefined ? {} : { translations: translations.modal })}
      searchParameters={searchParameters as NonNullable<ModalProps["searchParameters"]>}
      onClose={onClose}
    />
  );
  return (
    <>
      {createPortal(modal, document.body)}
      <UnknownWordsBelowInput key={restarts} store={notes} />
    </>
  );
}

type TransformSearchClient = NonNullable<ModalProps["transformSearchClient"]>;
type SearchClient = Parameters<TransformSearchClient>[0];

/** Keeps what the service says of each query beside its hits. */
function withNotes(client: SearchClient, notes: NotesStore): SearchClient {
  const search = client.search.bind(client);
  client.search = (async (...asked: Parameters<typeof search>) => {
    const answer = await search(...asked);
    const [first] = answer.results as readonly NotedAnswer[];
    notes.set(readNotes(first));
    return answer;
  }) as typeof search;
  return client;
}

/**
 * Beside favourites, four recent searches are kept instead of seven. The stock modal counts them when it opens. This hook counts up when a
 * reader stars the first search, so that React creates the modal again and it shows four.
 */
function useRestartAtFirstFavourite(indexName: string): number {
  const [restarts, setRestarts] = useState(0);
  useEffect(() => {
    const dropdown = document.querySelector(".DocSearch-Dropdown");
    if (restarts > 0 || dropdown === null || hasFavourites(indexName)) return;
    const observer = new MutationObserver(() => {
      const isAtStart = document.querySelector<HTMLInputElement>(SEARCH_INPUT)?.value === "";
      if (isAtStart && hasFavourites(indexName)) setRestarts(1);
    });
    observer.observe(dropdown, { subtree: true, childList: true });
    return () => observer.disconnect();
  }, [indexName, restarts]);
  return restarts;
}

function hasFavourites(indexName: string): boolean {
  try {
    const saved = window.localStorage.getItem(`__DOCSEARCH_FAVORITE_SEARCHES__${indexName}`);
    return saved !== null && saved !== "[]";
  } catch {
    // Storage is blocked: the modal remembers nothing.
    return false;
  }
}

interface NotesStore {
  readonly get: () => QueryNotes;
  readonly set: (notes: QueryNotes) => void;
  readonly subscribe: (onChange: () => void) => () => void;
}

function createNotesStore(): NotesStore {
  const listeners = new Listeners();
  let current = NO_NOTES;
  return {
    get: () => current,
    set: (notes) => {
      current = notes;
      listeners.notify();
    },
    subscribe: (onChange) => listeners.add(onChange),
  };
}

function UnknownWordsBelowInput({ store }: { readonly store: NotesStore }) {
  const notes = useSyncExternalStore(store.subscribe, store.get);
  return (
    <BelowInput onEmpty={() => store.set(NO_NOTES)}>
      <UnknownWords notes={notes} onReplace={replaceInInput} className="unknown-words" />
    </BelowInput>
  );
}

/** The modal has no place for more than its results: this makes one, between its input and them. */
function BelowInput({ children, onEmpty }: { readonly children: ReactNode; readonly onEmpty: () => void }) {
  const [place, setPlace] = useState<HTMLElement | undefined>(undefined);
  const whenEmpty = useRef(onEmpty);
  whenEmpty.current = onEmpty;
  useEffect(() => {
    const bar = document.querySelector(".DocSearch-SearchBar");
    const input = document.querySelector<HTMLInputElement>(SEARCH_INPUT);
    if (bar === null || input === null) return;
    const made = document.createElement("div");
    bar.after(made);
    setPlace(made);
    const look = () => {
      if (input.value === "") whenEmpty.current();
    };
    input.addEventListener("input", look);
    return () => {
      input.removeEventListener("input", look);
      made.remove();
    };
  }, []);
  return place === undefined ? null : createPortal(children, place);
}

/** Types the keys that were pressed while the modal was being loaded; from now on its input receives them. */
function typeWaitingKeys(): void {
  const keys = window.searchKeys;
  if (!keys.isAsked) return;
  keys.isAsked = false;
  if (keys.typed === "") return;
  changeSearchInput(({ value, selectionStart, selectionEnd }) => {
    // Text that was selected on the page is in the input, selected again: what is typed takes its place.
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    return value.slice(0, from) + keys.typed + value.slice(to);
  });
}

function replaceInInput(word: string, by: string): void {
  changeSearchInput(({ value }) => replaceWord(value, word, by));
}

/**
 * A hit is an option of a list, and an option may hold nothing that takes the focus: this is a link to the pointer only.
 * The modal itself handles Enter on the option.
 */
const Hit: NonNullable<ModalProps["hitComponent"]> = ({ hit, children }) => {
  const history = useHistory();
  const openElsewhere = () => window.open(hit.url, "_blank", "noopener");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: see above.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <a
      // biome-ignore lint/a11y/useValidAnchor: see above.
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) openElsewhere();
        else history.push(hit.url);
      }}
      onAuxClick={(event) => {
        if (event.button === 1) openElsewhere();
      }}
    >
      {children}
    </a>
  );
};
