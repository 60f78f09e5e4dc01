/**
 * Requests of a sign-in: bounded in time and size for every server. The SDK follows redirects within the origin only; where
 * requests go out is the caller's choice.
 */
import { readAnswer } from "../../net/outgoing-request.ts";
import { describeError } from "../../support/errors.ts";
import { toOneLine } from "../../support/one-line.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import { describeUnusableAnswer, tidyAnswer } from "./provider-answer.ts";

export type Fetch = typeof fetch;

/** Milliseconds for one request. A renewal holds a lock meanwhile, which counts as forgotten after 30 s. */
export const SIGN_IN_REQUEST_MS = 20_000;
/** Bytes of an answer: metadata has some 10 kB. */
const MAX_ANSWER_BYTES = 512 * 1024;
/** Characters of a foreign text in a message. */
const MAX_FOREIGN_LENGTH = 300;

export interface FetchBounds {
  readonly signal: AbortSignal;
  /** Default: 20 s. */
  readonly timeoutMs?: number;
  /** Default: yes. Without it, the answer is only its head: the body of an MCP server may be an endless stream. */
  readonly readsBody?: boolean;
  /** Sends the requests. Default: the global `fetch`. */
  readonly send?: Fetch | undefined;
}

export function createBoundedFetch(bounds: FetchBounds): Fetch {
  const { signal, timeoutMs = SIGN_IN_REQUEST_MS, readsBody = true, send = fetch } = bounds;
  return async (input, init) => {
    const timeout = startTimeout(timeoutMs);
    try {
      const response = await send(input, { ...init, signal: AbortSignal.any([signal, timeout]) });
      if (!readsBody) {
        await response.body?.cancel();
        return response;
      }
      const body = await readAnswer(response.body, MAX_ANSWER_BYTES, () => {
        return new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
      });
      const { headers } = response;
      if (body.length === 0) return new Response(null, { status: response.status, headers });
      const tidy = tidyAnswer({ status: response.status, body }, headers.get("content-type"));
      return new Response(new Uint8Array(tidy.body), { status: tidy.status, headers });
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw new Error(`no complete answer within ${timeoutMs / 1000} s`, { cause: error });
      throw error;
    }
  };
}

/** How the SDK begins the message about such an answer. */
const NO_OAUTH_ANSWER = "Invalid OAuth error response";

/** The text of a failure in one line, with what caused it, and without the secrets that a foreign text may repeat. */
export function describeRequestFailure(error: unknown, secrets: readonly (string | undefined)[] = []): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${describeError(error.cause)}` : "";
  const whole = describeUnusableAnswer(error) ?? `${describeError(error)}${cause}`;
  // The SDK quotes an answer that is not OAuth's; such a page does not help the user.
  const quoted = whole.indexOf(NO_OAUTH_ANSWER);
  const text = quoted < 0 ? whole : whole.slice(0, quoted + NO_OAUTH_ANSWER.length);
  const known = secrets.filter((secret) => secret !== undefined && secret.length > 3) as string[];
  const shown = known.reduce((left, secret) => left.replaceAll(secret, "…"), text);
  const line = toOneLine(shown).slice(0, MAX_FOREIGN_LENGTH).trimEnd();
  // A quotation of an empty answer leaves its colon behind.
  return line.endsWith(":") ? line.slice(0, -1) : line;
}
