/**
 * An outgoing request on a connection of its own, and its answer within a bound. Private addresses are refused where the
 * connection is made, so that neither a name that resolves to one nor a redirect leads there.
 */
import { type IncomingMessage, type OutgoingHttpHeaders, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP } from "node:net";
import { ByteParts } from "@toolhive/http/byte-parts";
import { describeError, readSystemCode } from "../support/errors.ts";
import { isPrivateAddress, lookupPublic } from "./private-address.ts";

export interface OutgoingRequest {
  readonly headers: OutgoingHttpHeaders;
  /** Sent with POST; without it the request is a GET. */
  readonly body?: string | undefined;
  /** Certificates to trust instead of the usual ones, PEM. */
  readonly ca?: string | string[] | undefined;
  /** Makes the error for an address of this machine or of a private network. Default: those are allowed. */
  readonly refusePrivate?: ((address: string) => Error) | undefined;
  /** Milliseconds without any byte, and the error for more. Default: no such bound. */
  readonly idle?: { readonly ms: number; readonly createError: () => Error };
  /** Carries the deadline. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request over http or https; redirects are not followed. @returns The answer, whose body is not read yet. */
export async function sendRequest(url: URL, options: OutgoingRequest): Promise<IncomingMessage> {
  const { headers, body, ca, refusePrivate, idle, signal } = options;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (refusePrivate && isIP(host) !== 0 && isPrivateAddress(host)) throw refusePrivate(host);
  const start = url.protocol === "https:" ? requestTls : requestPlain;
  return await new Promise((resolve, reject) => {
    const sent = start(url, {
      method: body === undefined ? "GET" : "POST",
      agent: false,
      headers,
      ...(idle && { timeout: idle.ms }),
      ...(refusePrivate && { lookup: lookupPublic(refusePrivate) }),
      ...(ca !== undefined && { ca }),
      ...(signal && { signal }),
    });
    if (idle) sent.once("timeout", () => sent.destroy(idle.createError()));
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.end(body);
  });
}

/**
 * Reads the body of an answer; the connection is cut when it passes the bound.
 *
 * @param body Absent for an answer without one.
 * @param createError Makes the error for a body of more than `maxBytes`.
 */
export async function readAnswer(
  body: AsyncIterable<Uint8Array> | null | undefined,
  maxBytes: number,
  createError: () => Error,
): Promise<Buffer> {
  const parts = new ByteParts();
  for await (const chunk of body ?? []) {
    parts.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (parts.length > maxBytes) throw createError();
  }
  return parts.take();
}

/** Why a connection could not be made or broke, as the end of a sentence. */
export function describeConnectionFailure(error: unknown): string {
  const code = readSystemCode(error);
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "its host is not known";
    case "ECONNREFUSED":
      return "nothing answers there";
    default:
      return describeError(error) || code || "the connection broke";
  }
}
