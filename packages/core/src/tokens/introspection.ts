/**
 * Opaque tokens: the issuer is asked about each (RFC 7662). Answers are kept for a moment, so that a client that calls often
 * causes one request; the number of requests at once is bounded, because anybody can invent tokens.
 */
import { createHash } from "node:crypto";
import type { JWTPayload } from "jose";
import { askIssuer, createIssuerUnavailableError, type IssuerReach } from "./issuer-http.ts";
import { CLOCK_SKEW_SECONDS } from "./token-times.ts";

/** Milliseconds an answer is used again; a token that was withdrawn is good for that long. */
const KEEP_MS = 30_000;
/** Answers that are kept. */
const MAX_KEPT = 1_000;
/** Questions that are open at the same time. */
const MAX_OPEN = 16;

export interface IntrospectionOptions {
  readonly url: string;
  readonly reach?: IssuerReach | undefined;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  /** Sent along, for issuers that know their clients by it. */
  readonly clientId?: string | undefined;
  readonly now?: (() => Date) | undefined;
}

interface Kept {
  readonly answer: Promise<Readonly<Record<string, unknown>>>;
  readonly until: number;
}

export class Introspection {
  readonly #options: IntrospectionOptions;
  /** By the digest of the token: the token itself is not kept. */
  readonly #kept = new Map<string, Kept>();
  #open = 0;

  constructor(options: IntrospectionOptions) {
    this.#options = options;
  }

  /**
   * @returns What the issuer says about the bearer, or why the token is refused.
   * @throws {ThvError} `ISSUER_UNAVAILABLE`.
   */
  async check(token: string): Promise<JWTPayload | string> {
    const { active, ...claims } = await this.#ask(token);
    if (active !== true) return "the issuer says that the token is not active";
    const { issuer, audience } = this.#options;
    const seconds = (this.#options.now?.() ?? new Date()).getTime() / 1000;
    if (claims.iss !== undefined && issuer !== undefined && claims.iss !== issuer) return "invalid issuer";
    if (audience !== undefined && ![claims.aud].flat().includes(audience)) return "invalid audience";
    if (isPast(claims.exp, seconds - CLOCK_SKEW_SECONDS)) return "token is expired";
    if (typeof claims.nbf === "number" && claims.nbf > seconds + CLOCK_SKEW_SECONDS) return "token is not valid yet";
    return { ...(issuer !== undefined && { iss: issuer }), ...claims };
  }

  async #ask(token: string): Promise<Readonly<Record<string, unknown>>> {
    const key = createHash("sha256").update(token).digest("base64");
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept && kept.until > now) return await kept.answer;
    if (this.#open >= MAX_OPEN)
      throw createIssuerUnavailableError(this.#options.url, "too many tokens are being looked up");
    const { url, reach, clientId } = this.#options;
    const form = { token, token_type_hint: "access_token", ...(clientId !== undefined && { client_id: clientId }) };
    this.#open += 1;
    const answer = askIssuer({ url, reach, form });
    this.#keep(key, { answer, until: now + KEEP_MS });
    try {
      return await answer;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    } finally {
      this.#open -= 1;
    }
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) return;
      this.#kept.delete(oldest);
    }
  }
}

function isPast(time: unknown, seconds: number): boolean {
  return typeof time === "number" && time <= seconds;
}
