import { describe, expect, test } from "vitest";
import { THESAURUS, Thesaurus } from "./thesaurus.ts";

describe("the thesaurus", () => {
  test("has enough entries, each with its source and none twice", () => {
    expect(THESAURUS.length).toBeGreaterThanOrEqual(200);
    expect(new Set(THESAURUS.map(({ say }) => say)).size).toBe(THESAURUS.length);
    expect(THESAURUS.filter(({ source }) => source.length < 3)).toEqual([]);
  });

  test("has entries of one to four words in lower case that mean something else", () => {
    for (const { say, means } of THESAURUS) {
      expect(say).toMatch(/^[a-z0-9]+(?: [a-z0-9]+){0,3}$/);
      expect(means.length).toBeGreaterThan(0);
      expect(means).not.toContain(say);
    }
  });
});

describe("Thesaurus", () => {
  const thesaurus = new Thesaurus([
    { say: "laptop off and on", means: ["restart"] },
    { say: "laptop", means: ["machine"] },
    { say: "sign in", means: ["login"] },
    { say: "function", means: ["tools", "tool call"] },
    { say: "autocomplete", means: ["completion"] },
  ]);
  const listMeanings = (query: string) => thesaurus.find(query).map(({ means }) => means);

  test("finds the longest entry", () => {
    expect(listMeanings("after turning my laptop off and on")).toEqual([[["restart"]]]);
    expect(listMeanings("two laptops")).toEqual([[["machine"]]]);
  });

  test("finds an entry however it is written", () => {
    expect(listMeanings("Sign-In page")).toEqual([[["login"]]]);
    expect(listMeanings("which FUNCTIONS")).toEqual([[["tools"], ["tool", "call"]]]);
  });

  test("says where the entry is", () => {
    expect(thesaurus.find("my laptop")).toMatchObject([{ start: 3, end: 9 }]);
  });

  test("guesses what is being typed and what is mistyped", () => {
    expect(thesaurus.guess("autoc", true)).toEqual([["completion"]]);
    expect(thesaurus.guess("autoc", false)).toEqual([]);
    expect(thesaurus.guess("autocomplte", false)).toEqual([["completion"]]);
    expect(thesaurus.guess("fun", true)).toEqual([]);
  });
});
