import { describe, expect, test } from "vitest";
import pathToRegexp from "./client/path-to-regexp.ts";
import withoutDocList from "./without-doc-list.mjs";

describe("pathToRegexp", () => {
  test.each([
    {
      path: "/docs/faq",
      options: {},
      takes: ["/docs/faq", "/docs/faq/", "/DOCS/faq"],
      leaves: ["/docs/faq/a", "/docs"],
    },
    { path: "/docs/", options: {}, takes: ["/docs", "/docs/"], leaves: ["/docs/faq", "/"] },
    { path: "/", options: { end: false }, takes: ["/", "/docs/faq"], leaves: ["docs"] },
    { path: "/docs", options: { end: false }, takes: ["/docs", "/docs/faq"], leaves: ["/docs-old"] },
    { path: "/docs/", options: { strict: true }, takes: ["/docs/"], leaves: ["/docs"] },
    { path: "/docs", options: { sensitive: true }, takes: ["/docs"], leaves: ["/Docs"] },
    { path: "/v1.0/(a)", options: {}, takes: ["/v1.0/(a)"], leaves: ["/v1x0/(a)"] },
  ])("$path with $options", ({ path, options, takes, leaves }) => {
    const expression = pathToRegexp(path, [], options);

    expect(takes.filter((address) => !expression.test(address))).toEqual([]);
    expect(leaves.filter((address) => expression.test(address))).toEqual([]);
    // What the router takes for the matched part of the address is without the slash that may follow.
    expect(expression.exec(takes[0] ?? "")?.[0].startsWith(path.replace(/\/$/, ""))).toBe(true);
  });

  test("a star takes anything and hands it over", () => {
    const keys: { name: number }[] = [];

    expect(pathToRegexp("*", keys).exec("/no/such/page")?.[1]).toBe("/no/such/page");
    expect(keys).toEqual([{ name: 0 }]);
  });
});

describe("withoutDocList", () => {
  test("leaves of an item in the sidebar what the sidebar shows, at every depth", () => {
    const link = { type: "link", label: "Run", href: "/run" };
    const category = { type: "category", label: "Guides", collapsed: false, collapsible: true };
    const item = { ...link, docId: "guides/run", unlisted: false };
    const docsSidebars = { docs: [{ ...category, items: [{ ...category, items: [item] }] }] };

    const { version } = JSON.parse(withoutDocList(JSON.stringify({ version: { docs: { run: {} }, docsSidebars } })));

    expect(version.docs).toEqual({});
    expect(version.docsSidebars.docs).toEqual([{ ...category, items: [{ ...category, items: [link] }] }]);
  });

  test("keeps that a page is not listed", () => {
    const docsSidebars = { docs: [{ type: "link", label: "Run", href: "/run", unlisted: true }] };

    const { version } = JSON.parse(withoutDocList(JSON.stringify({ version: { docsSidebars } })));

    expect(version.docsSidebars).toEqual(docsSidebars);
  });
});
