/**
 * `window.docusaurus`: the framework's own, whose prefetches wait until the browser is idle and are bounded. A link to a
 * part of a page is a link to the page, whose bundles the framework would not find.
 */
import stock from "stock-docusaurus-global";
import { routePrefetcher } from "./route-prefetches.ts";

const readPath = (address: string) => new URL(address, window.location.href).pathname;

export default Object.freeze({
  prefetch: (address: string): void => routePrefetcher.see(readPath(address)),
  preload: (address: string): Promise<unknown> | false => stock.preload(readPath(address)),
});
