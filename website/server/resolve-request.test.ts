import { describe, expect, test } from "vitest";
import { resolveRequest } from "./resolve-request.ts";
import type { SiteFile, SiteManifest } from "./site-manifest.ts";

function file(path: string): SiteFile {
  return { path, type: "text/html; charset=utf-8", etag: "tag", bytes: 10, encoded: {}, isImmutable: false };
}

const manifest: SiteManifest = {
  files: {
    "/": file("index.html"),
    "/toolhive": file("toolhive/index.html"),
    "/toolhive/faq": file("toolhive/faq/index.html"),
    "/toolhive/faq.md": file("toolhive/faq.md"),
  },
  redirects: { "/quickstart": "/toolhive/tutorials/quickstart-cli" },
  notFound: file("404.html"),
  contentSecurityPolicy: "default-src 'none'",
};

describe("resolveRequest", () => {
  test.each([
    ["/", "index.html"],
    ["/?q=1", "index.html"],
    ["/toolhive", "toolhive/index.html"],
    ["/toolhive/", "toolhive/index.html"],
    ["/toolhive/%66aq", "toolhive/faq/index.html"],
    ["/toolhive/faq.md", "toolhive/faq.md"],
  ])("%s is the file %s", (target, path) => {
    expect(resolveRequest(target, manifest)).toMatchObject({ kind: "file", file: file(path) });
  });

  test.each([
    ["/toolhive/faq.html", "/toolhive/faq"],
    ["/toolhive/faq/index.html?a=1&b=2", "/toolhive/faq?a=1&b=2"],
    ["/index.html", "/"],
    ["/quickstart/", "/toolhive/tutorials/quickstart-cli"],
  ])("%s redirects to %s", (target, location) => {
    expect(resolveRequest(target, manifest)).toEqual({ kind: "redirect", location });
  });

  test.each(["/nothing", "/nothing.html", "/404.html", "/../etc/passwd", "/toString", "/__proto__", "//evil.example"])(
    "%s is not found",
    (target) => {
      expect(resolveRequest(target, manifest).kind).toBe("not-found");
    },
  );

  test.each(["/%E0%A4%A", "/%00", "http://elsewhere.example/"])("%s is a bad request", (target) => {
    expect(resolveRequest(target, manifest).kind).toBe("bad-request");
  });

  test("an address of 20,000 characters is too long", () => {
    expect(resolveRequest(`/${"a".repeat(20_000)}`, manifest)).toEqual({ kind: "too-long" });
  });
});
