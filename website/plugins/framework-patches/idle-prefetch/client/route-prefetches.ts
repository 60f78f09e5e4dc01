/** The page's one prefetcher, and the framework's signal that the reader has opened another page. */
import stock from "stock-docusaurus-global";
import { measureReadingDistances } from "./reading-distance.ts";
import { createRoutePrefetcher } from "./route-prefetcher.ts";
import { whenIdle } from "./when-idle.ts";

/**
 * What links in view may fetch for one page: the next four to eight pages. A page and what it prefetches stay under the
 * weight of issue 3 (260 kB for a guide).
 */
const ALLOWANCE_BYTES = 24_000;

export const routePrefetcher = createRoutePrefetcher({
  whenIdle,
  fetchRoute: async (routePath) => {
    const sizes = await stock.prefetch(routePath);
    return sizes === false ? 0 : sizes.reduce<number>((sum, bytes = 0) => sum + bytes, 0);
  },
  measureDistances: measureReadingDistances,
  allowanceBytes: ALLOWANCE_BYTES,
});

/** Called by the framework. */
export function onRouteDidUpdate({
  location,
  previousLocation,
}: {
  readonly location: { readonly pathname: string };
  readonly previousLocation: { readonly pathname: string } | null;
}): void {
  if (previousLocation !== null && location.pathname !== previousLocation.pathname) routePrefetcher.startPage();
}
