import { describe, expect, test } from "vitest";
import { findPage, isPastEnd } from "./list-pages.ts";

const answer = (result: unknown) => Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
const page = (text: string, nextCursor: string | undefined) => ({ text: Buffer.from(text), nextCursor });

describe("a page of a list", () => {
  test("is found with its cursor, and null is none", () => {
    const first = answer({ tools: [{ name: "one" }], nextCursor: "2" });
    const { list, nextCursor } = findPage(first, "tools");
    expect(first.toString("utf8", list?.start, list?.end)).toBe('[{"name":"one"}]');
    expect(nextCursor).toBe("2");
    expect(findPage(answer({ tools: [], nextCursor: null }), "tools").nextCursor).toBeUndefined();
    expect(findPage(answer({ tools: [], nextCursor: "" }), "tools").nextCursor).toBe("");
    expect(findPage(answer({ prompts: [] }), "tools")).toEqual({ list: undefined, nextCursor: undefined });
    expect(findPage(Buffer.from("no JSON"), "tools")).toEqual({ list: undefined, nextCursor: undefined });
  });

  test("behind an empty cursor is the end when it was refused, or is the page before once more", () => {
    const before = page('["one"]', "");
    expect(isPastEnd("", undefined, before)).toBe(true);
    expect(isPastEnd("", page('["one"]', ""), before)).toBe(true);
    expect(isPastEnd("", page('["two"]', ""), before)).toBe(false);
    expect(isPastEnd("", page('["one"]', undefined), before)).toBe(false);
  });

  test("behind any other cursor, or behind none, is a page", () => {
    expect(isPastEnd("2", undefined, page("[]", "2"))).toBe(false);
    expect(isPastEnd("2", page("[]", "2"), page("[]", "2"))).toBe(false);
    expect(isPastEnd(undefined, undefined, undefined)).toBe(false);
  });
});
