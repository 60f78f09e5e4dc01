/**
 * The error catalogue: an index page, and one page for each code from its entry, its example that the tests run, and
 * the messages in the sources.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { OPERATIONS } from "@toolhive/api";
import { ERROR_AREAS, ERROR_GUIDE } from "@toolhive/cli/error-guide";
import { ERRORS, type ErrorCode, getErrorPage } from "@toolhive/core/errors";
import { findPlace, pathOfPlace } from "./api-places.ts";
import { askWhatToDo } from "./ask-questions.ts";
import type { GeneratedPage } from "./cli-pages.ts";
import { readErrorMessages } from "./error-messages.ts";
import { blocks, code, fence, LOOKED_UP, pageHead, table, text } from "./markdown.ts";
import { messagesOfCode, showRemedy } from "./seen-messages-page.ts";

const NO_RUN = 'norun="Works on names of your own; the example below is run"';

/** @param root The repository's folder, whose sources hold the messages. */
export function errorPages(root: string): GeneratedPage[] {
  const messages = readErrorMessages(root);
  const examples = readExamples(readFileSync(path.join(root, "website/reference/data/error-examples.md"), "utf8"));
  return [
    indexPage(),
    ...ERROR_AREAS.flatMap(({ codes }) => codes).map((errorCode) =>
      codePage(errorCode, messages.get(errorCode) ?? [], examples.get(errorCode)),
    ),
  ];
}

/** File name and last part of the address: `workload-not-found`. */
export function errorSlug(errorCode: ErrorCode): string {
  return getErrorPage(errorCode).split("/").at(-1) ?? "";
}

/** The parts of the examples' file by their codes, without the blocks that only prepare. */
function readExamples(source: string): ReadonlyMap<string, string> {
  return new Map(
    source
      .split(/^## /m)
      .slice(1)
      .map((part): [string, string] => {
        const [errorCode = "", ...lines] = part.split("\n");
        return [
          errorCode,
          lines
            .join("\n")
            .replaceAll(/^```bash run hidden[\s\S]*?^```$/gm, "")
            .trim(),
        ];
      }),
  );
}

function indexPage(): GeneratedPage {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return {
    path: "errors.mdx",
    content: blocks(
      pageHead({
        title: "Error catalogue",
        description:
          "Every error in the ToolHive CLI and API, with its own page: why it happens, what to do, HTTP status and exit code.",
        keywords: ["error", "failure", "exit code", "http status", "troubleshooting", ...codes],
        // The next page skips the codes, which readers look up and do not read in order.
        next: "toolhive/reference/configuration",
      }),
      "Every ToolHive error has one of these codes, with a page that explains why it happens and what to do. The CLI prints the error message; on a terminal, or with `--debug`, the URL of the page follows it. In the API, the code and the URL are part of a [problem document](./api.mdx#schema-problem).",
      "Scripts can use the exit code of `thv` to distinguish errors. Error codes with similar solutions share an exit code. For messages of clients, Docker, npm or Kubernetes, see [Errors of other programs](./other-programs.mdx).",
      ...ERROR_AREAS.flatMap((area) => [
        `## ${area.title}`,
        table(
          ["Code", "What happened", "HTTP status", "Exit code"],
          area.codes.map((errorCode) => [
            // The anchor is the address that the code had when all were on this page.
            `<span id="${errorSlug(errorCode)}">[${code(errorCode)}](./errors/${errorSlug(errorCode)}.mdx)</span>`,
            capital(ERROR_GUIDE[errorCode].short),
            String(ERRORS[errorCode].status),
            String(ERRORS[errorCode].exit),
          ]),
        ),
      ]),
    ),
  };
}

function codePage(errorCode: ErrorCode, messages: readonly string[], example: string | undefined): GeneratedPage {
  if (example === undefined) throw new Error(`error-examples.md has no example of ${errorCode}.`);
  const { short, what, why, remedies, guide } = ERROR_GUIDE[errorCode];
  const { status, exit } = ERRORS[errorCode];
  const operations = operationsWith(errorCode);
  const seen = messagesOfCode(errorCode);
  return {
    path: `errors/${errorSlug(errorCode)}.mdx`,
    questions: askWhatToDo(short),
    content: blocks(
      pageHead({
        title: `${errorCode}: ${short}`,
        sidebarLabel: errorCode,
        description: withinLimit(`${what} Why ToolHive returns ${errorCode}, and what to do.`),
        keywords: ["error", errorCode.toLowerCase().replaceAll("_", " ")],
        previous: null,
        next: null,
      }),
      // Who searches for a task wants its guide first; who has the code or the message finds this page by it.
      LOOKED_UP,
      text(what),
      table(["HTTP status", "Exit code of `thv`"], [[String(status), String(exit)]]),
      "## Why it happens",
      why.map((reason) => `- ${text(reason)}`).join("\n"),
      "## What to do",
      ...remedies.map(({ say, command }, index) =>
        command === undefined
          ? `${index + 1}. ${text(say)}`
          : `${index + 1}. ${text(say)}\n\n${indent(fence("bash", NO_RUN, command))}`,
      ),
      seen.length === 0
        ? undefined
        : blocks(
            "## Also seen as",
            "Other programs report the same cause in these words. `…` stands for a value:",
            seen
              .map(
                (message) =>
                  `- ${code(message.message)} (${text(message.program)})<br />${text(message.means)} ${showRemedy(message, "../../")}`,
              )
              .join("\n"),
          ),
      "## Example",
      example,
      messages.length === 0
        ? undefined
        : blocks(
            "## Messages with this code",
            "`…` stands for a value:",
            messages.map((message) => `- ${text(message.replace(/…\.$/, "…"))}`).join("\n"),
          ),
      operations.length === 0
        ? undefined
        : blocks(
            "## API operations that return this error {#operations-of-the-api-that-answer-with-it}",
            operations
              .map(({ id, summary, tag }) => `- [${text(summary)}](../${pathOfPlace(findPlace(tag))}.mdx#${id})`)
              .join("\n"),
          ),
      "## Related",
      [
        `- [${guide.title}](../../${guide.path}.mdx), for the related task`,
        "- [Error catalogue](../errors.mdx), for all other codes",
      ].join("\n"),
    ),
  };
}

/** Operations that name the code among their failures. */
function operationsWith(errorCode: ErrorCode): { id: string; summary: string; tag: string }[] {
  return Object.entries(OPERATIONS).flatMap(([id, { errors, summary, tag }]) =>
    errorCode in errors ? [{ id, summary, tag }] : [],
  );
}

/** At most 155 characters, cut between words. */
function withinLimit(sentence: string): string {
  const plain = sentence.replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, "$1").replaceAll("`", "");
  return plain.length <= 155 ? plain : `${plain.slice(0, 154).replace(/[\s,.;:]+\S*$/, "")}…`;
}

function capital(phrase: string): string {
  return text(phrase.slice(0, 1).toUpperCase() + phrase.slice(1));
}

function indent(block: string): string {
  return block
    .trimEnd()
    .split("\n")
    .map((line) => `   ${line}`)
    .join("\n");
}
