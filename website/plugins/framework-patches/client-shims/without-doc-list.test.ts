import { describe, expect, test } from "vitest";
import withoutDocList from "./without-doc-list.mjs";

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

  test.each([
    ["the sidebars are gone", { version: { docs: {} } }],
    ["the lists of pages are gone", { "docusaurus-plugin-content-docs": { default: { versions: [{}] } } }],
    ["neither is there", { other: 1 }],
  ])("stops the build when %s", (_case, data) => {
    expect(() => withoutDocList(JSON.stringify(data))).toThrow(/client-shims.*adapt or drop the patch/s);
  });
});
