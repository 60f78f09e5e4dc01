/**
 * Scrolls the menu to the page that is open when it or its neighbours would be out of sight, which in a long menu they mostly
 * are. When they are in sight already, the menu stays where the reader has it.
 */
interface RouteUpdate {
  readonly location: { readonly pathname: string };
  readonly previousLocation: { readonly pathname: string } | null;
}

/** Called by the framework when a page has been put into the document. */
export function onRouteDidUpdate({ location, previousLocation }: RouteUpdate): void {
  if (location.pathname === previousLocation?.pathname) return;
  const link = document.querySelector(".theme-doc-sidebar-menu a[aria-current=page]");
  const menu = link?.closest("nav");
  if (!link || !menu) return;
  const place = link.getBoundingClientRect();
  const frame = menu.getBoundingClientRect();
  // At the top of a page the menu reaches below the window by the height of what is above it.
  const bottom = Math.min(frame.bottom, window.innerHeight);
  const neighbour = 1.5 * place.height;
  if (place.top - neighbour >= frame.top && place.bottom + neighbour <= bottom) return;
  menu.scrollTop += place.top - frame.top - (bottom - frame.top) / 3;
}
