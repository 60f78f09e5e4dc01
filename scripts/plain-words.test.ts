/**
 * Titles of tests and comments say who does what, in plain English. Words that once meant something of our own there, such as
 * `told` for printed, reported and configured, are named with the words that say it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Has words of the dialect as examples. */
const OWN = "scripts/plain-words.test.ts";

const DIALECT: readonly { readonly words: RegExp; readonly say: string }[] = [
  { words: /\b(?:tells?|told|telling)\b(?![^.]{0,40} apart)/i, say: "prints, reports, sends, receives" },
  { words: /\b(?:hears?|heard)\b/i, say: "receives, is notified" },
  { words: /\bshall\b/i, say: "declares, must, needs" },
  { words: /\b(?:mends?|mended)\b/i, say: "repairs, renews, the next step" },
  { words: /\b(?:is|are) so\b(?! \w+ that)/i, say: "the fact itself" },
  { words: /\b(?:is|are|was|were|be) wanted\b/i, say: "is needed, was requested" },
  { words: /\b(?:aims?|aimed|wish)\b/i, say: "the request itself" },
  {
    words: /\blook(?:s|ed|ing)? (?:at|for|once)\b|\b(?:a|the|next|later|first) looks?\b(?!-)/i,
    say: "reads, searches, checks",
  },
  { words: /\b(?:nothing(?: of \w+)? is left(?! out)|left behind)\b/i, say: "remains, and what it is that would" },
];

/** Parts of names that say nothing of what a function does: a reader of `nameOf` cannot tell reading from making. */
const DIALECT_NAME = /Of$|^#?(?:tell|tells|told|aim|shall|shown|hear|hears|depart|land)(?![a-z])/;
/** Its program is a layer of images: with another name in it, every package would be built again. */
const NAMES_IN_IMAGES = "packages/core/src/images/install-programs.ts";

function listDialect(text: string): string[] {
  return DIALECT.flatMap(({ words, say }) => {
    // Names of code may be any.
    const [found] = words.exec(text.replace(/`[^`]*`/g, "")) ?? [];
    return found === undefined ? [] : [`"${found}" in "${text}": say who does what, with words such as: ${say}`];
  });
}

/** @returns The first argument of each test and group of tests, as it is written. */
function listTitles(source: string): string[] {
  const TITLE = /(?:\b(?:test|describe\w*|it)(?:\.\w+)*|[\])])\(\s*(["`])((?:\\.|(?!\1).)+)\1,/gs;
  return [...source.matchAll(TITLE)].map(([, , title = ""]) => title);
}

/** @returns Lines of comments, those at the end of a line of code too. */
function listComments(source: string): string[] {
  return source
    .split("\n")
    .flatMap((line) => [/^\s*(?:\/\*\*?|\*|\/\/) (.+)|[;,{(] \/\/ (.+)$/.exec(line)])
    .flatMap((found) => found?.[1] ?? found?.[2] ?? []);
}

/** @returns Names of functions: declared, kept in a constant, and those of methods. */
function listFunctionNames(source: string): string[] {
  const NAMED =
    /\bfunction\*? (\w+)|\b(?:const|let) (\w+) = (?:async )?(?:\([^()]*\)(?:: [^=]+)? =>|\w+ =>|function\b)|^ +(?:async |static |override )*(#?\w+)\(.*\{$/gm;
  return [...source.matchAll(NAMED)].flatMap((found) => found[1] ?? found[2] ?? found[3] ?? []);
}

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(?:tsx?|mjs)$/.test(path) && path !== OWN && existsSync(join(ROOT, path)))
  .map((path) => ({ path, source: readFileSync(join(ROOT, path), "utf8") }));

function listAll(listTexts: (source: string) => string[]): string[] {
  return files.flatMap(({ path, source }) =>
    listTexts(source)
      .flatMap(listDialect)
      .map((problem) => `${path}: ${problem}`),
  );
}

test.each([
  'test("a mistake is told once", () => {})',
  'test.each([1, 2])("%s is told once", () => {})',
  'describe.each(KINDS)(\n  "a server of %s that was told to end", () => {})',
  "test(`no server hears of it`, () => {})",
])("a word of the dialect is found in %j", (source) => {
  expect(listTitles(source).flatMap(listDialect)).toHaveLength(1);
});

test("words that two readers understand alike are no dialect", () => {
  expect(["callers are told apart", "tells two servers apart", "what looks secret"].flatMap(listDialect)).toEqual([]);
});

test.each([
  "/** Told once. */",
  " * What the server shall do.",
  "  // The next look finds it.",
  "  run(); // the caller hears of it",
])("a word of the dialect is found in the comment %j", (source) => {
  expect(listComments(source).flatMap(listDialect)).toHaveLength(1);
});

test("titles of tests have no word of the dialect", () => {
  expect(listAll(listTitles)).toEqual([]);
});

test("comments have no word of the dialect", () => {
  expect(listAll(listComments)).toEqual([]);
});

test.each(["function nameOf() {}", "const nameOf = (a) => a;", "class A {\n  async #tellIfBack(): Promise<void> {\n"])(
  "a name that says nothing of what a function does is found in %j",
  (source) => {
    expect(listFunctionNames(source).filter((name) => DIALECT_NAME.test(name))).toHaveLength(1);
  },
);

test("names of functions say what they do", () => {
  const found = files
    .filter(({ path }) => path !== NAMES_IN_IMAGES)
    .flatMap(({ path, source }) =>
      listFunctionNames(source)
        .filter((name) => DIALECT_NAME.test(name))
        .map((name) => `${path}: ${name}`),
    );

  expect(found).toEqual([]);
});
