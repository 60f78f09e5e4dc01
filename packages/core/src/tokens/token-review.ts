/**
 * Asks a cluster's API server whether a token of a service account is still good (`TokenReview` of
 * `authentication.k8s.io/v1`). Its signature alone does not say that the account, or the pod that it is bound to, was deleted.
 */
import { createHash } from "node:crypto";
import { toOneLine } from "../support/one-line.ts";
import { askIssuer, createIssuerUnavailableError, type IssuerReach } from "./issuer-http.ts";

/** Milliseconds that an answer is used again, which is what the API server does itself: a deleted account is good for that long. */
const KEEP_MS = 10_000;
/** Answers that are kept. */
const MAX_KEPT = 1_000;
/** Questions that are open at the same time. */
const MAX_OPEN = 16;
/** Characters of what the API server says. */
const MAX_REASON = 200;

interface TokenReviewOptions {
  readonly url: string;
  /** Has to be among those that the token is for. Default: those of the API server itself. */
  readonly audience?: string | undefined;
  readonly reach?: IssuerReach | undefined;
}

export class TokenReview {
  readonly #options: TokenReviewOptions;
  /** By the digest of the token: the token itself is not kept. */
  readonly #kept = new Map<string, { readonly answer: Promise<string | undefined>; readonly until: number }>();
  #open = 0;

  constructor(options: TokenReviewOptions) {
    this.#options = options;
  }

  /**
   * @returns Why the token is refused; `undefined` when it is good.
   * @throws {ThvError} `INVALID_ARGUMENT` when this program may not ask, `ISSUER_UNAVAILABLE`.
   */
  async check(token: string): Promise<string | undefined> {
    const key = createHash("sha256").update(token).digest("base64");
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept && kept.until > now) return await kept.answer;
    if (this.#open >= MAX_OPEN) {
      throw createIssuerUnavailableError(this.#options.url, "too many tokens are being looked up");
    }
    this.#open += 1;
    const answer = this.#ask(token);
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

  async #ask(token: string): Promise<string | undefined> {
    const { url, reach, audience } = this.#options;
    const { status } = await askIssuer({
      url,
      reach,
      document: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token, ...(audience !== undefined && { audiences: [audience] }) },
      },
    });
    const { authenticated, audiences, error } = (status ?? {}) as Readonly<Record<string, unknown>>;
    if (authenticated !== true) {
      const said = typeof error === "string" ? `: ${toOneLine(error).slice(0, MAX_REASON)}` : "";
      return `the API server says that the token is not good${said}`;
    }
    // An API server without support for audiences names none.
    const isMeant = audience === undefined || (Array.isArray(audiences) && audiences.includes(audience));
    return isMeant ? undefined : "invalid audience";
  }

  #keep(key: string, kept: { readonly answer: Promise<string | undefined>; readonly until: number }): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) return;
      this.#kept.delete(oldest);
    }
  }
}
