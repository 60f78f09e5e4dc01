import { describe, expect, test } from "vitest";
import { createRoutePrefetcher } from "./client/route-prefetcher.ts";

/** A prefetcher whose idle moments all come at once, and whose pages weigh 10 bytes each. */
function createPrefetcher({ order = [], allowanceBytes = 1_000 }: { order?: string[]; allowanceBytes?: number }) {
  const fetched: string[] = [];
  const waiting: (() => void)[] = [];
  const prefetcher = createRoutePrefetcher({
    whenIdle: (work) => void waiting.push(work),
    fetchRoute: async (routePath) => {
      fetched.push(routePath);
      if (routePath === "/broken") throw new Error("offline");
      return 10;
    },
    measureDistances: () => (routePath) => order.indexOf(routePath),
    allowanceBytes,
  });
  return {
    fetched,
    prefetcher,
    async idle(): Promise<void> {
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
        work();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

describe("the route prefetcher", () => {
  test("fetches the nearest of the pages it has seen first, each once", async () => {
    const { prefetcher, fetched, idle } = createPrefetcher({ order: ["/next", "/in-text", "/far"] });

    for (const routePath of ["/far", "/in-text", "/next", "/far"]) prefetcher.see(routePath);
    await idle();
    prefetcher.see("/next");
    await idle();

    expect(fetched).toEqual(["/next", "/in-text", "/far"]);
  });

  test("begins nothing more when the page's allowance is spent, and goes on with the next page's", async () => {
    const { prefetcher, fetched, idle } = createPrefetcher({
      order: ["/a", "/b", "/c", "/d", "/e"],
      allowanceBytes: 20,
    });
    for (const routePath of ["/a", "/b", "/c", "/d", "/e"]) prefetcher.see(routePath);
    await idle();
    expect(fetched).toEqual(["/a", "/b"]);

    prefetcher.startPage();
    await idle();

    expect(fetched).toEqual(["/a", "/b", "/c", "/d"]);
  });

  test("goes on after a page that could not be fetched", async () => {
    const { prefetcher, fetched, idle } = createPrefetcher({ order: ["/broken", "/a"] });

    for (const routePath of ["/broken", "/a"]) prefetcher.see(routePath);
    await idle();

    expect(fetched).toEqual(["/broken", "/a"]);
  });
});
