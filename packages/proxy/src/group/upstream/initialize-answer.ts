/** Reads a server's answer to the `initialize` of a group. */
import { saysAlreadyInitialized } from "../../messages/error-code.ts";
import { copySpan, readEnvelope, readString } from "../../messages/json-rpc.ts";
import { findMembers, findPath, skipSpace } from "../../messages/json-scanner.ts";

/** The server accepts one session for its whole process, and another client has it. */
export class HasOneSession extends Error {
  constructor() {
    super("it accepts one session for its whole process, and another client has it");
  }
}

/** @returns Raw JSON of the result. @throws {HasOneSession} When it is an error, with the server's words. */
export function readInitializeResult(answer: Buffer): Buffer {
  const result = readEnvelope(answer)?.result;
  if (result !== undefined) return copySpan(answer, result);
  const message = readErrorMessage(answer) ?? "without a reason";
  if (saysAlreadyInitialized(message)) throw new HasOneSession();
  throw new Error(`it refused the session: ${message}`);
}

export function readRevision(result: Buffer): string | undefined {
  return readString(result, findMembers(result, 0, ["protocolVersion"])?.spans[0]);
}

/** The message of a JSON-RPC error, in one line and not long. */
export function readErrorMessage(text: Buffer): string | undefined {
  const start = skipSpace(text, 0);
  const message = readString(text, findPath(text, start, ["error", "message"]));
  return message?.replaceAll(/\s+/g, " ").slice(0, 300);
}
