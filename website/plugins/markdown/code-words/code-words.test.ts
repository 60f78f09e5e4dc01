/** Which words of inline code stay on one line. */
import type { Element, ElementContent, Root } from "hast";
import { describe, expect, test } from "vitest";
import rehypeCodeWords from "./rehype-code-words.ts";

const element = (tagName: string, ...children: ElementContent[]): Element => ({
  type: "element",
  tagName,
  properties: {},
  children,
});
const text = (value: string): ElementContent => ({ type: "text", value });

/** The children of the code, a kept word in brackets. */
function describeCode(value: string): string[] {
  const code = element("code", text(value));
  const root: Root = { type: "root", children: [element("p", code)] };
  rehypeCodeWords()(root);
  return code.children.map((child) =>
    child.type === "element"
      ? `[${child.children.map((inner) => (inner as { value: string }).value).join()}]`
      : String((child as { value: string }).value),
  );
}

describe("words of inline code", () => {
  test.each([
    ["--proxy-mode", ["[--proxy-mode]"]],
    ["thv run --name x", ["thv run ", "[--name]", " x"]],
    ["application/json", ["[application/json]"]],
    ["SECRETS_LOCKED", ["SECRETS_LOCKED"]],
    ["thv list", ["thv list"]],
    ["/api/v1beta/workloads/{name}/restart", ["/api/v1beta/workloads/{name}/restart"]],
  ])("of %j: %j", (value, expected) => {
    expect(describeCode(value)).toEqual(expected);
  });

  test("blocks of code are left alone", () => {
    const code = element("code", text("thv run --name x"));
    const root: Root = { type: "root", children: [element("pre", code)] };

    rehypeCodeWords()(root);

    expect(code.children).toEqual([text("thv run --name x")]);
  });
});
