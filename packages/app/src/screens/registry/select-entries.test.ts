import { describe, expect, test } from "vitest";
import { ANY_ENTRY, type CatalogEntry, describeSourceDate, formatCount, selectEntries } from "./select-entries.ts";

const facts = {
  description: "A server.",
  status: "Active" as const,
  transport: "sse" as const,
  tools: [],
  env_vars: [],
};

const here = (name: string, source: string): CatalogEntry => ({
  reference: name,
  source,
  has_icon: false,
  server: { name, image: "a/b:1", args: [], tier: "Official", ...facts },
});
const elsewhere = (name: string, source: string): CatalogEntry => ({
  reference: name,
  source,
  has_icon: false,
  remote_server: { name, url: "https://a.example/", headers: [], tier: "Community", ...facts },
});

describe("the entries that are shown", () => {
  const all = [here("time", "default"), elsewhere("maps", "team"), here("chat", "team")];
  const names = (filter: Partial<typeof ANY_ENTRY>) =>
    selectEntries(all, { ...ANY_ENTRY, ...filter }).map(({ reference }) => reference);

  test("are those that every choice allows, in the order of the search", () => {
    expect(names({})).toEqual(["time", "maps", "chat"]);
    expect(names({ source: "team" })).toEqual(["maps", "chat"]);
    expect(names({ source: "team", place: "container" })).toEqual(["chat"]);
    expect(names({ place: "remote", tier: "Official" })).toEqual([]);
    expect(names({ tier: "Community" })).toEqual(["maps"]);
  });
});

test("the date of a source says whether it came with the program", () => {
  expect(describeSourceDate({ type: "default", last_updated: "2025-07-17T00:23:12Z" })).toBe("bundled, July 2025");
  expect(describeSourceDate({ type: "url", last_updated: "2026-11-01T23:00:00Z" })).toBe("November 1, 2026");
  expect(describeSourceDate({ type: "file", last_updated: "1970-01-01T00:00:00.000Z" })).toBe("");
});

test("counts are short", () => {
  expect([0, 13, 2454, 59_925].map(formatCount)).toEqual(["0", "13", "2.5K", "59.9K"]);
});
