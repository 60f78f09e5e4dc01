/** The static text of a page: where it comes from, and the properties by which an element shows one part of it. */

/** For the element that shows the part: `<p {...part} />`. */
export interface StaticPart {
  /** By it the part is found in a built page. */
  readonly "data-static": string;
  /** The same object at each rendering: with another one the browser would create the content again. */
  readonly dangerouslySetInnerHTML: { readonly __html: string };
}

/**
 * The first page that a reader opens was built with its text: it is taken from there before scripts take over. For the pages
 * after it, the text is fetched.
 *
 * @param key Names the page in `data-static`.
 * @param inline The text where the bundle has it: in the build, and while pages are watched.
 */
export async function readParts(
  key: string,
  count: number,
  address: string,
  inline: readonly string[] | undefined,
): Promise<readonly StaticPart[]> {
  const texts = inline ?? findInPage(key, count) ?? (await fetchTexts(address));
  return texts.map((html, number) => ({
    "data-static": `${key}-${number}`,
    dangerouslySetInnerHTML: { __html: html },
  }));
}

/** @returns `undefined` unless the page has every part once. */
function findInPage(key: string, count: number): readonly string[] | undefined {
  const found = document.querySelectorAll(`[data-static^="${key}-"]`);
  const texts = new Map(
    [...found].map((element) => [element.getAttribute("data-static")?.slice(key.length + 1), element.innerHTML]),
  );
  if (found.length !== count || texts.size !== count) return undefined;
  return Array.from({ length: count }, (_, number) => texts.get(String(number)) ?? "");
}

/** A failure is one of the page's bundle: the framework warns and loads the page as a whole. */
async function fetchTexts(address: string): Promise<readonly string[]> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The text of the page could not be loaded: ${address} answered ${answer.status}.`);
  return (await answer.json()) as readonly string[];
}
