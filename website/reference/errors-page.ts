/** The error catalogue as a page: one anchor per code, made from the codes themselves. */
import { ERRORS, type ErrorCode } from "@toolhive/core/errors";
import type { GeneratedPage } from "./cli-pages.ts";
import { ERROR_GUIDE } from "./data/error-guide.ts";
import { blocks, code, fence, pageHead, table } from "./markdown.ts";

export function errorsPage(): GeneratedPage {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return {
    path: "errors.mdx",
    content: blocks(
      pageHead({
        title: "Error catalogue",
        description:
          "Every error of the ToolHive CLI and API: its code, HTTP status and exit code, why it happens and how to mend it.",
        keywords: ["error", "failure", "exit code", "http status", "troubleshooting", ...codes],
      }),
      "You see these codes in the API's problem documents, and you meet their messages in the terminal. Each has a cause and a remedy.",
      table(
        ["Code", "HTTP status", "Exit code"],
        codes.map((errorCode) => [
          `[${code(errorCode)}](#${anchor(errorCode)})`,
          String(ERRORS[errorCode].status),
          String(ERRORS[errorCode].exit),
        ]),
      ),
      ...codes.map((errorCode) => {
        const heading = `## ${code(errorCode)} {#${anchor(errorCode)}}`;
        const guide = ERROR_GUIDE[errorCode];
        if (guide === undefined)
          return blocks(heading, "The message says what happened, and its hint what to do next.");
        const { cause, fix, command } = guide;
        return blocks(
          heading,
          cause,
          `**Remedy:** ${fix}`,
          command === undefined ? undefined : fence("bash", 'norun="An example with a name of your own"', command),
        );
      }),
    ),
  };
}

/** As the API links it: `/toolhive/reference/errors#workload-not-found`. */
function anchor(errorCode: ErrorCode): string {
  return errorCode.toLowerCase().replaceAll("_", "-");
}
