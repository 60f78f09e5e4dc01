/**
 * Which of the pages that the reader sees links to are fetched for later, and when: one in each idle moment, the nearest
 * first, until the page has had its allowance. The others wait for the next page, or for the pointer.
 */

export interface RoutePrefetcher {
  /** A link to this page is in view now. A second call changes nothing. */
  see(routePath: string): void;
  /** The reader has opened another page, which has an allowance of its own. */
  startPage(): void;
}

export interface RoutePrefetcherOptions {
  /** Calls its argument once, in the browser's next idle moment. */
  readonly whenIdle: (work: () => void) => void;
  /** @returns How many bytes the network transferred; 0 for bundles that were loaded before. */
  readonly fetchRoute: (routePath: string) => Promise<number>;
  /** @returns A number for each page that can be compared: the smallest is fetched first. */
  readonly measureDistances: () => (routePath: string) => number;
  /** Bytes after which nothing more is begun for one page. */
  readonly allowanceBytes: number;
}

export function createRoutePrefetcher({
  whenIdle,
  fetchRoute,
  measureDistances,
  allowanceBytes,
}: RoutePrefetcherOptions): RoutePrefetcher {
  const known = new Set<string>();
  const waiting = new Set<string>();
  let spentBytes = 0;
  let isRunning = false;

  const nearest = (): string | undefined => {
    const distanceTo = measureDistances();
    return [...waiting].sort((a, b) => distanceTo(a) - distanceTo(b))[0];
  };

  const runNext = (): void => {
    if (isRunning || waiting.size === 0 || spentBytes >= allowanceBytes) return;
    isRunning = true;
    whenIdle(() => {
      const routePath = nearest();
      if (routePath === undefined) return;
      waiting.delete(routePath);
      const end = (bytes: number) => {
        spentBytes += bytes;
        isRunning = false;
        runNext();
      };
      // A failed prefetch is ignored; navigation retries it and reports its failure.
      fetchRoute(routePath).then(end, () => end(0));
    });
  };

  return {
    see(routePath) {
      if (known.has(routePath)) return;
      known.add(routePath);
      waiting.add(routePath);
      runNext();
    },
    startPage() {
      spentBytes = 0;
      runNext();
    },
  };
}
