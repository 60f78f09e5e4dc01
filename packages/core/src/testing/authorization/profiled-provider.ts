/** An authorization server whose answers are a profile of data, and a sign-in at it, on a clock of the test. */
import { setImmediate as turn } from "node:timers/promises";
import type { Grant } from "../../remote-auth/protocol/grant.ts";
import { beginSignIn, type SignInRequest } from "../../remote-auth/protocol/sign-in.ts";
import { RemoteGrant } from "../../remote-auth/remote-grant.ts";
import { GrantStore } from "../../remote-auth/store/grant-store.ts";

export const SERVER = new URL("https://203.0.114.7/mcp");

export const ISSUER = "https://203.0.114.8";

const NAME = "calendar";

export const NEVER: AbortSignal = new AbortController().signal;

export const quiet = () => undefined;

const log = { error: quiet, info: quiet, debug: quiet, warn: quiet };

/** What a provider answers otherwise than most. A member that is `undefined` is left out. */
export interface Profile {
  /** Members of each token answer. */
  readonly token?: Readonly<Record<string, unknown>>;
  /** Members of each answer to a renewal, beyond those. */
  readonly renewal?: Readonly<Record<string, unknown>>;
  readonly registration?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly resource?: Readonly<Record<string, unknown>>;
  /** Whether no metadata of the authorization server is anywhere. */
  readonly hasNoMetadata?: boolean;
  /** Whether each renewal brings another refresh token, and the one before is good for nothing. */
  readonly rotates?: boolean;
  /** What a person names, because the provider says less than others. */
  readonly known?: Partial<SignInRequest>;
  /** Answers to a registration. */
  readonly register?: () => Response;
  /** Error for a request with `resource`. */
  readonly refusesResource?: { readonly grantTypes: readonly string[]; readonly error: string };
  readonly answer?: (form: URLSearchParams) => Response | undefined;
}

/** An authorization server with the server that it protects, neither of which is on a network. */
export class Provider {
  readonly #profile: Profile;
  get known(): Partial<SignInRequest> {
    return this.#profile.known ?? {};
  }
  readonly asked: URLSearchParams[] = [];
  /** The access token that is good. */
  good = "";
  #given = 0;
  #refresh = "refresh-1";
  now = Date.parse("2026-01-28T12:00:00Z");

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  get clocks() {
    return { wall: () => this.now, steady: () => this.now, random: () => 0 };
  }

  get renewals(): number {
    return this.asked.filter((form) => form.get("grant_type") === "refresh_token").length;
  }

  readonly send: typeof fetch = async (input, init) => {
    const { pathname, origin } = new URL(input instanceof Request ? input.url : input);
    const profile = this.#profile;
    if (pathname.includes("oauth-protected-resource")) {
      return Response.json({ resource: SERVER.href, authorization_servers: [ISSUER], ...profile.resource });
    }
    if (origin !== ISSUER) return new Response(null, { status: 404 });
    if (pathname === "/register" && profile.register) return profile.register();
    if (pathname === "/register") {
      return Response.json({ client_id: "me", redirect_uris: [], ...profile.registration }, { status: 201 });
    }
    if (pathname !== "/token" && profile.hasNoMetadata) return new Response("no", { status: 404 });
    if (pathname === "/token") return this.#answerToken(new URLSearchParams(String(init?.body)));
    return Response.json({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      registration_endpoint: `${ISSUER}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      ...profile.metadata,
    });
  };

  #answerToken(form: URLSearchParams): Response {
    this.asked.push(form);
    const { token, renewal, refusesResource, rotates, answer } = this.#profile;
    const isRenewal = form.get("grant_type") === "refresh_token";
    if (form.has("resource") && refusesResource?.grantTypes.includes(form.get("grant_type") ?? "")) {
      return Response.json({ error: refusesResource.error }, { status: 400 });
    }
    const special = answer?.(form);
    if (special) return special;
    if (isRenewal && form.get("refresh_token") !== this.#refresh) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    this.#given += 1;
    this.good = `access-${this.#given}`;
    if (rotates) this.#refresh = `refresh-${this.#given}`;
    return Response.json({
      access_token: this.good,
      token_type: "Bearer",
      refresh_token: isRenewal && !rotates ? undefined : this.#refresh,
      ...token,
      ...(isRenewal && renewal),
    });
  }
}

export async function signIn(provider: Provider): Promise<Grant> {
  const { send } = provider;
  await using pending = await beginSignIn({
    server: SERVER,
    challenge: undefined,
    callbackPort: 0,
    timeoutMs: 20_000,
    signal: NEVER,
    now: () => provider.now,
    send,
    ...provider.known,
  });
  const { searchParams } = new URL(pending.offer.address);
  const done = pending.finish(async () => undefined);
  done.catch(quiet);
  const back = `${searchParams.get("redirect_uri")}?${new URLSearchParams({ code: "c", state: searchParams.get("state") ?? "" })}`;
  await (await fetch(back)).text();
  return await done;
}

/** A machine on which somebody has signed in. */
export async function openSignedIn(profile: Profile) {
  const provider = new Provider(profile);
  const options = {
    name: NAME,
    server: SERVER,
    isForced: true,
    store: new GrantStore({ log }),
    signInHint: "Sign in: thv auth login calendar",
    log,
    send: provider.send,
    clocks: provider.clocks,
  };
  const grant = await RemoteGrant.open(options);
  await grant.replace(await signIn(provider));
  /** A request as the endpoint sends it. @returns Its last status. */
  const call = async (takes = (authorization: string | undefined) => authorization === `Bearer ${provider.good}`) => {
    for (let attempt = 1; ; attempt += 1) {
      const usedAuthorization = await grant.authorize(NEVER);
      if (takes(usedAuthorization)) {
        if (usedAuthorization !== undefined) grant.onAccepted(usedAuthorization);
        return 200;
      }
      const again = await grant.onRefused({ status: 401, usedAuthorization }, NEVER);
      if (!again || attempt === 2) return 401;
    }
  };
  /** Lets time pass, and what is due by itself be done. */
  const wait = async (ms: number, stepMs = ms) => {
    for (let left = ms; left > 0; left -= stepMs) {
      provider.now += stepMs;
      grant.hasten();
      for (let turns = 0; turns < 20; turns += 1) await turn();
    }
  };
  return { provider, grant, call, wait };
}
