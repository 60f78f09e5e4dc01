/** The not-found page: says which address is missing, offers a search for its words, and the likeliest pages. */
import { useLocation } from "@docusaurus/router";
import useIsBrowser from "@docusaurus/useIsBrowser";
import { PopularPages } from "@site/src/components/popular-pages.tsx";
import Heading from "@theme/Heading";
import type { Props } from "@theme/NotFound/Content";
import clsx from "clsx";
import styles from "./styles.module.css";

export default function NotFoundContent({ className }: Props) {
  const { pathname } = useLocation();
  // The static page is the same for every address; the address is known in the browser only.
  const isBrowser = useIsBrowser();
  const words = isBrowser ? splitWords(pathname) : "";
  return (
    <main className={clsx("container margin-vert--xl", styles.notFound, className)}>
      <Heading as="h1">Page Not Found</Heading>
      <p>
        There is no page at {isBrowser ? <code className={styles.address}>{pathname}</code> : "this address"}. It may
        have moved, or the link that brought you here has a mistake.
      </p>
      <search>
        <form action="/search" method="get" className={styles.search}>
          <label htmlFor="missing-page">Search the documentation</label>
          <input key={words} id="missing-page" name="q" type="search" defaultValue={words} maxLength={64} />
          <button type="submit" className="button button--primary">
            Search
          </button>
        </form>
      </search>
      <Heading as="h2">Popular pages</Heading>
      <PopularPages />
    </main>
  );
}

/** The words of an address, as a search: `/toolhive/guides-cli/run_servers.html` gives `guides cli run servers`. */
function splitWords(pathname: string): string {
  return pathname
    .replace(/\.html$/, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && word !== "toolhive")
    .join(" ")
    .slice(0, 64);
}
