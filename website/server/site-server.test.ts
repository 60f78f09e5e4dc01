import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { listen } from "@toolhive/http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SiteFile, SiteManifest } from "./site-manifest.ts";
import { createSiteServer, type SiteServer } from "./site-server.ts";

const PAGE: SiteFile = { path: "index.html", type: "text/html", etag: "a", bytes: 5, encoded: {}, isImmutable: false };

describe("the site server", () => {
  let siteDir: string;
  let site: SiteServer;
  let origin: string;
  const accesses: string[] = [];
  const errors: unknown[] = [];
  let held: Promise<void> | undefined;

  beforeEach(async () => {
    siteDir = await mkdtemp(path.join(tmpdir(), "site-"));
    await writeFile(path.join(siteDir, "index.html"), "hello");
    await writeFile(path.join(siteDir, "faq.md"), "# FAQ");
    accesses.length = 0;
    errors.length = 0;
    held = undefined;
    const manifest: SiteManifest = {
      files: {
        "/": PAGE,
        "/lost": { ...PAGE, path: "lost.html" },
        "/faq": PAGE,
        "/faq.md": { ...PAGE, path: "faq.md", type: "text/markdown; charset=utf-8", etag: "m", bytes: 5 },
      },
      redirects: {},
      notFound: PAGE,
      contentSecurityPolicy: "default-src 'none'",
    };
    site = createSiteServer({
      siteDir,
      manifest,
      services: [
        {
          async handle(request, response) {
            if (!request.url?.startsWith("/1/")) return false;
            await held;
            response.end("from the service");
            return true;
          },
        },
      ],
      onAccess: ({ method, path: requested, status }) => accesses.push(`${method} ${requested} ${status}`),
      onError: (error) => errors.push(error),
    });
    origin = `http://127.0.0.1:${await listen(site.http)}`;
  });

  afterEach(async () => {
    await site.close();
    await rm(siteDir, { recursive: true });
  });

  test("hands requests below /1/ to the mounted service", async () => {
    const response = await fetch(`${origin}/1/indexes/*/queries`, { method: "POST" });

    expect(await response.text()).toBe("from the service");
  });

  test("answers HEAD with the headers of GET and no body", async () => {
    const response = await fetch(origin, { method: "HEAD" });

    expect(response.headers.get("content-length")).toBe("5");
    expect(await response.text()).toBe("");
  });

  test.each([
    ["text/markdown", "# FAQ"],
    ["text/markdown, text/html, */*", "# FAQ"],
    ["text/html;q=0.8, text/markdown", "# FAQ"],
    ["text/html, text/markdown;q=0.5", "hello"],
    ["text/markdown;q=0, */*", "hello"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "hello"],
    ["*/*", "hello"],
  ])("answers a page to Accept: %s with %j", async (accept, body) => {
    const response = await fetch(`${origin}/faq`, { headers: { accept } });

    expect(await response.text()).toBe(body);
    expect(response.headers.get("vary")).toBe("Accept, Accept-Encoding");
    expect(response.headers.get("content-location")).toBe(body === "hello" ? null : "/faq.md");
    expect(response.headers.get("etag")).toBe(body === "hello" ? '"a"' : '"m"');
    expect(response.headers.get("cache-control")).toBe("no-cache");
  });

  test("answers a page without a twin as it is, whatever is accepted", async () => {
    const response = await fetch(origin, { headers: { accept: "text/markdown" } });

    expect(await response.text()).toBe("hello");
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
  });

  test("answers 500 with a short text and reports the cause when a file of the manifest is gone", async () => {
    const response = await fetch(`${origin}/lost`);

    expect(response.status).toBe(500);
    expect(response.headers.get("etag")).toBeNull();
    expect(String(errors[0])).toContain("ENOENT");
  });

  test("logs the path without its query", async () => {
    await (await fetch(`${origin}/?q=private`)).text();

    await expect.poll(() => accesses).toEqual(["GET / 200"]);
  });

  test("lets a running request finish before it closes, and refuses new ones", async () => {
    let release = () => {};
    held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const arrived = new Promise<void>((resolve) => site.http.once("request", () => resolve()));
    const running = fetch(`${origin}/1/slow`);
    await arrived;

    const closed = site.close();
    await expect(fetch(origin)).rejects.toThrow();
    release();

    expect(await (await running).text()).toBe("from the service");
    await closed;
    await new Promise<void>((resolve) => site.http.listen(0, "127.0.0.1", resolve));
  });

  test("a client that leaves in the middle of an answer is not an error", async () => {
    await writeFile(path.join(siteDir, "index.html"), "x".repeat(5));
    await new Promise<void>((resolve) => {
      const request = httpRequest(origin, (response) => {
        response.destroy();
        resolve();
      });
      request.on("error", () => resolve());
      request.end();
    });

    await expect.poll(() => accesses.length).toBe(1);
    expect(errors).toEqual([]);
  });
});
