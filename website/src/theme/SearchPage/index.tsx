/**
 * The search results page. It asks what the stock page asks (15 hits a request, facets of language and documentation
 * version, 300 ms after the last key) and adds what that lacks: a main landmark, a failure with Retry, help when
 * nothing was asked or found, and no code beyond the search client.
 */
import Head from "@docusaurus/Head";
import Link from "@docusaurus/Link";
import { PageMetadata, useSearchQueryString } from "@docusaurus/theme-common";
import useIsBrowser from "@docusaurus/useIsBrowser";
import { MissingResultsLink } from "@site/src/components/missing-results-link.tsx";
import { PopularPages } from "@site/src/components/popular-pages.tsx";
import { NO_NOTES, replaceWord, UnknownWords } from "@site/src/components/unknown-words.tsx";
import Heading from "@theme/Heading";
import Layout from "@theme/Layout";
import { useEffect, useRef } from "react";
import { Highlighted } from "./highlighted.tsx";
import styles from "./styles.module.css";
import { type SearchHit, useSearchResults } from "./use-search-results.ts";

/** Spec §5: search input maximum, characters. */
const MAX_QUERY_LENGTH = 64;

export default function SearchPage() {
  return (
    <Layout>
      <SearchPageContent />
    </Layout>
  );
}

/** Below the layout, which provides the documentation version that the filters need. */
function SearchPageContent() {
  const [asked, setQuery] = useSearchQueryString();
  // The built page knows no query. Until the browser has taken the page over, it has to show what was built.
  const query = useIsBrowser() ? asked : "";
  const results = useSearchResults(query);
  const title = query === "" ? "Search the documentation" : `Search results for "${query}"`;
  return (
    <>
      <PageMetadata title={title} />
      <Head>
        <meta property="robots" content="noindex, follow" />
        <meta name="robots" content="noindex, follow" />
      </Head>
      <main className={styles.page}>
        <Heading as="h1">{title}</Heading>
        <search>
          <input
            type="search"
            name="q"
            className={styles.input}
            placeholder="Type your search here"
            aria-label="Search"
            value={query}
            maxLength={MAX_QUERY_LENGTH}
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the page exists for this field, and nothing precedes it but its title.
            autoFocus
            onChange={(event) => setQuery(event.target.value)}
          />
        </search>
        <div aria-live="polite" className={styles.count}>
          {results.kind === "found" &&
            (results.total === 1 ? "One document found" : `${results.total} documents found`)}
        </div>
        <UnknownWords
          notes={"notes" in results ? results.notes : NO_NOTES}
          onReplace={(word, by) => setQuery(replaceWord(query, word, by))}
        />
        {results.kind === "idle" && <Suggestions lead="Popular pages:" />}
        {results.kind === "loading" && <div role="status" aria-label="Searching" className={styles.spinner} />}
        {results.kind === "none" && (
          <>
            <p>No results were found</p>
            <p>Try fewer or different words: a command, a flag, or the exact error message.</p>
            <Suggestions lead="These pages answer most questions:" />
            <MissingResultsLink query={query} />
          </>
        )}
        {results.kind === "failed" && (
          <div role="alert">
            <p>Unable to fetch results. You might want to check your network connection.</p>
            <p className={styles.reason}>
              The search of this site did not answer. Its pages are still here: use the menu, or try again in a minute.
            </p>
            <button type="button" className="button button--primary" onClick={results.retry}>
              Retry
            </button>
          </div>
        )}
        {results.kind === "found" && (
          <>
            {results.hits.map((hit) => (
              <Hit key={hit.objectID} hit={hit} />
            ))}
            {results.more && <More onReach={results.more} />}
          </>
        )}
      </main>
    </>
  );
}

function Hit({ hit }: { readonly hit: SearchHit }) {
  const titles = hit.titles.slice();
  const title = titles.pop() ?? hit.path;
  return (
    <article className={styles.hit}>
      <Heading as="h2" className={styles.hitTitle}>
        <Link to={hit.path}>
          <Highlighted html={title} />
        </Link>
      </Heading>
      {titles.length > 0 && (
        <ul className={styles.trail} aria-label="Where it is">
          {titles.map((part) => (
            <li key={part}>
              <Highlighted html={part} />
            </li>
          ))}
        </ul>
      )}
      {hit.summary !== "" && (
        <p className={styles.summary}>
          <Highlighted html={hit.summary} />
        </p>
      )}
    </article>
  );
}

/** Requests the next results when it is in view; a button for readers who do not scroll. */
function More({ onReach }: { readonly onReach: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const element = button.current;
    if (element === null || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) onReach();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [onReach]);
  return (
    <button ref={button} type="button" className="button button--secondary margin-top--lg" onClick={onReach}>
      Show more results
    </button>
  );
}

function Suggestions({ lead }: { readonly lead: string }) {
  return (
    <section aria-label="Suggested pages">
      <p>{lead}</p>
      <PopularPages />
      <p>
        Press <kbd>/</kbd> on any page to search from there.
      </p>
    </section>
  );
}
