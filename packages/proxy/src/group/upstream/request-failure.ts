/** Why a request of a group has no answer. */
import { describeError } from "@toolhive/core/errors";
import { AnswerTooLarge, RefusedMessage, SessionLost } from "@toolhive/mcp-client";
import { readErrorCode, saysSessionIsOver } from "../../messages/error-code.ts";
import { readErrorMessage } from "./initialize-answer.ts";
import type { RequestFailure } from "./upstream.ts";

export function describeFailure(error: unknown): RequestFailure {
  if (error instanceof SessionLost || isOfLostSession(error))
    return { reason: "its session has ended", isUnreceived: true };
  if (error instanceof AnswerTooLarge) return { reason: "its answer is too large" };
  if (!(error instanceof RefusedMessage)) return { reason: describeError(error) };
  return { reason: readErrorMessage(error.body) ?? `status ${error.status}`, code: readErrorCode(error.body) };
}

/** Some servers answer 400 in place of 404. */
export function isOfLostSession(error: unknown): boolean {
  if (!(error instanceof RefusedMessage) || error.status !== 400) return false;
  return saysSessionIsOver(readErrorMessage(error.body) ?? "");
}
