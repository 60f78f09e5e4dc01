import { describe, expect, test } from "vitest";
import { acceptsType, chooseEncoding, matchesTag, namesType } from "./negotiate.ts";

describe("chooseEncoding", () => {
  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["GZIP;Q=0.5", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["br;q=0.000, gzip;q=0", undefined],
    ["br;q=0.5, gzip", "gzip"],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["gzip, *;q=0", "gzip"],
    ["identity, br;q=0.5", undefined],
    ["identity;q=0.5, br", "br"],
    ["identity, br", "br"],
    ["identity", undefined],
    ["br;q=high", undefined],
    ["", undefined],
    [undefined, undefined],
  ] as const)("Accept-Encoding %j gives %s", (header, encoding) => {
    expect(chooseEncoding(header, ["br", "gzip"])).toBe(encoding);
  });

  test("an answer without encodings is sent as it is", () => {
    expect(chooseEncoding("br, gzip", [])).toBeUndefined();
  });
});

describe("acceptsType", () => {
  test.each([
    [undefined, true],
    ["application/json", true],
    ["text/html , application/json;charset=utf-8", true],
    ["APPLICATION/JSON ; q=0.5", true],
    ["application/*", true],
    ["*/*;q=0.1", true],
    ["application/json ; q=0", false],
    ["application/json;q=0.000", false],
    ["application/json;q=0, */*", false],
    ["*/*, application/json;q=0", false],
    ["application/*;q=0, */*", false],
    ["application/json, application/*;q=0", true],
    ["text/event-stream", false],
    ["", false],
  ])("Accept %j allows JSON: %j", (accept, expected) => {
    expect(acceptsType(accept, "application/json")).toBe(expected);
  });
});

test.each([
  ["application/json", true],
  ["text/plain, Application/JSON;q=0.1", true],
  ["application/json;q=0", false],
  ["application/json-seq", false],
  ["*/*", false],
  [undefined, false],
])("Accept %j names JSON: %j", (accept, expected) => {
  expect(namesType(accept, "application/json")).toBe(expected);
});

describe("matchesTag", () => {
  test.each([
    ['"abc"', true],
    ['W/"abc"', true],
    ['"other", "abc"', true],
    ["*", true],
    [" * ", true],
    ['"other", *', false],
    ['"ab"', false],
    ["abc", false],
    ["", false],
    [undefined, false],
  ] as const)("If-None-Match %j matches: %s", (header, expected) => {
    expect(matchesTag(header, '"abc"')).toBe(expected);
    expect(matchesTag(header, 'W/"abc"')).toBe(expected);
  });
});
