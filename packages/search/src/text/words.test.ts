import { describe, expect, test } from "vitest";
import { editDistance, typosAllowed } from "./edit-distance.ts";
import { fold } from "./fold.ts";
import { stemWord, toSingular } from "./stem.ts";

describe("toSingular", () => {
  test.each([
    ["secrets", "secret"],
    ["registries", "registry"],
    ["classes", "class"],
    ["access", "access"],
    ["status", "status"],
    ["is", "is"],
  ])("%s → %s", (plural, singular) => {
    expect(toSingular(plural)).toBe(singular);
  });
});

describe("stemWord", () => {
  // Pairs from the examples in Porter's paper.
  test.each([
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["plastered", "plaster"],
    ["motoring", "motor"],
    ["hopping", "hop"],
    ["filing", "file"],
    ["relational", "relat"],
    ["vietnamization", "vietnam"],
    ["triplicate", "triplic"],
    ["adjustable", "adjust"],
    ["controll", "control"],
  ])("%s → %s", (word, stem) => {
    expect(stemWord(word)).toBe(stem);
  });

  test("forms of one word share a stem", () => {
    expect(new Set(["configure", "configured", "configuring", "configuration"].map(stemWord)).size).toBe(1);
  });

  test("numbers and other scripts stay as they are", () => {
    expect(["v1beta", "1password", "безопасность"].map(stemWord)).toEqual(["v1beta", "1password", "безопасность"]);
  });
});

describe("editDistance", () => {
  test.each([
    ["server", "server", 0],
    ["secrest", "secrets", 1],
    ["permision", "permission", 1],
    ["kuberntes", "kubernetes", 1],
    ["netwrok", "network", 1],
    ["streamble", "streamable", 1],
    ["kubrntes", "kubernetes", 2],
    ["cat", "dog", 3],
  ])("%s and %s are %i mistakes apart, at a limit of 2", (typed, term, mistakes) => {
    expect(editDistance(typed, term, 2)).toBe(mistakes);
  });

  test("a wrong first letter counts twice", () => {
    expect(editDistance("setwork", "network", 1)).toBe(2);
    expect(editDistance("setwork", "network", 2)).toBe(2);
  });

  test("a beginning is compared with the best beginning of the term", () => {
    expect(editDistance("permisi", "permission", 1, true)).toBe(1);
    expect(editDistance("permisi", "permission", 1)).toBe(2);
  });

  test("numbers allow no mistakes, short words none, long words two", () => {
    expect(["8080", "cli", "list", "registry"].map((word) => typosAllowed(word))).toEqual([0, 0, 1, 2]);
  });
});

describe("fold", () => {
  test("spellings of one word become equal", () => {
    expect([fold("CAFÉ"), fold("cafe\u0301"), fold("ca\u200bfe")]).toEqual(["cafe", "cafe", "cafe"]);
  });
});
