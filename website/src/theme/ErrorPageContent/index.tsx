/** Replaces a page whose code failed: the error, another try, and links to other pages. */
import Link from "@docusaurus/Link";
import { PopularPages } from "@site/src/components/popular-pages.tsx";
import type { Props } from "@theme/Error";
import Heading from "@theme/Heading";
import styles from "./styles.module.css";

export default function ErrorPageContent({ error, tryAgain }: Props) {
  return (
    <main className={`container margin-vert--xl ${styles.crash}`}>
      <Heading as="h1">This page crashed.</Heading>
      <p>An error occurred in the page's code. The rest of the site works.</p>
      <pre className={styles.message}>{listMessages(error).join("\n\nCause:\n")}</pre>
      <p className={styles.actions}>
        <button type="button" className="button button--primary" onClick={tryAgain}>
          Try again
        </button>
        <Link className="text-link" to="/toolhive/faq#where-do-i-report-a-bug">
          Report it
        </Link>
      </p>
      <Heading as="h2">Popular pages</Heading>
      <PopularPages />
    </main>
  );
}

function listMessages(error: Error): string[] {
  return [error.message, ...(error.cause instanceof Error ? listMessages(error.cause) : [])];
}
