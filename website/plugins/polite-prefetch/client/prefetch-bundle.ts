/** Asks the browser to fetch a bundle for later, once, in an idle moment, and takes the element away when it has. */
import { createIdleQueue } from "./idle-queue.ts";
import { whenIdle } from "./when-idle.ts";

// A queue of its own: a route's job in the other queue waits for its bundles.
const queue = createIdleQueue(whenIdle);

/** @returns When the browser has the bundle or could not get it; at once for a bundle that was asked for before. */
export default function prefetchBundle(url: string): Promise<void> {
  return queue.add(url, () => fetchForLater(url)) ?? Promise.resolve();
}

function fetchForLater(url: string): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "prefetch";
    link.href = url;
    const end = () => {
      link.remove();
      resolve();
    };
    link.onload = end;
    // The browser's console tells of a bundle that is not there; navigation meets it again and says what to do.
    link.onerror = end;
    document.head.append(link);
  });
}
