/**
 * Addresses that a server asks a person to open (2025-11-25). The endpoint is the client of such a server, and MCP leaves it to the
 * client to keep its user from an address that no browser should open.
 */
import { isWebAddress } from "@toolhive/core/web-address";
import { isRecord, parseJson } from "@toolhive/http/values";
import { readErrorCode } from "../messages/error-code.ts";
import { createErrorReply, type Envelope, RPC_ERRORS } from "../messages/json-rpc.ts";

/** A call cannot go on before a person has opened the addresses in `data.elicitations`. */
const URL_ELICITATION_REQUIRED = -32042;

export const ADDRESS_REFUSAL =
  "The address to open must begin with https:// or http://, and have no user name, blanks or backslashes.";

/** What a server wants to have opened. */
export interface AddressRequest {
  /** Present where the server gave it one. */
  readonly id: string | undefined;
  /** Whether a browser may open it. */
  readonly isSafe: boolean;
}

/** @param envelope A request for URL elicitation. */
export function readAddressRequest({ text, params }: Envelope): AddressRequest {
  return judgeAddress(params && parseJson(text.toString("utf8", params.start, params.end)));
}

function judgeAddress(params: unknown): AddressRequest {
  const { elicitationId, url } = isRecord(params) ? params : {};
  return { id: typeof elicitationId === "string" ? elicitationId : undefined, isSafe: isWebAddress(url) };
}

/** @returns The addresses in an error that names some; `undefined` for every other answer. */
export function readRequiredAddresses({ text, result }: Envelope): AddressRequest[] | undefined {
  if (result !== undefined || readErrorCode(text) !== URL_ELICITATION_REQUIRED) return undefined;
  const answer = parseJson(text.toString("utf8"));
  const error = isRecord(answer) ? answer.error : undefined;
  const data = isRecord(error) && isRecord(error.data) ? error.data.elicitations : undefined;
  return Array.isArray(data) ? data.map(judgeAddress) : [];
}

/**
 * @param id Raw JSON of the client's id.
 * @returns An error in place of an answer with an address that no browser should open; `undefined`: the answer passes as it is.
 */
export function refuseAddresses(answer: Envelope, id: Buffer): Buffer | undefined {
  if (readRequiredAddresses(answer)?.every(({ isSafe }) => isSafe) ?? true) return undefined;
  return createErrorReply(id, RPC_ERRORS.INTERNAL, `The server's answer is not passed on. ${ADDRESS_REFUSAL}`);
}
