/** How far a page is from the open one in the reader's order: what the text leads to, then the menu from here on, then the rest. */

const IN_TEXT = "article a[href], main:not(:has(article)) a[href]";
/** Without headings that only open and close: their links lead to the open page. */
const IN_MENU = '.theme-doc-sidebar-menu a[href]:not([href^="#"])';

/** @returns A function of the page's path, valid for as long as the page is shown. The next page of the menu has distance 1. */
export function measureReadingDistances(): (routePath: string) => number {
  const text = new Set(listPaths(IN_TEXT));
  const menu = listPaths(IN_MENU);
  const here = menu.indexOf(location.pathname);
  return (routePath) => {
    const place = menu.indexOf(routePath);
    if (here !== -1 && place === here + 1) return 1;
    if (text.has(routePath)) return 2;
    if (here === -1 || place === -1) return Number.MAX_SAFE_INTEGER;
    return 2 + Math.abs(place - here);
  };
}

function listPaths(selector: string): string[] {
  return [...document.querySelectorAll<HTMLAnchorElement>(selector)].map(({ pathname }) => pathname);
}
