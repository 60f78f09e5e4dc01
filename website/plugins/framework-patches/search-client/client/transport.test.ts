import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { liteClient } from "algoliasearch/lite";
import { describe, expect, test, vi } from "vitest";
import {
  FAILED_HOST_AVOIDED_MS,
  rememberFailedHosts,
  type SearchHost,
  type SearchTransporter,
  sameOriginHosts,
  withVisibleFailure,
} from "./transport.ts";

const HOST: SearchHost = { url: "a.example", protocol: "https", accept: "read" };
const state = (kind: "up" | "down" | "timed out") => ({
  lastUpdate: 0,
  isUp: () => kind === "up",
  isTimedOut: () => kind === "timed out",
});

describe("the client that browsers get", () => {
  test("waits one second to connect, two to read and thirty to write", async () => {
    // The package hides the file that its bundlers choose for browsers.
    const builds = path.dirname(createRequire(import.meta.url).resolve("algoliasearch/lite"));
    const { liteClient: browserClient } = await import(pathToFileURL(path.join(builds, "browser.js")).href);

    expect(browserClient("app", "key").transporter.timeouts).toEqual({ connect: 1_000, read: 2_000, write: 30_000 });
  });
});

describe("sameOriginHosts", () => {
  test("lists the page's own host twice, with its port", () => {
    const hosts = sameOriginHosts({ host: "localhost:4711", protocol: "http:" });

    expect(hosts).toHaveLength(2);
    expect(hosts[0]).toEqual({ url: "localhost:4711", protocol: "http", accept: "readWrite" });
  });
});

describe("rememberFailedHosts", () => {
  test("finds the state of a host that failed, until two minutes are over", async () => {
    let clock = 1000;
    const transporter = { hosts: [], hostsCache: {} } as unknown as SearchTransporter;
    rememberFailedHosts(transporter, () => clock);
    const fresh = async () => state("up");

    expect((await transporter.hostsCache.get(HOST, fresh)).isUp()).toBe(true);
    await transporter.hostsCache.set({ ...HOST }, state("down"));

    expect((await transporter.hostsCache.get(HOST, fresh)).isUp()).toBe(false);
    clock += FAILED_HOST_AVOIDED_MS + 1;
    expect((await transporter.hostsCache.get(HOST, fresh)).isUp()).toBe(true);
  });

  test("the stock client leaves a host out that failed before", async () => {
    const asked: string[] = [];
    const requester = {
      send: async ({ url }: { url: string }) => {
        const { hostname } = new URL(url);
        asked.push(hostname);
        const isDead = hostname === "dead.example";
        return { status: isDead ? 0 : 200, content: isDead ? "" : '{"results":[]}', isTimedOut: false };
      },
    };
    const hosts = ["dead.example", "living.example"].map(
      (url) => ({ url, protocol: "https", accept: "read" }) as const,
    );
    const client = liteClient("app", "key", { hosts, requester });
    rememberFailedHosts(client.transporter as unknown as SearchTransporter);

    await client.search({ requests: [{ indexName: "docs", query: "first" }] });
    await client.search({ requests: [{ indexName: "docs", query: "second" }] });

    expect(asked).toEqual(["dead.example", "living.example", "living.example"]);
  });

  test("keeps hosts apart by protocol and port", async () => {
    const transporter = { hosts: [], hostsCache: {} } as unknown as SearchTransporter;
    rememberFailedHosts(transporter, () => 0);
    await transporter.hostsCache.set(HOST, state("timed out"));

    const other = await transporter.hostsCache.get({ ...HOST, port: 8443 }, async () => state("up"));

    expect(other.isUp()).toBe(true);
    expect((await transporter.hostsCache.get(HOST, async () => state("up"))).isTimedOut()).toBe(true);
  });
});

describe("withVisibleFailure", () => {
  test("passes an answer through", async () => {
    await expect(withVisibleFailure(Promise.resolve(7), () => true)).resolves.toBe(7);
  });

  test.each([
    ["names a failure as the modal expects it and calls its handler again in a later task", true, 2],
    ["does not call the handler again when a later search has taken the failed one's place", false, 1],
  ])("%s", async (_, isAwaited, calls) => {
    vi.useFakeTimers();
    try {
      const seen: string[] = [];
      const handler = (error: unknown): never => {
        seen.push((error as Error).name);
        throw error;
      };

      const answer = withVisibleFailure(Promise.reject(new TypeError("no")), () => isAwaited);
      await expect(answer.catch(handler)).rejects.toThrow("no");
      expect(seen).toEqual(["RetryError"]);
      vi.runAllTimers();

      expect(seen).toEqual(Array.from({ length: calls }, () => "RetryError"));
    } finally {
      vi.useRealTimers();
    }
  });
});
