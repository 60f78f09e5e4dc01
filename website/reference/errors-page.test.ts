import path from "node:path";
import { COMMAND_GROUPS, COMMANDS, parseInvocation } from "@toolhive/cli/commands";
import { ERROR_GUIDE } from "@toolhive/cli/error-guide";
import { TOPIC_NAMES } from "@toolhive/cli/topics";
import { BRAND } from "@toolhive/core/brand";
import { ERRORS, type ErrorCode, getErrorPage } from "@toolhive/core/errors";
import { parsePage } from "@toolhive/testing/docs";
import { describe, expect, test } from "vitest";
import { collectMessages, readErrorMessages } from "./error-messages.ts";
import { errorPages, errorSlug } from "./errors-page.ts";

const root = path.join(import.meta.dirname, "../..");
const codes = Object.keys(ERRORS) as ErrorCode[];
const pages = new Map(errorPages(root).map((page) => [page.path, page.content]));
const findPage = (code: ErrorCode) => pages.get(`errors/${errorSlug(code)}.mdx`) ?? "";
const messages = readErrorMessages(root);

const tree = { commands: COMMANDS, groups: COMMAND_GROUPS, topics: TOPIC_NAMES };
const commands = Object.entries(ERROR_GUIDE).flatMap(([code, { remedies }]) =>
  remedies.flatMap(({ command }) =>
    (command ?? "")
      .split("\n")
      .filter((line) => line.startsWith(`${BRAND.command} `))
      .map((line) => ({ code, line })),
  ),
);

describe("the page of an error", () => {
  test.each(codes)("%s is at the address that the API and the terminal give, and on the index", (code) => {
    expect(`/${BRAND.docsSegment}/reference/errors/${errorSlug(code)}`).toBe(getErrorPage(code));
    expect(findPage(code)).toContain("## What to do");
    expect(pages.get("errors.mdx")).toContain(`<span id="${errorSlug(code)}">`);
  });

  test.each(codes)("%s shows an example that ends with the exit code of the catalogue, or with its message", (code) => {
    const shown = findPage(code).split("## Example")[1] ?? "";
    const step = parsePage(shown).steps.at(-1);
    if (step === undefined) {
      const message = /^Error: (.*)$/m.exec(shown)?.[1] ?? "";
      const forms = messages.get(code)?.map((form) => form.split("…").map(escaped).join(".*")) ?? [];

      expect(forms.filter((form) => new RegExp(`^${form}`).test(message))).not.toEqual([]);
    } else if (step.command.startsWith("curl")) {
      expect(step.output?.content).toContain(`"code":"${code}"`);
    } else {
      expect(step.exitCode).toBe(ERRORS[code].exit);
    }
  });

  test.each(commands)("$code: $line is a command of this version", ({ line }) => {
    const argv = line.split(" ").slice(1);

    expect(() => parseInvocation(argv, tree, {})).not.toThrow();
  });

  test("does not show what only prepares its example", () => {
    expect(findPage("PORT_IN_USE")).not.toContain("hidden");
    expect(findPage("CHECKS_FAILED")).not.toContain("kill %1");
  });
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the text is source code, read as such
describe("collectMessages", () => {
  test("reads strings and templates, with … for what is known later", () => {
    const found = new Map<string, Set<string>>();

    collectMessages(
      'throw new ThvError("USAGE", `--${flag} is "${port > 1 ? `${port}` : "none"}", or not.`);\n' +
        'new ThvError(\n  "INTERNAL",\n  "A \\"value\\".", {});\nnew ThvError("USAGE", describeError(error)); new ThvError("USAGE", `${a}: ${b}`); new ThvError("USAGE", `Not read: ${a}${b}.`)',
      found,
    );

    expect([...found].map(([code, texts]) => [code, [...texts]])).toEqual([
      ["USAGE", ['--… is "…", or not.', "Not read: …."]],
      ["INTERNAL", ['A "value".']],
    ]);
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
