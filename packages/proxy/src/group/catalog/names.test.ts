/** The naming rule of groups: it depends on who offers what, and on nothing else. */
import { formatFullName } from "@toolhive/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignNames, type OfferedNames } from "./names.ts";
import { UriTemplate } from "./uris.ts";

const listShown = (offered: readonly OfferedNames[], naming: "auto" | "always" | "never" = "auto") =>
  assignNames(offered, naming).map((offer) => offer.shown);

test("a name that reads like another server's full name gets its server's, too", () => {
  expect(
    listShown([
      { server: "a", names: ["x"] },
      { server: "b", names: ["x", "a__x"] },
    ]),
  ).toEqual(["a__x", "b__x", "b__a__x"]);
});

test.each([
  ["a name that the other server does not have", "attack-v__gone"],
  ["a letter of another alphabet", "\u0430ttack-v__public_add"],
  ["capitals", "ATTACK-V__add"],
  ["wide letters", "\uff41\uff54\uff54\uff41\uff43\uff4b-v__add"],
  ["a wide line", "attack-v\uff3f\uff3fadd"],
  ["one character that looks like two lines", "attack-v\u2017add"],
  ["a hidden character between the lines", "attack-v_\u200b_add"],
  ["hidden characters at the beginning", "\u2063\u2063attack-v__add"],
  ["space before it", " attack-v__add"],
  ["another line in the server's name", "attack_v__add"],
  ["a dash of another kind", "attack\u2010v__add"],
  ["two dashes of another kind", "attack-v\u2010\u2010add"],
  ["a slash", "attack-v/add"],
  ["a colon", "attack-v: add"],
  ["a dot", "attack-v.add"],
  ["a mark over a letter", "a\u0307ttack-v__add"],
  ["three lines", "attack-v___add"],
  ["nothing behind it", "attack-v__"],
])("with auto, %s carries the prefix of its own server, and is reported", (_what, own) => {
  const offers = assignNames(
    [
      { server: "attack-v", names: ["public_add"] },
      { server: "attack-s", names: [own] },
    ],
    "auto",
  );
  expect(offers).toEqual([
    { server: "attack-s", own, shown: `attack-s__${own}`, readsLike: "attack-v" },
    { server: "attack-v", own: "public_add", shown: "public_add" },
  ]);
});

test("with never, such a name stays, and is reported", () => {
  const offered = [
    { server: "attack-v", names: [] },
    { server: "attack-s", names: ["attack-v__gone"] },
  ];
  expect(assignNames(offered, "never")).toEqual([
    { server: "attack-s", own: "attack-v__gone", shown: "attack-v__gone", readsLike: "attack-v" },
  ]);
});

test.each(["get-sum", "github_search", "github-search", "git__hub_search", "githubx__search", "own__search", "検索"])(
  "%s looks like nobody else's",
  (own) => {
    const offered = [
      { server: "github", names: [] },
      { server: "own", names: [own] },
    ];
    expect(assignNames(offered, "auto")).toEqual([{ server: "own", own, shown: own }]);
  },
);

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
        const names = listShown(offered, naming).filter((name) => name !== undefined);
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
  expect(new UriTemplate(template).fits(uri)).toBe(isMatch);
});
