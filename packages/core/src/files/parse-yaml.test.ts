import { describe, expect, test } from "vitest";
import { parseYamlDocument } from "./parse-yaml.ts";

const listErrors = (text: string) =>
  parseYamlDocument(text).errors.map(({ message, linePos }) => [message, linePos?.[0]]);

describe("a YAML text", () => {
  test("is read with its names, lists and aliases", () => {
    const document = parseYamlDocument("a: &one [1, {b: 2}]\nc: *one\n? d\n: |\n  text\n");

    expect(document.errors).toEqual([]);
    expect(document.toJS()).toEqual({ a: [1, { b: 2 }], c: [1, { b: 2 }], d: "text\n" });
  });

  test.each([
    ["a: 1\nb: 2\na: 3\n", { line: 3, col: 1 }],
    ["a:\n  b: 1\n  b: 2\n", { line: 3, col: 3 }],
    ['a: {"b": 1, b: 2}\n', { line: 1, col: 13 }],
  ])("with a name that is there twice says where: %j", (text, place) => {
    expect(listErrors(text)).toEqual([[`Map keys must be unique at line ${place.line}, column ${place.col}:`, place]]);
  });

  test("may have the same name in two mappings", () => {
    expect(listErrors("a: {x: 1}\nb: {x: 1}\n- c\n".slice(0, 20))).toEqual([]);
  });

  test.each([
    ["a list without an end", `a: ${"[".repeat(101)}`, "more than 100 lists or objects are in each other"],
    ["items in items", `${"- ".repeat(101)}1`, "more than 100 lists or objects are in each other"],
    ["many items", "- 1\n".repeat(10_000), "it has more than 20000 tokens"],
    ["many aliases", `a: &a 1\nb: [${"*a, ".repeat(101)}]\n`, expect.stringContaining("it has more than 100 aliases")],
  ])("with %s is refused", (_name, text, message) => {
    expect(listErrors(text).map(([said]) => said)).toEqual([message]);
  });

  test("may have a block of text of any length, and a hundred servers", () => {
    const server = "  a: {enabled: true, type: sse, uri: 'http://127.0.0.1:1/sse', timeout: 300}\n";
    const servers = Array.from({ length: 100 }, (_, index) => server.replace("a", `a${index}`)).join("");

    expect(listErrors(`b: |\n${"  [[[[ - - text\n".repeat(20_000)}`)).toEqual([]);
    expect(listErrors(`extensions:\n${servers}`)).toEqual([]);
  });
});
