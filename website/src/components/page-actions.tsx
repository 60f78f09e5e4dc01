/** Takes the page elsewhere: copies its Markdown twin, or opens it. */
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { useEffect, useRef, useState } from "react";

/** How long the button says what happened, milliseconds. */
const RESULT_SHOWN_MS = 2000;

export function PageActions() {
  const { metadata } = useDoc();
  const twin = `${metadata.permalink.replace(/\/$/, "")}.md`;
  const [label, setLabel] = useState("Copy page");
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const copy = async () => {
    try {
      const answer = await fetch(twin);
      if (!answer.ok) throw new Error(`The Markdown file answered ${answer.status}.`);
      await navigator.clipboard.writeText(await answer.text());
      setLabel("Copied");
    } catch {
      // Offline or no permission: the link beside the button still opens the file.
      setLabel("Not copied");
    }
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setLabel("Copy page"), RESULT_SHOWN_MS);
  };

  return (
    <div className="page-actions" data-search-exclude="">
      <button
        type="button"
        className="clean-btn page-actions__item"
        aria-live="polite"
        title="Copy the page as Markdown"
        onClick={copy}
      >
        {label}
      </button>
      {/* A file, not a page of the site: an ordinary link, which the browser follows by itself. */}
      <a className="page-actions__item" href={twin} title="Open the page as Markdown">
        Markdown
      </a>
    </div>
  );
}
