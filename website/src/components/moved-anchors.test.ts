import { describe, expect, test } from "vitest";
import { findMovedTarget } from "./moved-anchors.ts";

/** A page, played by the test, with one element at the anchor. */
function pageWith(tagName: string, link: { pathname: string; hash: string } | null) {
  const anchor = { tagName, querySelector: () => link } as unknown as HTMLElement;
  return { getElementById: (id: string) => (id === "createGroup" ? anchor : null) };
}

const LINK = { pathname: "/toolhive/reference/api/groups", hash: "#createGroup" };

describe("findMovedTarget", () => {
  test("leads from an anchor to the link in it", () => {
    expect(findMovedTarget(pageWith("SPAN", LINK), "#createGroup")).toBe("/toolhive/reference/api/groups#createGroup");
  });

  test.each([
    ["a heading, which links to itself", pageWith("H2", LINK), "#createGroup"],
    ["an anchor without a link", pageWith("SPAN", null), "#createGroup"],
    ["an anchor that no page has", pageWith("SPAN", LINK), "#nowhere"],
    ["no anchor", pageWith("SPAN", LINK), ""],
  ])("does not lead away from %s", (_what, page, hash) => {
    expect(findMovedTarget(page, hash)).toBeUndefined();
  });
});
