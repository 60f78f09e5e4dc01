/**
 * Checks bearer tokens (RFC 6750) of one OpenID Connect issuer: JWTs (RFC 7519, RFC 8725), and opaque ones where these are
 * allowed. The texts of the refusals are those that existing clients know (api-behaviour 10.2); the checks are stricter.
 */
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { describeError, ThvError } from "../support/errors.ts";
import { Introspection } from "./introspection.ts";
import { discoverIssuer } from "./issuer-discovery.ts";
import { type IssuerReach, parseIssuerUrl } from "./issuer-http.ts";
import { openIssuerKeys } from "./issuer-keys.ts";
import { TokenReview } from "./token-review.ts";
import { CLOCK_SKEW_SECONDS } from "./token-times.ts";

/** Signatures with a private key only: with `HS*` the public key would do as the secret, `none` is no signature. */
const TOKEN_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"];

/** Loaded with the first issuer: most processes check no tokens. */
type Jose = Pick<typeof import("jose"), "errors" | "jwtVerify">;

export interface OidcOptions {
  /** Exactly as in the tokens' `iss`. Without it, `iss` is not checked and `jwksUrl` is needed. */
  readonly issuer?: string | undefined;
  /** Has to be in the tokens' `aud`. Without it, tokens for other services of the issuer are accepted too. */
  readonly audience?: string | undefined;
  /** Where the keys are. Default: what the issuer's discovery document says. */
  readonly jwksUrl?: string | undefined;
  /** The client id for questions to the issuer about opaque tokens; tokens are not checked against it. */
  readonly clientId?: string | undefined;
  /** Whether tokens that are no JWTs are accepted too; the issuer is asked about each of them. */
  readonly allowOpaqueTokens?: boolean | undefined;
  /** Has to be the tokens' `sub`, or with `*` at its end how it begins. Without it, every subject is accepted. */
  readonly subject?: string | undefined;
  /** Where a cluster's API server is asked about each token that is good otherwise. Without it, no API server is asked. */
  readonly tokenReviewUrl?: string | undefined;
  readonly reach?: IssuerReach | undefined;
  /** Milliseconds between two reads of the keys for unknown ones. Default 30 s. */
  readonly refetchIntervalMs?: number | undefined;
  /** Default: the system's clock. */
  readonly now?: (() => Date) | undefined;
}

/** What the issuer says about the bearer. */
export type TokenClaims = Readonly<JWTPayload>;

/** A request without a token that is good enough: 401, with `challenge` as its `WWW-Authenticate`. */
export class TokenRefused extends ThvError {
  readonly challenge: string;

  /** @param hint Default: where tokens of an issuer belong. */
  constructor(
    text: string,
    challenge: string,
    {
      cause,
      hint = "Send a token from the issuer: Authorization: Bearer TOKEN",
    }: { cause?: unknown; hint?: string } = {},
  ) {
    super("UNAUTHENTICATED", text, { hint, cause });
    this.challenge = challenge;
  }
}

export class TokenVerifier {
  readonly clientId: string | undefined;
  readonly #options: OidcOptions;
  readonly #jose: Jose;
  readonly #keys: JWTVerifyGetKey;
  readonly #introspection: Introspection | undefined;
  readonly #review: TokenReview | undefined;

  private constructor(
    options: OidcOptions,
    { jose, keys }: { readonly jose: Jose; readonly keys: JWTVerifyGetKey },
    { introspection, review }: { readonly introspection?: Introspection; readonly review: TokenReview | undefined },
  ) {
    this.#options = options;
    this.#jose = jose;
    this.#keys = keys;
    this.#introspection = introspection;
    this.#review = review;
    this.clientId = options.clientId;
  }

  /** As in the tokens' `iss`; `undefined` when only the keys are known. */
  get issuer(): string | undefined {
    return this.#options.issuer;
  }

  /**
   * Finds and reads the keys, so that a mistake shows at the start and not as a refusal of every token.
   *
   * @throws {ThvError} `INVALID_ARGUMENT`, `ISSUER_UNAVAILABLE`.
   */
  static async open(options: OidcOptions): Promise<TokenVerifier> {
    const { issuer, jwksUrl, refetchIntervalMs, reach, allowOpaqueTokens = false } = options;
    if (issuer === undefined && jwksUrl === undefined) {
      throw new ThvError(
        "INVALID_ARGUMENT",
        "OIDC needs an issuer or the address of its keys, but neither was given.",
        {
          hint: "Add --oidc-issuer https://ISSUER, or --oidc-jwks-url https://ISSUER/KEYS.",
        },
      );
    }
    if (issuer !== undefined) parseIssuerUrl(issuer, "The issuer");
    const needsDiscovery = jwksUrl === undefined || allowOpaqueTokens;
    const places = needsDiscovery && issuer !== undefined ? await discoverIssuer(issuer, reach) : undefined;
    const url = parseIssuerUrl(jwksUrl ?? places?.keySet ?? "", "The address of the keys").href;
    const jose = await import("jose");
    const keys = await openIssuerKeys({ url, reach, refetchIntervalMs });
    const review = await openReview(options);
    if (!allowOpaqueTokens) return new TokenVerifier(options, { jose, keys }, { review });
    if (places?.introspection === undefined) {
      throw new ThvError(
        "INVALID_ARGUMENT",
        "Opaque tokens cannot be checked: the issuer has no introspection endpoint.",
        {
          hint: "They need an issuer whose discovery document has an introspection_endpoint. Otherwise leave them out.",
        },
      );
    }
    const introspection = new Introspection({ ...options, url: places.introspection });
    return new TokenVerifier(options, { jose, keys }, { introspection, review });
  }

