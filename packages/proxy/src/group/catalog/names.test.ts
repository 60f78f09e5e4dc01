/** The naming rule of groups: it depends on who offers what, and on nothing else. */
import { formatFullName } from "@toolhive/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignNames, type OfferedNames } from "./names.ts";
import { matchTemplate } from "./uris.ts";

const shown = (offered: readonly OfferedNames[], naming: "auto" | "always" | "never" = "auto") =>
  assignNames(offered, naming).map((offer) => offer.shown);

test("a name that reads like another server's full name gets its server's, too", () => {
  expect(
    shown([
      { server: "a", names: ["x"] },
      { server: "b", names: ["x", "a__x"] },
    ]),
  ).toEqual(["a__x", "b__x", "b__a__x"]);
});

test("of two that have the same full name the first by server has it, and the other is hidden", () => {
  expect(
    assignNames(
      [
        { server: "a__b", names: ["c"] },
        { server: "a", names: ["b__c"] },
      ],
      "always",
    ),
  ).toEqual([
    { server: "a", own: "b__c", shown: "a__b__c" },
    { server: "a__b", own: "c", shown: undefined, hiddenBy: "a" },
  ]);
});

const NAME = fc.constantFrom("a", "b", "a__b", "x", "a__x", "b__x", "b__a__x");
const OFFERS = fc.uniqueArray(
  fc.record({ server: fc.constantFrom("a", "b", "a__b", "c"), names: fc.uniqueArray(NAME, { maxLength: 5 }) }),
  { selector: ({ server }) => server, maxLength: 4 },
);

describe.each(["auto", "always", "never"] as const)("with %s", (naming) => {
  test("no name is there twice, whatever is offered", () => {
    fc.assert(
      fc.property(OFFERS, (offered) => {
        const names = shown(offered, naming).filter((name) => name !== undefined);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  test("the order of servers changes nothing", () => {
    fc.assert(
      fc.property(OFFERS, (offered) => {
        expect(assignNames([...offered].reverse(), naming)).toEqual(assignNames(offered, naming));
      }),
    );
  });
});

test("with auto a name is plain or full, and a plain one nobody else's full one", () => {
  fc.assert(
    fc.property(OFFERS, (offered) => {
      const offers = assignNames(offered, "auto");
      for (const { server, own, shown: name } of offers) {
        if (name === undefined) continue;
        expect([own, formatFullName(server, own)]).toContain(name);
        if (name === own) expect(offers.some((other) => formatFullName(other.server, other.own) === own)).toBe(false);
      }
    }),
  );
});

test.each([
  ["file:///{path}", "file:///a/b", true],
  ["file:///{path}.md", "file:///a/b.md", true],
  ["file:///{path}.md", "file:///a/b.txt", false],
  ["x://{a}/{b}/end", "x://1/2/end", true],
  ["x://{a}/{b}/end", "x://1/end", false],
  ["x://plain", "x://plain", true],
  ["x://plain", "x://plainer", false],
])("template %j and URI %j: %s", (template, uri, isMatch) => {
  expect(matchTemplate(template, uri) !== undefined).toBe(isMatch);
});
