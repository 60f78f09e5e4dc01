import { describe, expect, test } from "vitest";
import { missingResultsUrl } from "./missing-results.ts";

const TARGET = {
  source: "https://code.example/project",
  report: { title: 'Nothing found for "{query}"', body: "I searched for: {query}\n\nI hoped to find: " },
  fallback: "/docs/faq#report",
};

describe("missingResultsUrl", () => {
  test("leads to the repository's form for a new issue, with the query in title and text", () => {
    const { origin, pathname, searchParams } = new URL(missingResultsUrl(TARGET, "unix socket"));

    expect(origin + pathname).toBe("https://code.example/project/issues/new");
    expect(searchParams.get("title")).toBe('Nothing found for "unix socket"');
    expect(searchParams.get("body")).toBe("I searched for: unix socket\n\nI hoped to find: ");
  });

  test.each(["a&body=b#c", "100% <b>", "$& $1 {query}", "日本語"])("carries %s as it was typed", (query) => {
    const { searchParams, hash } = new URL(missingResultsUrl(TARGET, query));

    expect(searchParams.get("title")).toBe(`Nothing found for "${query}"`);
    expect(searchParams.getAll("body")).toHaveLength(1);
    expect(hash).toBe("");
  });

  test("leads to the page that says how to report when there is no repository", () => {
    expect(missingResultsUrl({ ...TARGET, source: "" }, "unix socket")).toBe("/docs/faq#report");
  });
});