  /**
   * @param header The request's `Authorization`.
   * @throws {TokenRefused} when the token is missing or not good.
   * @throws {ThvError} `ISSUER_UNAVAILABLE` when the keys are old and cannot be read, so that nothing can be verified.
   */
  async verify(header: string | undefined): Promise<TokenClaims> {
    if (header === undefined) throw new TokenRefused("Authorization header required", this.#challenge());
    // RFC 9110 §11.1: the scheme is not case-sensitive.
    const token = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
    if (token === undefined) throw new TokenRefused("Invalid Authorization header format", this.#challenge());
    try {
      if (token.split(".").length !== 3) return await this.#checkOpaque(token);
      const { issuer, audience, now } = this.#options;
      const { payload } = await this.#jose.jwtVerify(token, this.#findKey, {
        algorithms: TOKEN_ALGORITHMS,
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ["exp"],
        ...(issuer !== undefined && { issuer }),
        ...(audience !== undefined && { audience }),
        ...(now && { currentDate: now() }),
      });
      return await this.#checkBearer(payload, token);
    } catch (error) {
      // The issuer's fault, and not the token's.
      if (error instanceof ThvError) throw error;
      const reason = describeRefusal(error, this.#jose.errors);
      throw new TokenRefused(`Invalid token: ${reason}`, this.#challenge(reason), { cause: error });
    }
  }

  async #checkOpaque(token: string): Promise<TokenClaims> {
    if (!this.#introspection) throw new RefusedToken("token seems to be opaque, but opaque tokens are not allowed");
    const verdict = await this.#introspection.check(token);
    if (typeof verdict === "string") throw new RefusedToken(verdict);
    this.#checkSubject(verdict);
    return verdict;
  }

  async #checkBearer(claims: TokenClaims, token: string): Promise<TokenClaims> {
    this.#checkSubject(claims);
    const refusal = await this.#review?.check(token);
    if (refusal !== undefined) throw new RefusedToken(refusal);
    return claims;
  }

  #checkSubject({ sub }: TokenClaims): void {
    const { subject } = this.#options;
    if (subject === undefined) return;
    const isRight = subject.endsWith("*") ? sub?.startsWith(subject.slice(0, -1)) : sub === subject;
    if (isRight !== true) throw new RefusedToken("invalid subject");
  }

  /** A token says which key signed it; trying all of them would hide mistakes in the rotation. */
  readonly #findKey: JWTVerifyGetKey = async (header, token) => {
    if (typeof header.kid !== "string") throw new RefusedToken("failed to parse token: its header has no kid");
    return await this.#keys(header, token);
  };

  #challenge(reason?: string): string {
    const realm = `Bearer realm=${quoteHeaderText(this.#options.issuer ?? "")}`;
    return reason === undefined
      ? realm
      : `${realm}, error="invalid_token", error_description=${quoteHeaderText(reason)}`;
  }
}

/** @throws {ThvError} `INVALID_ARGUMENT` when this program may not ask, `ISSUER_UNAVAILABLE`. */
async function openReview({ tokenReviewUrl, audience, reach }: OidcOptions): Promise<TokenReview | undefined> {
  if (tokenReviewUrl === undefined) return undefined;
  const { href } = parseIssuerUrl(tokenReviewUrl, "The address of token reviews");
  const review = new TokenReview({ url: href, audience, reach });
  // A right that is missing shows at the start, and not as a failure of every call.
  await review.check("not-a-token");
  return review;
}

/** Our own reasons, on the way to becoming a `TokenRefused`. */
class RefusedToken extends Error {}

function describeRefusal(error: unknown, errors: Jose["errors"]): string {
  if (error instanceof RefusedToken) return error.message;
  if (error instanceof errors.JWTExpired) return "failed to parse token: token is expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iss") return "invalid issuer";
    if (error.claim === "aud") return "invalid audience";
    if (error.claim === "exp" && error.reason === "missing") return "token expired: it has no exp";
  }
  return `failed to parse token: ${describeError(error)}`;
}

/** A quoted-string of RFC 9110 §5.6.4; what a header cannot carry becomes a question mark. */
function quoteHeaderText(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&")}"`;
}
