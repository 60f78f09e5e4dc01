/** Reads the body of a request within bounds. */
import type { IncomingMessage } from "node:http";
import { ByteParts } from "./byte-parts.ts";

/** Why a body could not be read: it is too large, its sender went away, or it did not arrive in time. */
export type BodyProblem = "too-large" | "incomplete" | "too-slow";

export class BodyFailure extends Error {
  override readonly name = "BodyFailure";
  readonly problem: BodyProblem;

  constructor(problem: BodyProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

export interface BodyHandlers {
  readonly onBody: (body: Buffer) => void;
  /** Of a body that is too large, called as soon as that is known. */
  readonly onFailure: (failure: BodyFailure) => void;
}

/**
 * Reads a whole body; exactly one of the handlers is called, once. What follows a failure is received and dropped: the
 * connection stays open for the answer.
 *
 * @param maxBytes Of the body.
 */
export function collectBody(request: IncomingMessage, maxBytes: number, { onBody, onFailure }: BodyHandlers): void {
  let parts: ByteParts | undefined = new ByteParts();
  let bytes = 0;
  const fail = (problem: BodyProblem, message: string, cause?: unknown): void => {
    if (parts === undefined) return;
    parts = undefined;
    onFailure(new BodyFailure(problem, message, { cause }));
  };
  const refuseSize = (): void => fail("too-large", `The body is larger than ${maxBytes} bytes.`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    refuseSize();
    return;
  }
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) refuseSize();
    else parts?.add(chunk);
  });
  request.on("end", () => {
    const body = parts?.take();
    // The request lives until it is answered; what it brought need not.
    parts = undefined;
    if (body !== undefined) onBody(body);
  });
  request.on("error", (error) => fail("incomplete", "The body ended early.", error));
  request.on("close", () => {
    if (!request.complete) fail("incomplete", "The body ended early.");
  });
}

export interface BodyBounds {
  readonly maxBytes: number;
  /** Milliseconds for all of it. Default: the server's own time limits alone. */
  readonly timeoutMs?: number;
}

/** The same as a promise. @throws {BodyFailure} */
export function readBody(request: IncomingMessage, { maxBytes, timeoutMs }: BodyBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => reject(new BodyFailure("too-slow", `The body did not arrive within ${timeoutMs} ms.`));
    const timer = timeoutMs === undefined ? undefined : setTimeout(refuse, timeoutMs);
    collectBody(request, maxBytes, {
      onBody: (body) => {
        clearTimeout(timer);
        resolve(body);
      },
      onFailure: (failure) => {
        clearTimeout(timer);
        reject(failure);
      },
    });
  });
}
