import { expect, test } from "vitest";
import { readOpenSearchSettings } from "./settings.ts";

const URLS = "https://a.example.com:9200, https://b.example.com:9200";

test("without an address there is no cluster", () => {
  expect(readOpenSearchSettings({}, "docs")).toBeUndefined();
  expect(readOpenSearchSettings({ SEARCH_OPENSEARCH_URLS: " , " }, "docs")).toBeUndefined();
});

test("addresses are separated by commas; alias and deadline have defaults", () => {
  expect(readOpenSearchSettings({ SEARCH_OPENSEARCH_URLS: URLS }, "docs")).toEqual({
    urls: ["https://a.example.com:9200", "https://b.example.com:9200"],
    alias: "docs",
    deadlineMs: 2_000,
  });
  const set = { SEARCH_OPENSEARCH_ALIAS: "site", SEARCH_OPENSEARCH_DEADLINE_MS: "500" };
  expect(readOpenSearchSettings({ SEARCH_OPENSEARCH_URLS: URLS, ...set }, "docs")).toMatchObject({
    alias: "site",
    deadlineMs: 500,
  });
});

test.each([
  ["SEARCH_OPENSEARCH_ALIAS", "My Index"],
  ["SEARCH_OPENSEARCH_ALIAS", "a,b"],
  ["SEARCH_OPENSEARCH_ALIAS", "*"],
  ["SEARCH_OPENSEARCH_ALIAS", "../_cluster"],
  ["SEARCH_OPENSEARCH_DEADLINE_MS", "soon"],
  ["SEARCH_OPENSEARCH_DEADLINE_MS", "0"],
  ["SEARCH_OPENSEARCH_DEADLINE_MS", "60001"],
])("%s=%s is refused with its name and value", (name, value) => {
  const read = () => readOpenSearchSettings({ SEARCH_OPENSEARCH_URLS: URLS, [name]: value }, "docs");

  expect(read).toThrow(`${name} is "${value}": use`);
});
