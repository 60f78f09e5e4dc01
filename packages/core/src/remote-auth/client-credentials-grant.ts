/**
 * Tokens for a client of its own (RFC 6749, 4.4), where no person signs in: of a proxy on a cluster. They are in memory only,
 * because another one can always be asked for; one is asked for before the last one ends, once for all requests.
 */

import { Listeners } from "@toolhive/http/listeners";
import type { GrantDescription, RemoteAuthorization, RemoteRefusal } from "../ports/remote-authorization.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { untilAborted } from "../support/until-aborted.ts";
import type { Fetch } from "./protocol/bounded-fetch.ts";
import type { GrantTokens, IssuerEndpoints } from "./protocol/grant.ts";
import { type Clocks, SYSTEM_CLOCKS, TokenLife } from "./token-life.ts";
import { TokenStanding } from "./token-standing.ts";

/** Errors that a second request does not resolve (RFC 6749, 5.2). */
const REFUSALS: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
  "access_denied",
]);

export interface ClientCredentialsOptions {
  readonly name: string;
  readonly server: URL;
  /** Default: the one that the server names. */
  readonly issuer?: string | undefined;
  /** For an authorization server without metadata. */
  readonly tokenUrl?: string | undefined;
  readonly clientId: string;
  readonly readClientSecret: () => Promise<string>;
  readonly scopes?: readonly string[] | undefined;
  /** Default: what the server calls itself. */
  readonly resource?: string | undefined;
  readonly send?: Fetch | undefined;
  readonly clocks?: Clocks | undefined;
}

export class ClientCredentialsGrant implements RemoteAuthorization {
  readonly #options: ClientCredentialsOptions;
  readonly #clocks: Clocks;
  readonly #standing: TokenStanding;
  readonly #listeners = new Listeners();
  readonly #closed = new AbortController();
  #found: { readonly endpoints: IssuerEndpoints; readonly resource: string | undefined } | undefined;
  /** Whether the authorization server refused the resource, and gave a token without it. */
  #refusesResource = false;
  #tokens: GrantTokens | undefined;
  #life: TokenLife | undefined;
  #request: Promise<void> | undefined;
  #problem: ThvError | undefined;

  constructor(options: ClientCredentialsOptions) {
    this.#options = options;
    this.#clocks = options.clocks ?? SYSTEM_CLOCKS;
    this.#standing = new TokenStanding(this.#clocks);
  }

