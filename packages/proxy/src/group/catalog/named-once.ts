/** Refuses requests that name their subject twice. */
import { HttpRefusal } from "../../http/http-exchange.ts";
import type { ClientMessage } from "../../messages/client-message.ts";
import { copySpan, RPC_ERRORS } from "../../messages/json-rpc.ts";
import { findPath } from "../../messages/json-scanner.ts";

/**
 * Called before a member of the parameters is replaced. If it occurs twice, the server might read the one that was not replaced.
 *
 * @param path Of an existing member.
 * @throws {HttpRefusal} 400
 */
export function assertNamedOnce({ envelope }: ClientMessage, path: readonly string[]): void {
  const { id, params, text } = envelope;
  if (params === undefined || findPath(text, params.start, path) !== undefined) return;
  const reason = `The member "${path.at(-1) ?? ""}" is there twice.`;
  throw new HttpRefusal(400, RPC_ERRORS.INVALID_REQUEST, reason, { id: id && copySpan(text, id) });
}
