import { describe, expect, test } from "vitest";
import { parseFenceMeta } from "./fence-meta.ts";
import { highlightLines } from "./highlight-lines.ts";

const NO_MARKS = { marked: new Set<number>(), numbered: false };

/** What the reader copies: the text of the HTML. */
function stripTags(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

describe("highlightLines", () => {
  test.each([
    ["bash", "thv run --name a b && echo 'x < y'"],
    ["json", '{ "a": [1, true, null] }'],
    ["powershell", "Get-Item $env:TEMP | Sort-Object"],
    ["docker", "FROM node:20\nRUN true"],
    ["lua", "local a = 1 -- one"],
  ])("holds token spans for %s and keeps the text", (language, source) => {
    const html = highlightLines(source, language, NO_MARKS);

    expect(html).toContain('<span class="token');
    expect(stripTags(html)).toBe(source);
  });

  test.each([
    ["thv tools deny everything echo", []],
    ["thv group add work everything", []],
    ["thv tools find everything", []],
    ["echo done", ["echo"]],
    ["thv list | grep -q asleep", ["grep", "-q"]],
    [
      "thv run --name a --isolate-network --permission-profile=none b",
      ["--name", "--isolate-network", "--permission-profile"],
    ],
    ["until thv list; do sleep 1; done", ["until", "do", "sleep", "1", "done"]],
  ])("colours in %j commands of the shell and flags, and no argument", (source, coloured) => {
    const html = highlightLines(source, "bash", NO_MARKS);

    expect([...html.matchAll(/<span class="[^"]+">([^<]+)/g)].map(([, text]) => text)).toEqual(coloured);
  });

  test("escapes markup in the source", () => {
    expect(highlightLines("<script>&", "text", NO_MARKS)).toBe("&lt;script&gt;&amp;");
  });

  test("marks lines and keeps line ends out of tokens", () => {
    const html = highlightLines('{\n  "a": 1\n}', "json", { marked: new Set([2]), numbered: false });

    expect(html.match(/code-line--marked/g)).toHaveLength(1);
    expect(stripTags(html)).toBe('{\n  "a": 1\n}\n');
  });

  test("a difference has added and removed lines", () => {
    const html = highlightLines("-a\n+b\n c", "diff", NO_MARKS);

    expect(html).toContain('<span class="code-line code-line--removed">-a');
    expect(html).toContain('<span class="code-line code-line--added">+b');
  });

  test("an unknown language stops the build with the languages there are", () => {
    expect(() => highlightLines("x", "klingon", NO_MARKS)).toThrow(/"klingon".*bash/);
  });
});

describe("parseFenceMeta", () => {
  test("reads title, marks, numbers and the kind of block", () => {
    const meta = parseFenceMeta('title="values.yaml" {1,3-5} showLineNumbers output');

    expect(meta).toEqual({ title: "values.yaml", marked: new Set([1, 3, 4, 5]), numbered: true, isOutput: true });
  });

  test("words inside quotes are no flags", () => {
    expect(parseFenceMeta('run norun="shows output {2}"')).toMatchObject({ isOutput: false, marked: new Set() });
  });
});
