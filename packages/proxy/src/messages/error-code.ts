import { RPC_ERRORS } from "./json-rpc.ts";
import { findMembers, skipSpace } from "./json-scanner.ts";

/** The code of an error response; `undefined` when it is a result. */
export function readErrorCode(text: Buffer): number | undefined {
  const error = findMembers(text, skipSpace(text, 0), ["error"])?.spans[0];
  const code = error === undefined ? undefined : findMembers(text, error.start, ["code"])?.spans[0];
  return code === undefined ? undefined : Number(text.toString("latin1", code.start, code.end));
}

/** Whether a server refused `initialize` because it knows no sessions any more. */
export function isSessionlessServer(response: Buffer): boolean {
  const code = readErrorCode(response);
  return code === RPC_ERRORS.UNSUPPORTED_REVISION || code === RPC_ERRORS.METHOD_NOT_FOUND;
}

/** How servers that accept one session for their whole process refuse a second `initialize`. */
const ALREADY_INITIALIZED = /\balready (?:been )?initialized\b/i;

/** Whether the message of an error says that another client has the server's only session. */
export function saysAlreadyInitialized(message: string): boolean {
  return ALREADY_INITIALIZED.test(message);
}

/** How servers that were started again refuse a session of their earlier process, where they do not answer 404. */
const SESSION_OVER =
  /\bnot initialized\b|\b(?:no valid|invalid|unknown|expired) session\b|\bsession (?:id )?not found\b/i;

/** Whether the message of an error says that the server does not know the session of a request. */
export function saysSessionIsOver(message: string): boolean {
  return SESSION_OVER.test(message);
}
