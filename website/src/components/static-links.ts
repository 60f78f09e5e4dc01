/** Links in static text: the build checks them, and in the browser they open pages of the site as all others do. */
import ExecutionEnvironment from "@docusaurus/ExecutionEnvironment";
import { useHistory } from "@docusaurus/router";
import useBrokenLinks from "@docusaurus/useBrokenLinks";
import type { StaticPart } from "@site/plugins/static-text/client/read-parts.ts";
import { type RefObject, useEffect } from "react";

/** `plugins/static-text` writes links to pages of the site like this, and no other ones. */
const PAGE_LINK = 'a[href^="/"]';

/** @param box The element that shows the part. */
export function useStaticLinks(part: StaticPart, box: RefObject<HTMLElement | null>): void {
  const html = part.dangerouslySetInnerHTML.__html;
  const brokenLinks = useBrokenLinks();
  const history = useHistory();
  if (!ExecutionEnvironment.canUseDOM) {
    // The build checks links and their anchors; it sees only those that are reported to it.
    for (const [, id] of html.matchAll(/<span id="([^"]+)"/g)) brokenLinks.collectAnchor(id ?? "");
    for (const [, href] of html.matchAll(/<a href="([#/][^"]*)"/g)) brokenLinks.collectLink(href ?? "");
  }
  useEffect(() => {
    const links = html.includes('<a href="/') ? box.current?.querySelectorAll<HTMLAnchorElement>(PAGE_LINK) : undefined;
    return links === undefined ? undefined : followLinks([...links], (address) => history.push(address));
  }, [html, box, history]);
}

/**
 * Does for links what the framework's component does: fetches a page for later when its link is in view, loads it when the pointer is
 * on the link, and opens it without loading the site again.
 *
 * @returns Ends it.
 */
function followLinks(links: readonly HTMLAnchorElement[], open: (address: string) => void): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      window.docusaurus.prefetch(readAddress(target as HTMLAnchorElement));
    }
  });
  for (const link of links) {
    const preload = () => void window.docusaurus.preload(readAddress(link));
    link.addEventListener("mouseenter", preload, { signal, once: true });
    link.addEventListener("touchstart", preload, { signal, once: true, passive: true });
    link.addEventListener(
      "click",
      (event) => {
        // With another button or a key, the browser opens a tab or keeps the page.
        if (event.defaultPrevented || event.button !== 0) return;
        if (event.metaKey || event.altKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        open(readAddress(link));
      },
      { signal },
    );
    seen.observe(link);
  }
  return () => {
    ended.abort();
    seen.disconnect();
  };
}

function readAddress({ pathname, search, hash }: HTMLAnchorElement): string {
  return pathname + search + hash;
}
