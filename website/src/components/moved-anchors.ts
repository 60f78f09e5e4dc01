/** Where the anchors of a page lead that was divided: to the link that stands in the place of each. */

/**
 * @param hash Of the address, with its `#`.
 * @returns Path and fragment of the link at the anchor; `undefined` when the anchor is a place of this page.
 */
export function findMovedTarget(page: Pick<Document, "getElementById">, hash: string): string | undefined {
  const anchor = page.getElementById(hash.slice(1));
  if (anchor?.tagName !== "SPAN") return undefined;
  const link = anchor.querySelector("a");
  return link === null ? undefined : link.pathname + link.hash;
}
