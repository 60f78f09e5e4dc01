/**
 * Redirects of a server. A client that followed one would send its message, and what it is authorized with, past this endpoint.
 * So the endpoint itself follows those that stay at the server, with the same method and body, and passes none on.
 */
import type { IncomingMessage } from "node:http";
import { toOneLine } from "@toolhive/core/one-line";
import { deriveOrigin } from "../../access/protected-resource.ts";
import { readHeader } from "../../http/http-exchange.ts";
import type { AnswerHead } from "../answer/server-answer.ts";

/** Redirects within the server that are followed for one request. */
export const MAX_REDIRECTS = 3;
/** Bytes of a body that are kept until the server has answered. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Those that say where the same request is to be sent. After 303 another one would be. */
const SAME_REQUEST = new Set([301, 302, 307, 308]);
const MAX_SHOWN = 200;

/** 304 leads nowhere. */
export function isRedirect({ statusCode = 0 }: AnswerHead): boolean {
  return statusCode >= 300 && statusCode < 400 && statusCode !== 304;
}

/** Where an answer leads within the same server, as path and query. @param origins All by which the server may be called. */
export function findSameOrigin(answer: AnswerHead, base: URL, origins = [base.origin]): string | undefined {
  const location = readHeader(answer, "location");
  if (!SAME_REQUEST.has(answer.statusCode ?? 0) || location === undefined) return undefined;
  const target = URL.canParse(location, base.href) ? new URL(location, base) : undefined;
  return target && origins.includes(target.origin) ? target.pathname + target.search : undefined;
}

/** The address that an answer leads to, without what may be a key. */
export function showLocation(answer: AnswerHead, base: URL): string {
  const location = readHeader(answer, "location");
  if (location === undefined || !URL.canParse(location, base.href)) return "no address";
  const { protocol, host, pathname } = new URL(location, base);
  return toOneLine(`${protocol}//${host}${pathname}`).slice(0, MAX_SHOWN);
}

/** The redirects of one request to a server of this machine. */
export class Redirects {
  readonly #request: IncomingMessage;
  readonly #server: string;
  readonly #chunks: Buffer[] = [];
  readonly #given: Buffer | undefined;
  #bytes = 0;
  #count = 0;
  #path: string;

  /**
   * @param options.server Host and port of the server.
   * @param options.body Present when it was read before.
   */
  constructor(
    request: IncomingMessage,
    { server, path, body }: { readonly server: string; readonly path: string; readonly body: Buffer | undefined },
  ) {
    this.#request = request;
    this.#server = server;
    this.#path = path;
    this.#given = body;
    if (body !== undefined) return;
    request.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= MAX_KEPT_BYTES) this.#chunks.push(chunk);
      else this.#chunks.length = 0;
    });
  }

  /** Path and query at the server. */
  get path(): string {
    return this.#path;
  }

  /** The body for the next sending; `undefined` before the first one, while the request brings it. */
  get body(): Buffer | undefined {
    return this.#given ?? (this.#count > 0 ? Buffer.concat(this.#chunks) : undefined);
  }

  /**
   * @returns Whether the request has to be sent once more, at another path.
   * @throws {Error} Why the answer is not handed on, as a sentence.
   */
  async follow(answer: AnswerHead): Promise<boolean> {
    if (!isRedirect(answer)) return false;
    const own = deriveOrigin(this.#request);
    const base = URL.canParse(this.#path, own) ? new URL(this.#path, own) : new URL(own);
    const { host } = new URL(own);
    const path = findSameOrigin(answer, base, [`http://${host}`, `https://${host}`, `http://${this.#server}`]);
    const where = showLocation(answer, base);
    const refuse = (reason: string) =>
      new Error(
        `The server answers with the redirect ${answer.statusCode} to ${where}. ${reason} Configure the server so that it answers at ${toOneLine(this.#path.split("?", 1)[0] ?? "").slice(0, MAX_SHOWN)} itself.`,
      );
    if (path === undefined) throw refuse("That is not followed: it would lead the client past this endpoint.");
    if (this.#count >= MAX_REDIRECTS) throw refuse(`That is not followed after ${MAX_REDIRECTS} others.`);
    await this.#receiveRest();
    if (this.#bytes > MAX_KEPT_BYTES)
      throw refuse(`That is not followed with a body of more than ${MAX_KEPT_BYTES} bytes.`);
    this.#count += 1;
    this.#path = path;
    return true;
  }

  /** A server may redirect before it has read the body. */
  async #receiveRest(): Promise<void> {
    const request = this.#request;
    if (this.#given !== undefined || request.readableEnded) return;
    await new Promise<void>((resolve) => {
      request.once("end", resolve).once("close", resolve).resume();
    });
  }
}
