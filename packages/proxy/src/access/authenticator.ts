/** Verifies the token of each request and derives its caller. */
import type { IncomingMessage } from "node:http";
import { type Logger, type OidcConfig, readOidcOptions, ThvError, TokenRefused, TokenVerifier } from "@toolhive/core";
import { HttpRefusal, readHeader } from "../http/http-exchange.ts";
import { type Caller, deriveCaller } from "../messages/caller.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { formatChallenge } from "./protected-resource.ts";

/** Milliseconds between two attempts to reach an issuer that did not answer. */
const RETRY_MS = 5_000;

export interface AuthenticatorOptions {
  readonly config: OidcConfig;
  /** Whether to open while the issuer cannot be reached; requests then retry it. */
  readonly mayWait: boolean;
  readonly log: Logger;
}

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  #verifier: TokenVerifier | undefined;
  #opening: Promise<TokenVerifier> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;

  private constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** @throws {ThvError} `INVALID_ARGUMENT`, `ISSUER_UNAVAILABLE`. */
  static async open(options: AuthenticatorOptions): Promise<Authenticator> {
    const authenticator = new Authenticator(options);
    try {
      await authenticator.#open();
    } catch (error) {
      if (!options.mayWait) throw error;
      options.log.warn({ error }, "callers are refused until the issuer answers");
    }
    if (options.config.Audience === undefined) {
      options.log.warn({}, "tokens for other services of the issuer are accepted, because no audience is set");
    }
    return authenticator;
  }

  get issuer(): string | undefined {
    return this.#options.config.Issuer;
  }

  /** For the endpoint's metadata; tokens are not checked for them. */
  get scopes(): readonly string[] | undefined {
    return this.#options.config.Scopes;
  }

  /** @throws {HttpRefusal} 401 without a good token, 503 when the issuer cannot be reached. */
  async authenticate(request: IncomingMessage): Promise<Caller> {
    const header = readHeader(request, "authorization");
    try {
      const verifier = this.#verifier ?? (await this.#reopen());
      return deriveCaller(await verifier.verify(header), header ?? "");
    } catch (error) {
      if (error instanceof TokenRefused) {
        const challenge = formatChallenge(request, error.challenge, this.issuer);
        throw new HttpRefusal(401, RPC_ERRORS.INVALID_REQUEST, error.message, {
          headers: { "www-authenticate": challenge },
        });
      }
      if (!(error instanceof ThvError)) throw error;
      this.#options.log.warn({ error }, "tokens cannot be checked");
      throw new HttpRefusal(503, RPC_ERRORS.SERVER_UNAVAILABLE, "Tokens cannot be checked now.", {
        headers: {
          "retry-after": "5",
        },
      });
    }
  }

  #open(): Promise<TokenVerifier> {
    this.#opening ??= readOidcOptions(this.#options.config)
      .then((options) => TokenVerifier.open(options))
      .then((verifier) => {
        this.#verifier = verifier;
        return verifier;
      })
      .catch((error: unknown) => {
        this.#failedAt = performance.now();
        this.#failure = error;
        throw error;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  async #reopen(): Promise<TokenVerifier> {
    if (this.#opening === undefined && performance.now() - this.#failedAt < RETRY_MS) throw this.#failure;
    return await this.#open();
  }
}