  async authorize(signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    if (!this.#isUsable) await untilAborted(this.#renew(), signal);
    else if (this.#life?.isDue && !this.#standing.isResting) void this.#renew().catch(() => undefined);
    return `Bearer ${this.#tokens?.access}`;
  }

  async onRefused({ status, usedAuthorization }: RemoteRefusal, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    // Another token has the same scopes.
    if (status === 403) return false;
    const { access } = this.#tokens ?? {};
    if (usedAuthorization !== `Bearer ${access}`) return access !== undefined;
    if (!this.#standing.refuse()) {
      const { name, server } = this.#options;
      this.#report(
        new ThvError("UNAUTHENTICATED", `${server.origin} takes no token that ${this.#issuer} gives for ${name}.`, {
          hint: "Check the scopes and the resource that are asked for.",
        }),
      );
      return false;
    }
    try {
      await untilAborted(this.#renew(), signal);
    } catch {
      return false;
    }
    return true;
  }

  onAccepted(usedAuthorization: string): void {
    if (usedAuthorization === `Bearer ${this.#tokens?.access}` && this.#standing.accept()) this.#report(undefined);
  }

  describe(): GrantDescription {
    const problem = this.#problem;
    const isDead = problem?.code === "UNAUTHENTICATED";
    return {
      state: isDead ? "unauthenticated" : this.#isUsable || this.#standing.failures === 0 ? "valid" : "renewing",
      kind: "bearer",
      issuer: this.#found?.endpoints.issuer ?? this.#options.issuer,
      clientId: this.#options.clientId,
      scopes: this.#options.scopes ?? [],
      expiresAt: this.#life?.endsAt,
      keptIn: "memory",
      isRenewable: true,
      error: problem && { code: problem.code, message: problem.message, hint: problem.hint },
    };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#closed.abort(new Error("the grant is closed"));
    await this.#request?.catch(() => undefined);
  }

  get #isUsable(): boolean {
    if (this.#tokens === undefined || this.#standing.isRefused) return false;
    return this.#life?.hasEnded === false || this.#standing.isResting;
  }

  get #issuer(): string {
    const { issuer, tokenUrl, server } = this.#options;
    return this.#found?.endpoints.issuer ?? issuer ?? tokenUrl ?? `the authorization server of ${server.origin}`;
  }

  async #renew(): Promise<void> {
    if (this.#request) return await this.#request;
    if (this.#problem && this.#standing.isWaiting) throw this.#problem;
    this.#request = this.#requestToken().finally(() => {
      this.#request = undefined;
    });
    await this.#request;
  }

  async #requestToken(): Promise<void> {
    const { clientId, readClientSecret, scopes = [], resource, send } = this.#options;
    let secret: string | undefined;
    try {
      const { createBoundedFetch } = await import("./protocol/bounded-fetch.ts");
      const { TokensSchema } = await import("./protocol/device-grant.ts");
      const { Check } = await import("typebox/schema");
      const { askWithResource, grantTokens, postForm } = await import("./protocol/token-requests.ts");
      const fetchFn = createBoundedFetch({ signal: this.#closed.signal, send });
      const { endpoints, resource: named } = await this.#discover(fetchFn);
      secret = (await readClientSecret()).trim();
      const target = resource ?? named;
      const obtainedAt = new Date(this.#clocks.wall());
      const steadyAt = this.#clocks.steady();
      const client = { id: clientId, secret, isRegistered: false };
      const asked = await askWithResource(this.#refusesResource ? undefined : target, async (each) => {
        const form = {
          grant_type: "client_credentials",
          ...(scopes.length > 0 && { scope: scopes.join(" ") }),
          ...(each !== undefined && { resource: each }),
        };
        return await postForm(endpoints.token, form, { endpoints, client, fetchFn });
      });
      this.#refusesResource = target !== undefined && asked.resource === undefined;
      const answer: unknown = await asked.answer.json();
      if (!Check(TokensSchema, answer)) throw new Error("its answer holds no token");
      this.#tokens = grantTokens(answer, obtainedAt);
      this.#life = new TokenLife(this.#tokens, this.#clocks, steadyAt);
      this.#standing.renew();
      this.#report(undefined);
    } catch (error) {
      this.#closed.signal.throwIfAborted();
      this.#standing.fail();
      const problem = await this.#describe(error, secret);
      this.#report(problem);
      throw problem;
    }
  }

  async #discover(fetchFn: Fetch) {
    if (this.#found) return this.#found;
    const { discoverRemoteIssuer } = await import("./protocol/discovery.ts");
    const { server, issuer, tokenUrl } = this.#options;
    // There is no sign-in by a browser: the address of that page is not needed, but discovery takes both or none.
    const known = tokenUrl !== undefined && { tokenUrl, authorizeUrl: tokenUrl };
    this.#found = await discoverRemoteIssuer({
      server,
      challenge: undefined,
      signal: this.#closed.signal,
      fetchFn,
      ...(issuer !== undefined && { issuer }),
      ...known,
    });
    return this.#found;
  }

  async #describe(error: unknown, secret: string | undefined): Promise<ThvError> {
    if (error instanceof ThvError) return error;
    const { OAuthError } = await import("@modelcontextprotocol/client");
    const { describeRequestFailure } = await import("./protocol/bounded-fetch.ts");
    const { name } = this.#options;
    const reason = describeRequestFailure(error, [secret]) || describeError(error);
    return error instanceof OAuthError && REFUSALS.has(error.code)
      ? new ThvError(
          "UNAUTHENTICATED",
          `${this.#issuer} gives the client of ${name} no token: ${error.code}: ${reason}`,
          {
            hint: "Correct the client and its secret.",
            cause: error,
          },
        )
      : new ThvError(
          "ISSUER_UNAVAILABLE",
          `There is no token for ${name} yet: ${this.#issuer} cannot be used: ${reason}`,
          {
            hint: "It is tried again by itself. Check the connection to that address.",
            cause: error,
          },
        );
  }

  #report(problem: ThvError | undefined): void {
    const isNews = this.#problem?.message !== problem?.message;
    this.#problem = problem;
    if (isNews) this.#listeners.notify();
  }
}
