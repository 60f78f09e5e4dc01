import { describe, expect, test } from "vitest";
import { parseFacetFilters, parseFilters } from "./filters.ts";

const term = (attribute: string, value: string, isNegated = false) => ({ attribute, value, isNegated });

describe("parseFacetFilters", () => {
  test.each([
    [undefined, []],
    [[], []],
    ["language:en", [[term("language", "en")]]],
    ['["a:1",["b:2","b:3"]]', [[term("a", "1")], [term("b", "2"), term("b", "3")]]],
    [
      ["language:en", ["tag:a", "tag:b"]],
      [[term("language", "en")], [term("tag", "a"), term("tag", "b")]],
    ],
    [["tag:-old"], [[term("tag", "old", true)]]],
    [["tag:\\-f"], [[term("tag", "-f")]]],
    [["time:10:30"], [[term("time", "10:30")]]],
  ])("%j", (given, expected) => {
    expect(parseFacetFilters(given)).toEqual(expected);
  });

  test.each([[["nocolon"]], [[{ a: 1 }]], [[["a:b", ["c:d"]]]], [5], ["[broken"], [Array(1_001).fill("a:b")]])(
    "refuses %j",
    (given) => {
      expect(() => parseFacetFilters(given)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});

describe("parseFilters", () => {
  test.each([
    ["language:en", [[term("language", "en")]]],
    ["a:1 AND b:2", [[term("a", "1")], [term("b", "2")]]],
    ["a:1 AND (b:2 OR b:3)", [[term("a", "1")], [term("b", "2"), term("b", "3")]]],
    ["NOT a:1", [[term("a", "1", true)]]],
    ['a:"two words"', [[term("a", "two words")]]],
    ["", []],
  ])("%j", (given, expected) => {
    expect(parseFilters(given)).toEqual(expected);
  });

  test.each(["a:1 AND", "a:1 b:2", "(a:1", "AND a:1", "a:1 OR", "lonely"])("refuses %j", (given) => {
    expect(() => parseFilters(given)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
