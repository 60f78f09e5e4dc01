import { COMMANDS, isShown, listShownFlags } from "@toolhive/cli/commands";
import { describe, expect, test } from "vitest";
import { commandText } from "./command-words.ts";

describe("a sentence of the command table", () => {
  test.each([
    ["Leave tools held back until thv tools accept them", "Leave tools held back until `thv tools accept` them"],
    [
      "npx://NAME runs a package, for which thv builds an image",
      "`npx://NAME` runs a package, for which `thv` builds an image",
    ],
    ["With --format json, it prints JSON.", "With `--format` json, it prints JSON."],
    ["Start what thv.yaml lists", "Start what `thv.yaml` lists"],
    ["Use `thv list --all` for all", "Use `thv list --all` for all"],
    ["Image for an npx://, uvx:// or go:// server", "Image for an `npx://`, `uvx://` or `go://` server"],
    ["or the variable TOOLHIVE_SECRETS_PROVIDER", "or the variable `TOOLHIVE_SECRETS_PROVIDER`"],
    [
      "Folder: HOST_PATH:CONTAINER_PATH, with :ro for reading",
      "Folder: `HOST_PATH:CONTAINER_PATH`, with `:ro` for reading",
    ],
    ["KEY=VALUE, or KEY for the value of this shell", "`KEY=VALUE`, or KEY for the value of this shell"],
    ["As thv list --all shows it", "As `thv list --all` shows it"],
    ["Unlike thv alone --all does", "Unlike `thv` alone `--all` does"],
    ["A well-known name", "A well-known name"],
  ])("%j becomes %j", (sentence, page) => {
    expect(commandText(sentence)).toBe(page);
  });

  test("names no flag outside of code", () => {
    const sentences = COMMANDS.filter(isShown).flatMap((command) => [
      command.summary,
      command.description ?? "",
      ...listShownFlags(command).map(({ summary }) => summary),
    ]);
    const bare = sentences.filter((sentence) =>
      /(?<![\w-])--[a-z]/.test(commandText(sentence).replaceAll(/`[^`]*`/g, "")),
    );

    expect(bare).toEqual([]);
  });
});
