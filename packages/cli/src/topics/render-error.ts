/** `thv help CODE`: what an error code means and what to do, without the site. */
import { BRAND } from "@toolhive/core/brand";
import { ERRORS, type ErrorCode, getErrorPage } from "@toolhive/core/errors";
import { isLoopback } from "@toolhive/http";
import { wrap } from "../terminal/wrap.ts";
import { ERROR_GUIDE } from "./error-guide/error-guide.ts";

/** @param code One of the catalogue. @param width Columns; commands stay whole, to be copied. */
export function renderError(code: string, width: number): string {
  const { short, what, why, remedies } = ERROR_GUIDE[code as ErrorCode];
  const steps = remedies.flatMap(({ say, command }) => [
    wrap(plain(say), width, "  - ", "    "),
    ...(command === undefined ? [] : command.split("\n").map((line) => `      ${line}`)),
  ]);
  return [
    wrap(`${code}: ${short}`, width),
    "",
    wrap(plain(what), width),
    "",
    "Why it happens:",
    ...why.map((reason) => wrap(plain(reason), width, "  - ", "    ")),
    "",
    "What to do:",
    ...steps,
    "",
    `Exit code: ${ERRORS[code as ErrorCode].exit}`,
    `More: ${BRAND.command} docs ${getErrorPage(code).replace(`/${BRAND.docsSegment}/`, "")}`,
    ...(isPublic(BRAND.siteUrl) ? [`Page: ${BRAND.siteUrl}${getErrorPage(code)}`] : []),
    "",
  ].join("\n");
}

/** The guide is written for pages: marks of code and links to other pages mean nothing here. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

/** An address on the reader's own machine answers only while a checkout serves it. */
function isPublic(address: string): boolean {
  return !isLoopback(new URL(address).hostname);
}
