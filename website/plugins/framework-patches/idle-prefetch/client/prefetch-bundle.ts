/** Asks the browser to fetch a bundle for later, once, in an idle moment, and takes the element away when it has. */
import { createIdleQueue } from "./idle-queue.ts";
import { whenIdle } from "./when-idle.ts";

/** The size that counts for a bundle when the browser does not report it. */
const TYPICAL_BUNDLE_BYTES = 4_000;

const queue = createIdleQueue<number>(whenIdle);

/**
 * @returns When the browser has the bundle or could not get it, how many bytes the network transferred: 0 for a bundle that was
 * loaded or requested before.
 */
export default async function prefetchBundle(url: string): Promise<number> {
  return (await queue.add(url, () => fetchForLater(url))) ?? 0;
}

function fetchForLater(url: string): Promise<number> {
  const beganAt = performance.now();
  return document.createElement("link").relList.supports("prefetch")
    ? prefetchByLink(url, beganAt)
    : prefetchByRequest(url, beganAt);
}

function prefetchByLink(url: string, beganAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "prefetch";
    link.href = url;
    link.onload = () => {
      link.remove();
      resolve(transferredBytes(link.href, beganAt));
    };
    // The browser's console reports a missing bundle; navigation meets the same error and shows what to do.
    link.onerror = () => {
      link.remove();
      reject(new Error(`${url} could not be fetched.`));
    };
    document.head.append(link);
  });
}

/** Safari does not support such links. A bundle's name changes with its content, so that a loaded one is kept. */
async function prefetchByRequest(url: string, beganAt: number): Promise<number> {
  const answer = await fetch(url, { priority: "low" });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url} could not be fetched.`);
  return transferredBytes(answer.url, beganAt);
}

function transferredBytes(address: string, since: number): number {
  const entry = performance.getEntriesByName(address, "resource").find(({ startTime }) => startTime >= since);
  return entry instanceof PerformanceResourceTiming ? entry.transferSize : TYPICAL_BUNDLE_BYTES;
}
