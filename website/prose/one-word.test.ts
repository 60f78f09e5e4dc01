/** A page and the help of a command call a thing as the glossary does. */
import path from "node:path";
import { COMMANDS, isShown, listShownFlags } from "@toolhive/cli/commands";
import { ERROR_GUIDE } from "@toolhive/cli/error-guide";
import { TOPICS } from "@toolhive/cli/topics";
import { describe, expect, test } from "vitest";
import { readErrorMessages } from "../reference/error-messages.ts";
import { findOtherWords, readPageWords, readVisibleText } from "./one-word.ts";
import { listWrittenPages } from "./pages.ts";

const words = readPageWords();
const pages = listWrittenPages().filter(({ kind }) => kind !== "text");
const commands = COMMANDS.filter(isShown).map((command) => ({
  name: command.path.join(" "),
  text: [
    command.summary,
    command.description ?? "",
    ...command.positionals.map(({ summary }) => summary),
    ...listShownFlags(command).map(({ summary }) => summary),
    ...command.examples.map(({ summary }) => summary),
  ].join(". "),
}));

test.each(pages)("$file has one word for one thing", ({ source }) => {
  expect(findOtherWords(readVisibleText(source), words)).toEqual([]);
});

const root = path.join(import.meta.dirname, "../..");
/** The wire has its words from the reference, whose clients compare them. */
const OF_THE_WIRE = new Set(["INVALID_WORKLOAD_NAME"]);
const messages = [...readErrorMessages(root)].flatMap(([code, texts]) =>
  OF_THE_WIRE.has(code) ? [] : [{ code, text: texts.join(". ") }],
);

test.each(messages)("messages of $code have one word for one thing", ({ text }) => {
  expect(findOtherWords(text, words)).toEqual([]);
});

test.each(Object.entries(ERROR_GUIDE))("the guide of %s has one word for one thing", (_code, entry) => {
  const remedies = entry.remedies.map(({ say }) => say);

  expect(
    findOtherWords(readVisibleText([entry.short, entry.what, ...entry.why, ...remedies].join(". ")), words),
  ).toEqual([]);
});

test.each(TOPICS)("thv help $name has one word for one thing", ({ blocks }) => {
  const texts = blocks.flatMap((block) => {
    if (block.kind === "terms") return block.terms.map(([, meaning]) => meaning);
    return block.kind === "commands" ? block.commands.map(([summary]) => summary) : [block.text];
  });

  expect(findOtherWords(texts.join(". "), words)).toEqual([]);
});

test.each(commands)("thv $name has one word for one thing", ({ text }) => {
  expect(findOtherWords(text, words)).toEqual([]);
});

describe("another word", () => {
  test.each([
    ["is found in a sentence", "Give a client one address for all.", ['"one address": say "URL"']],
    [
      "is found over the end of a line",
      "A server that runs\nelsewhere has a URL.",
      ['"server that runs elsewhere": say "remote server"'],
    ],
    ["is found in the text of a link", "[Its address](./a.mdx) stays.", ['"its address": say "URL"']],
    [
      "is not found in code, comments and targets of links",
      "`one address` {/* one address */} [URL](./one address)",
      [],
    ],
    ["is not found within a longer word", "Someone addressed it.", []],
    ["is not found for an address of a network", "It listens on an IP address, such as 127.0.0.1.", []],
  ])("%s", (_title, text, found) => {
    expect(findOtherWords(readVisibleText(text), words)).toEqual(found);
  });
});
