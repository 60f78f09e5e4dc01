/** Opaque tokens: the issuer is asked about each (RFC 7662). */
import type { JWTPayload } from "jose";
import { askIssuer, type IssuerReach } from "./issuer-http.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { CLOCK_SKEW_SECONDS } from "./token-times.ts";

/** Milliseconds an answer is used again; a token that was withdrawn is good for that long. */
const KEEP_MS = 30_000;

export interface IntrospectionOptions {
  readonly url: string;
  readonly reach?: IssuerReach | undefined;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  /** Sent along, for issuers that know their clients by it. */
  readonly clientId?: string | undefined;
  readonly now?: (() => Date) | undefined;
}

export class Introspection {
  readonly #options: IntrospectionOptions;
  readonly #answers: KeptAnswers<Readonly<Record<string, unknown>>>;

  constructor(options: IntrospectionOptions) {
    const { url, reach, clientId } = options;
    this.#options = options;
    this.#answers = new KeptAnswers({
      url,
      keepMs: KEEP_MS,
      ask: (token) => {
        const form = { token, token_type_hint: "access_token", ...(clientId !== undefined && { client_id: clientId }) };
        return askIssuer({ url, reach, form });
      },
    });
  }

  /**
   * @returns What the issuer says about the bearer, or why the token is refused.
   * @throws {ThvError} `ISSUER_UNAVAILABLE`.
   */
  async check(token: string): Promise<JWTPayload | string> {
    const { active, ...claims } = await this.#answers.get(token);
    if (active !== true) return "the issuer says that the token is not active";
    const { issuer, audience } = this.#options;
    const seconds = (this.#options.now?.() ?? new Date()).getTime() / 1000;
    if (claims.iss !== undefined && issuer !== undefined && claims.iss !== issuer) return "invalid issuer";
    if (audience !== undefined && ![claims.aud].flat().includes(audience)) return "invalid audience";
    if (isPast(claims.exp, seconds - CLOCK_SKEW_SECONDS)) return "token is expired";
    if (typeof claims.nbf === "number" && claims.nbf > seconds + CLOCK_SKEW_SECONDS) return "token is not valid yet";
    return { ...(issuer !== undefined && { iss: issuer }), ...claims };
  }
}

function isPast(time: unknown, seconds: number): boolean {
  return typeof time === "number" && time <= seconds;
}
