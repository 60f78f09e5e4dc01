/**
 * Turns source text into highlighted HTML, line by line, when a page is compiled.
 * Tokens carry Prism's class names (`token keyword`), so that one stylesheet colours both modes.
 */
import Prism from "prismjs";
import loadLanguages from "prismjs/components/index.js";
import { escapeText } from "../escape-markup.ts";

/** Spec §1: bash, json, powershell, docker, lua. The others are what the guides' files need. */
const LANGUAGES = [
  "bash",
  "json",
  "powershell",
  "docker",
  "lua",
  "yaml",
  "typescript",
  "javascript",
  "python",
  "go",
  "toml",
  "ini",
  "http",
  "markdown",
];
loadLanguages.silent = true;
loadLanguages(LANGUAGES);
// Prism's own pattern ends at a hyphen, so that of two flags one is coloured.
Prism.languages.bash = Prism.languages.extend("bash", {
  parameter: {
    pattern: /(^|\s)-{1,2}(?:\w+:[+-]?)?\w+(?:[.-]\w+)*(?=[=\s]|$)/,
    alias: "variable",
    lookbehind: true,
  },
});

/** Languages that are shown as written. */
const PLAIN = new Set(["text", "txt", "plain", "console", "diff", "cedar"]);

export interface LineMarks {
  /** 1-based numbers of marked lines. */
  readonly marked: ReadonlySet<number>;
  readonly numbered: boolean;
}

interface Piece {
  readonly text: string;
  readonly classes: string;
}

/** @throws {Error} when the language is neither known to the highlighter nor plain. */
export function highlightLines(code: string, language: string, { marked, numbered }: LineMarks): string {
  const lines = splitLines(tokenize(code, language));
  const isDiff = language === "diff";
  if (marked.size === 0 && !numbered && !isDiff) return lines.map(renderLine).join("\n");
  return lines
    .map((line, index) => {
      const first = line[0]?.text[0];
      const classes = ["code-line"];
      if (marked.has(index + 1)) classes.push("code-line--marked");
      if (isDiff && first === "+") classes.push("code-line--added");
      if (isDiff && first === "-") classes.push("code-line--removed");
      return `<span class="${classes.join(" ")}">${renderLine(line)}\n</span>`;
    })
    .join("");
}

function tokenize(code: string, language: string): Piece[] {
  const grammar = Prism.languages[language];
  if (grammar === undefined) {
    if (PLAIN.has(language)) return [{ text: code, classes: "" }];
    throw new Error(
      `Code blocks cannot be highlighted as "${language}". Known: ${[...LANGUAGES, ...PLAIN].join(", ")}.`,
    );
  }
  const pieces = flatten(Prism.tokenize(code, grammar), []);
  return language === "bash" ? keepCommandsOnly(pieces) : pieces;
}

/** What Prism takes for a command of the shell wherever it stands: `add` and `find` are arguments of `thv` more often. */
const COMMAND_CLASSES = new Set(["token builtin class-name", "token function", "token keyword"]);
/** The end of what precedes a command: nothing, an operator, or a word after which a command follows. */
const BEFORE_COMMAND = /(?:^|[\n|;&({]|\b(?:do|then|else|if|while|until|sudo))[ \t]*$/;

function keepCommandsOnly(pieces: readonly Piece[]): Piece[] {
  let before = "";
  return pieces.map((piece) => {
    const isArgument = COMMAND_CLASSES.has(piece.classes) && !BEFORE_COMMAND.test(before);
    before = (before + piece.text).slice(-80);
    return isArgument && piece.text !== "in" ? { text: piece.text, classes: "" } : piece;
  });
}

function flatten(stream: Prism.TokenStream, types: readonly string[]): Piece[] {
  if (typeof stream === "string") {
    return [{ text: stream, classes: types.length === 0 ? "" : `token ${[...new Set(types)].join(" ")}` }];
  }
  if (Array.isArray(stream)) return stream.flatMap((part) => flatten(part, types));
  const aliases = Array.isArray(stream.alias) ? stream.alias : stream.alias ? [stream.alias] : [];
  return flatten(stream.content, [...types, stream.type, ...aliases]);
}

function splitLines(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const { text, classes } of pieces) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, classes });
    }
  }
  return lines;
}

/** Kinds of tokens that look like plain text; a third of all tokens, omitted from pages. */
const UNCOLORED = new Set(["token punctuation", "token operator", "token plain", "token parameter"]);

function renderLine(line: readonly Piece[]): string {
  return line
    .map(({ text, classes }) =>
      classes === "" || UNCOLORED.has(classes)
        ? escapeText(text)
        : `<span class="${classes}">${escapeText(text)}</span>`,
    )
    .join("");
}
