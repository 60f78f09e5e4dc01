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
