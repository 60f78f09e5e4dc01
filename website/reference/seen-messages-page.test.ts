import path from "node:path";
import { COMMAND_GROUPS, COMMANDS, parseInvocation } from "@toolhive/cli/commands";
import { TOPIC_NAMES } from "@toolhive/cli/topics";
import { BRAND } from "@toolhive/core/brand";
import { describe, expect, test } from "vitest";
import { errorPages, errorSlug } from "./errors-page.ts";
import { SEEN_MESSAGES as all } from "./seen-messages.ts";
import { seenMessagesPage } from "./seen-messages-page.ts";

const page = seenMessagesPage().content;
const errors = new Map(
  errorPages(path.join(import.meta.dirname, "../..")).map(({ path: file, content }) => [file, content]),
);
const tree = { commands: COMMANDS, groups: COMMAND_GROUPS, topics: TOPIC_NAMES };

const commands = all.flatMap(({ message, remedy }) =>
  [...remedy.matchAll(/`([^`]+)`/g)]
    .map(([, command = ""]) => command)
    .filter((command) => command.startsWith(`${BRAND.command} `))
    .map((command) => ({ message, command })),
);

describe("the messages of other programs", () => {
  test("are at least 120, each once", () => {
    expect(all.length).toBeGreaterThanOrEqual(120);
    expect(new Set(all.map(({ message }) => message)).size).toBe(all.length);
  });

  test("none raises the limits of a server where those of its proxy are", () => {
    const naming = all.filter(({ remedy }) => remedy.includes("spec.resources"));

    expect(naming.length).toBeGreaterThan(1);
    for (const { remedy } of naming)
      expect(remedy).toMatch(/`spec\.podTemplateSpec`.*proxy|proxy.*`spec\.podTemplateSpec`/);
  });

  test.each(commands)("$command is a command of this version", ({ command }) => {
    const argv = command.split(" ").slice(1);
    const isNamedOnly = COMMANDS.some((known) => known.path.join(" ") === argv.join(" "));

    if (!isNamedOnly) expect(() => parseInvocation(argv, tree, {})).not.toThrow();
  });

  test.each(all)("$message is on the page of its error, or on the page of what is not ours", ({ message, code }) => {
    const shown = code === undefined ? page : (errors.get(`errors/${errorSlug(code)}.mdx`) ?? "");

    expect(shown).toContain(`\`${message.replaceAll("|", "\\|")}\``);
  });
});
