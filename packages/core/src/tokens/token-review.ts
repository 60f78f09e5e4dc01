/**
 * Asks a cluster's API server whether a token of a service account is still good (`TokenReview` of
 * `authentication.k8s.io/v1`). Its signature alone does not say that the account, or the pod that it is bound to, was deleted.
 */
import { toOneLine } from "../support/one-line.ts";
import { askIssuer, type IssuerReach } from "./issuer-http.ts";
import { KeptAnswers } from "./kept-answers.ts";

/** Milliseconds that an answer is used again, which is what the API server does itself: a deleted account is good for that long. */
const KEEP_MS = 10_000;
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
  readonly #answers: KeptAnswers<string | undefined>;

  constructor(options: TokenReviewOptions) {
    this.#options = options;
    this.#answers = new KeptAnswers({
      url: options.url,
      keepMs: KEEP_MS,
      ask: async (token) => await this.#ask(token),
    });
  }

  /**
   * @returns Why the token is refused; `undefined` when it is good.
   * @throws {ThvError} `INVALID_ARGUMENT` when this program may not ask, `ISSUER_UNAVAILABLE`.
   */
  async check(token: string): Promise<string | undefined> {
    return await this.#answers.get(token);
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
}
