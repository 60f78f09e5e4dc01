/**
 * Errors on the wire: plain text as existing clients expect (api-behaviour 1.5), RFC 9457 for callers that accept JSON.
 */
import { formatPointer, getErrorPage, type LocatedProblem, listSentences, ThvError } from "@toolhive/core";
import { createFileError } from "@toolhive/core/file-failure";
import { namesType } from "@toolhive/http";
import type { Operation, ProblemBody } from "../contract/parts/operation.ts";
import { findErrorStatus } from "../openapi/openapi.ts";
import { DecodeError } from "./decode-body.ts";
import type { Exchange } from "./exchange.ts";

interface WireError {
  readonly status: number;
  /** First line of the plain text form. */
  readonly text: string;
  /** Further lines of it: everything that is wrong, where the first line does not say it. */
  readonly lines?: readonly string[];
  /** Everything that is wrong with the request, each with its place. */
  readonly problems?: readonly LocatedProblem[];
  readonly detail: string;
  readonly code: string;
  readonly hint?: string | undefined;
}

/** What an operation declares about its errors. */
type Texts = Pick<Operation, "errors" | "decodeError" | "missingError">;

/** Maps anything thrown by an operation. Bugs become a generic 500; their detail belongs in the log. */
export function toWireError(thrown: unknown, operationId: string, operation: Texts): WireError {
  // Files are read and written in many places; an error of the file system is not a defect of the program.
  const error = createFileError(thrown) ?? thrown;
  if (error instanceof DecodeError) {
    const { problems, isMissing, isObject, message: detail } = error;
    const said = { status: 400, detail, code: "INVALID_ARGUMENT" };
    if (isMissing && operation.missingError) return { ...said, text: operation.missingError };
    return { ...said, text: operation.decodeError, ...(isObject && { lines: listSentences(problems), problems }) };
  }
  if (error instanceof ThvError && error.code !== "INTERNAL") {
    const known = operation.errors[error.code];
    const text = known === undefined ? error.message : known.endsWith(":") ? `${known} ${error.message}` : known;
    const status = findErrorStatus(operationId, error.code);
    const { message: detail, code, hint, problems } = error;
    return { status, text, detail, code, hint, ...(problems.length > 0 && { problems }) };
  }
  return { status: 500, text: "Internal server error", detail: "An unexpected error was logged.", code: "INTERNAL" };
}

export function sendError(exchange: Exchange, error: WireError): void {
  if (!exchange.response.headersSent) exchange.response.setHeader("X-Content-Type-Options", "nosniff");
  const { accept } = exchange.request.headers;
  if (!namesType(accept, "application/json") && !namesType(accept, "application/problem+json")) {
    exchange.send(error.status, "text/plain; charset=utf-8", [error.text, ...(error.lines ?? []), ""].join("\n"));
    return;
  }
  const docs = getErrorPage(error.code);
  const { problems } = error;
  const problem: ProblemBody = {
    type: docs,
    title: error.text,
    status: error.status,
    detail: error.detail,
    code: error.code,
    ...(problems && { problems: listSentences(problems), pointers: problems.map(({ path }) => formatPointer(path)) }),
    ...(error.hint && { hint: error.hint }),
    docs,
  };
  exchange.send(error.status, "application/problem+json", JSON.stringify(problem));
}
