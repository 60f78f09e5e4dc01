/**
 * Answers of an issuer about tokens. Each is kept for a moment, so that a client that calls often causes one request; the number
 * of requests at once is bounded, because anybody can invent tokens.
 */
import { createHash } from "node:crypto";
import { createIssuerUnavailableError } from "./issuer-http.ts";

/** Answers that are kept. */
const MAX_KEPT = 1_000;
/** Requests that are open at the same time. */
const MAX_OPEN = 16;

interface Kept<Answer> {
  readonly answer: Promise<Answer>;
  readonly until: number;
}

interface KeptAnswersOptions<Answer> {
  /** Of the issuer, for errors. */
  readonly url: string;
  /** How long an answer is used again: a token that was withdrawn is good for that long. */
  readonly keepMs: number;
  readonly ask: (token: string) => Promise<Answer>;
}

export class KeptAnswers<Answer> {
  readonly #options: KeptAnswersOptions<Answer>;
  /** By the digest of the token: the token itself is not kept. */
  readonly #kept = new Map<string, Kept<Answer>>();
  #open = 0;

  constructor(options: KeptAnswersOptions<Answer>) {
    this.#options = options;
  }

  /** @throws {ThvError} `ISSUER_UNAVAILABLE` when too many requests are open; what `ask` throws, which is not kept. */
  async get(token: string): Promise<Answer> {
    const key = createHash("sha256").update(token).digest("base64");
    const now = performance.now();
    const kept = this.#kept.get(key);
    if (kept && kept.until > now) return await kept.answer;
    const { url, keepMs, ask } = this.#options;
    if (this.#open >= MAX_OPEN) throw createIssuerUnavailableError(url, "too many tokens are being looked up");
    this.#open += 1;
    const answer = ask(token);
    this.#keep(key, { answer, until: now + keepMs });
    try {
      return await answer;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    } finally {
      this.#open -= 1;
    }
  }

  #keep(key: string, kept: Kept<Answer>): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) return;
      this.#kept.delete(oldest);
    }
  }
}
