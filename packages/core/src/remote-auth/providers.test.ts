/** Sign-ins at authorization servers as they are: what each answers differently is a row of data, and no call is lost at any of them. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Grant, parseGrant } from "./protocol/grant.ts";
import { addParameters, askForLastingGrant } from "./protocol/lasting-grant.ts";
import { beginSignIn, type SignInRequest } from "./protocol/sign-in.ts";
import { RemoteGrant } from "./remote-grant.ts";
import { GrantStore } from "./store/grant-store.ts";

const SERVER = new URL("https://203.0.114.7/mcp");
const ISSUER = "https://203.0.114.8";
const NAME = "calendar";
const NEVER = new AbortController().signal;
const quiet = () => undefined;
const log = { error: quiet, info: quiet, debug: quiet, warn: quiet };

/** What a provider answers otherwise than most. A member that is `undefined` is left out. */
interface Profile {
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
class Provider {
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

async function signIn(provider: Provider): Promise<Grant> {
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
async function openSignedIn(profile: Profile) {
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

const UNSAID: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["no expires_in", {}],
  ["expires_in 0", { expires_in: 0 }],
  ["a negative expires_in", { expires_in: -1 }],
  ["expires_in null", { expires_in: null }],
  ["expires_in that is no number", { expires_in: "3600abc" }],
  ["expires_in without a value", { expires_in: "" }],
];

describe.each(UNSAID)("a provider that gives %s", (_what, token) => {
  test("loses no call through ten ends of a token, with one renewal each", async () => {
    const { provider, grant, call, wait } = await openSignedIn({ token });
    await using _grant = grant;

    for (let end = 1; end <= 10; end += 1) {
      expect(await call()).toBe(200);
      await wait(21_000);
      provider.good = "none of those that were given";
      expect(await call()).toBe(200);
      expect(provider.renewals).toBe(end);
    }

    expect(grant.describe()).toMatchObject({ state: "valid", error: undefined, expiresAt: undefined });
  });

  test("is not asked for a token while nobody refuses the one that is there", async () => {
    const { provider, grant, wait } = await openSignedIn({ token });
    await using _grant = grant;

    await wait(3_600_000, 30_000);

    expect(provider.renewals).toBe(0);
  });
});

describe.each([1, 4, 20])("a provider whose tokens last %i s", (seconds) => {
  test("is asked once in 30 s, and more often only when the server refuses a token", async () => {
    const { provider, grant, call, wait } = await openSignedIn({ token: { expires_in: seconds } });
    await using _grant = grant;

    await wait(300_000, 500);
    expect(provider.renewals).toBeLessThanOrEqual(10);
    // A renewal that was answered is taken in before the server forgets its token.
    while ((await grant.authorize(NEVER)) !== `Bearer ${provider.good}`) await turn();
    const before = provider.renewals;
    provider.good = "none of those that were given";

    expect(await call()).toBe(200);
    expect(provider.renewals).toBe(before + 1);
  });
});

describe("a server that refuses a token", () => {
  const nothing = () => false;

  test("of a provider that said that it lasts an hour is given another one, each time", async () => {
    const { provider, grant, call } = await openSignedIn({ token: { expires_in: 3600 } });
    await using _grant = grant;

    for (let end = 1; end <= 5; end += 1) {
      provider.good = "none of those that were given";
      expect(await call()).toBe(200);
    }
  });

  test("and the one that came instead is said to be that, is asked again later, and is well once it answers", async () => {
    const { provider, grant, call, wait } = await openSignedIn({});
    await using _grant = grant;

    for (let calls = 0; calls < 20; calls += 1) expect(await call(nothing)).toBe(401);
    expect(provider.renewals).toBe(1);
    expect(grant.describe()).toMatchObject({
      state: "unauthenticated",
      error: { code: "UNAUTHENTICATED", message: expect.stringContaining("does not take the token") },
    });
    expect(await call()).toBe(200);
    expect(grant.describe()).toMatchObject({ state: "valid", error: undefined });
    expect(await call(nothing)).toBe(401);
    await wait(31_000);
    expect(await call(nothing)).toBe(401);
    expect(await call()).toBe(200);
  });

  test("for an hour makes the provider give a dozen tokens at most", async () => {
    const { provider, grant, call, wait } = await openSignedIn({});
    await using _grant = grant;

    for (let calls = 0; calls < 360; calls += 1) {
      expect(await call(nothing)).toBe(401);
      await wait(10_000);
    }

    expect(provider.renewals).toBeLessThanOrEqual(12);
    expect(await call()).toBe(200);
  });

  test("after each answer does not make the provider answer more than ten times in 30 s", async () => {
    const { provider, grant, call, wait } = await openSignedIn({});
    await using _grant = grant;

    for (let calls = 0; calls < 100; calls += 1) {
      await call();
      await call(nothing);
    }
    expect(provider.renewals).toBe(10);
    await wait(31_000);

    expect(await call()).toBe(200);
    provider.good = "none of those that were given";
    expect(await call()).toBe(200);
  });
});

const ABSENT: readonly (readonly [string, Profile])[] = [
  ["refresh_token null at a renewal", { renewal: { refresh_token: null } }],
  ["refresh_token without a value at a renewal", { renewal: { refresh_token: "" } }],
  ["scope null", { token: { scope: null } }],
  ["scope as a list", { token: { scope: ["tools:read", "tools:write"] } }],
  ["scope that is no text", { token: { scope: 5 } }],
  ["id_token null", { token: { id_token: null } }],
  ["token_type null", { token: { token_type: null } }],
  ["no token_type", { token: { token_type: undefined } }],
  ["expires_in as text", { token: { expires_in: "60" } }],
  ["scope and client_secret null at the registration", { registration: { scope: null, client_secret: null } }],
  ["no redirect_uris at the registration", { registration: { redirect_uris: undefined } }],
  ["scopes_supported null in its metadata", { metadata: { scopes_supported: null, revocation_endpoint: "" } }],
  ["scopes_supported null in the server's metadata", { resource: { scopes_supported: null } }],
];

describe.each(ABSENT)("a provider that answers with %s", (_what, profile) => {
  test("is signed in at, and renews the token ten times", async () => {
    const { provider, grant, call, wait } = await openSignedIn(profile);
    await using _grant = grant;

    for (let end = 1; end <= 10; end += 1) {
      await wait(61_000);
      provider.good = "none of those that were given";
      expect(await call()).toBe(200);
    }

    expect(grant.describe()).toMatchObject({ state: "valid", isRenewable: true, error: undefined });
  });
});

describe("a provider that answers a sign-in", () => {
  test.each([
    ["without a refresh token", { refresh_token: undefined }],
    ["with refresh_token null", { refresh_token: null }],
    ["with refresh_token without a value", { refresh_token: "" }],
  ])("%s is said to give none, and the grant is kept in a form that can be read again", async (_what, token) => {
    const provider = new Provider({ token });
    const grant = await signIn(provider);

    expect(grant.tokens).not.toHaveProperty("refresh");
    expect(parseGrant(JSON.stringify(grant))).toEqual(grant);
  });

  const answer = (body: string, status = 200, type = "application/json") => ({
    answer: () => new Response(body, { status, headers: { "content-type": type } }),
  });
  test.each<[string, Profile, RegExp]>([
    ["an error and 200", answer('{"error":"bad_verification_code"}'), /bad_verification_code/],
    ["an error in a form and 200", answer("error=bad_code", 200, "application/x-www-form-urlencoded"), /bad_code/],
    ["a page", answer("<html>Hello</html>", 200, "text/html"), /its answer is not JSON$/],
    ["a page and 502", answer("<html>Hello</html>", 502, "text/html"), /HTTP 502/],
    ["a list", answer("[]"), /its answer is not an object with members$/],
    ["no token", answer('{"token":"a"}'), /its answer has no "access_token"$/],
    ["a number for a token", answer('{"access_token":5}'), /"access_token" of its answer .* type number$/],
  ])("with %s is refused in one plain sentence", async (_what, profile, text) => {
    const error: unknown = await signIn(new Provider(profile)).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "UNAUTHENTICATED", message: expect.stringMatching(text) });
    expect(String(error)).not.toMatch(/[[{]|expected|Unexpected|invalid_type/);
  });

  test("in a form is understood", async () => {
    const body = "access_token=a-1&refresh_token=r-1&expires_in=60&scope=";
    const grant = await signIn(new Provider(answer(body, 200, "application/x-www-form-urlencoded")));

    expect(grant.tokens).toMatchObject({ access: "a-1", refresh: "r-1", lastsSeconds: 60 });
  });

  test.each([
    ["exp and iat", { iat: 1_000, exp: 4_600 }, 3_600],
    ["exp", { exp: Date.parse("2026-01-28T12:10:00Z") / 1000 }, 600],
    ["exp as text", { exp: "soon" }, undefined],
  ])("with a JWT and no expires_in takes its life from %s", async (_what, claims, lasts) => {
    const access = ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "c2ln"].join(".");
    const grant = await signIn(new Provider({ token: { access_token: access } }));

    expect(grant.tokens?.lastsSeconds).toBe(lasts);
  });
});

describe.each(["invalid_target", "invalid_request"])("a provider that answers %s to a resource", (error) => {
  test.each([
    ["at the renewal", ["refresh_token"]],
    ["everywhere", ["authorization_code", "refresh_token"]],
  ])("%s is asked without it once, and remembered", async (_where, grantTypes) => {
    const { provider, grant, call } = await openSignedIn({ refusesResource: { grantTypes, error } });
    await using _grant = grant;

    for (let end = 1; end <= 3; end += 1) {
      provider.good = "none of those that were given";
      expect(await call()).toBe(200);
    }

    expect(provider.asked.filter((form) => form.has("resource"))).toHaveLength(1 + (grantTypes.length === 1 ? 1 : 0));
    expect(provider.asked.filter((form) => !form.has("resource"))).toHaveLength(grantTypes.length === 1 ? 3 : 4);
    expect(grant.describe()).toMatchObject({ state: "valid", error: undefined });
  });
});

describe("a page for signing in", () => {
  const begin = async () => {
    const provider = new Provider({});
    const pending = await beginSignIn({
      ...{ server: SERVER, challenge: undefined, callbackPort: 0, timeoutMs: 20_000, signal: NEVER },
      ...{ now: () => provider.now, send: provider.send },
    });
    const first = new URL(pending.offer.address);
    const state = first.searchParams.get("state") ?? "";
    const back = async (answer: Record<string, string>) =>
      await fetch(`${first.searchParams.get("redirect_uri")}?${new URLSearchParams(answer)}`, { redirect: "manual" });
    return { provider, pending, first, state, back };
  };

  test.each(["invalid_target", "invalid_request"])(
    "that answers %s sees the browser once more, without the resource, and nothing else is changed",
    async (error) => {
      const { provider, pending, first, state, back } = await begin();
      await using _pending = pending;
      const done = pending.finish(async () => undefined);

      const again = await back({ error, state });
      const second = new URL(again.headers.get("location") ?? "");
      const end = back({ code: "c", state });
      const grant = await done;

      expect(again.status).toBe(302);
      expect(second.searchParams.has("resource")).toBe(false);
      second.searchParams.set("resource", first.searchParams.get("resource") ?? "");
      expect([...second.searchParams].sort()).toEqual([...first.searchParams].sort());
      expect(await (await end).text()).toContain("You are signed in");
      expect(provider.asked.map((form) => form.has("resource"))).toEqual([false]);
      expect(grant).not.toHaveProperty("resource");
    },
  );

  test("that refuses the second time, too, ends the sign-in with its words", async () => {
    const { pending, state, back } = await begin();
    await using _pending = pending;
    const done = pending.finish(async () => undefined);
    done.catch(quiet);

    expect((await back({ error: "invalid_request", state })).status).toBe(302);
    expect((await back({ error: "invalid_request", error_description: "no such scope", state })).status).toBe(400);
    await expect(done).rejects.toThrow("Signing in was refused: invalid_request no such scope");
  });

  test("cannot be called again by a stranger, nor for another error", async () => {
    const { pending, state, back } = await begin();
    await using _pending = pending;
    const done = pending.finish(async () => undefined);
    done.catch(quiet);

    expect((await back({ error: "invalid_target", state: "guessed" })).status).toBe(400);
    expect((await back({ error: "access_denied", state })).status).toBe(400);
    await expect(done).rejects.toThrow("access_denied");
  });

  test("is followed by success only once the sign-in is kept", async () => {
    const { pending, state, back } = await begin();
    await using _pending = pending;
    const done = pending.finish(async () => {
      throw new Error("the secrets are locked");
    });
    done.catch(quiet);

    const end = await back({ code: "c", state });

    expect(end.status).toBe(400);
    expect(await end.text()).toContain("could not be kept: the secrets are locked");
    await expect(done).rejects.toThrow("the secrets are locked");
  });
});

describe("a provider where clients cannot be registered", () => {
  test.each([
    ["500 and nothing", () => new Response(null, { status: 500 }), /\(HTTP 500\)$/],
    ["500 and a page", () => new Response("<html>\n<p>Oops</p>", { status: 500 }), /HTTP 500/],
    ["403 and an error", () => Response.json({ error: "access_denied" }, { status: 403 }), /access_denied/],
    ["no client id", () => Response.json({ ok: true }, { status: 201 }), /its answer has no "/],
  ])("because it answers %s is said to refuse, with what to do", async (_what, register, text) => {
    await expect(signIn(new Provider({ register }))).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      message: expect.stringMatching(text),
      hint: expect.stringContaining("--remote-auth-client-id"),
    });
  });

  test("because it has no metadata is said to have none, with the flags that take its place", async () => {
    await expect(signIn(new Provider({ hasNoMetadata: true }))).rejects.toMatchObject({
      code: "ISSUER_UNAVAILABLE",
      hint: expect.stringMatching(/--remote-auth-authorize-url.*--remote-auth-token-url.*--remote-auth-client-id/),
    });
  });
});

const CLIENT = { clientId: "me", clientSecret: "a client secret" };
const RENEWAL_ONLY = ["refresh_token"];

/** What the documentation of twelve providers says of their token answers; read on 26 November 2026. */
const PROVIDERS: Readonly<Record<string, Profile>> = {
  // docs.github.com, user access tokens of an app: they end after 8 hours, the refresh token after 6 months and with its first use;
  // the scope is always empty, and the type in small letters.
  GitHub: {
    known: CLIENT,
    rotates: true,
    token: { expires_in: 28_800, refresh_token_expires_in: 15_897_600, scope: "", token_type: "bearer" },
  },
  // developers.google.com: a renewal brings no refresh token; the first one comes only with `access_type=offline`, see below.
  Google: { known: CLIENT, token: { expires_in: 3_599, scope: "https://example.com/auth/calendar openid" } },
  // learn.microsoft.com: a second life for outages stands beside the first one. `resource` is of the endpoints before v2.0.
  Entra: {
    known: CLIENT,
    rotates: true,
    token: { expires_in: 3_599, ext_expires_in: 3_599 },
    refusesResource: { grantTypes: RENEWAL_ONLY, error: "invalid_request" },
  },
  // developer.okta.com: refresh tokens of other clients than pages in a browser are persistent by default.
  Okta: { token: { expires_in: 3_600, scope: "offline_access tools:read" } },
  // auth0.com: tokens of an API last a day by default; with rotation, an old refresh token ends its whole family.
  Auth0: { rotates: true, token: { expires_in: 86_400 } },
  // keycloak.org: each answer has another refresh token; the one before is good for nothing with "Revoke Refresh Token".
  Keycloak: {
    rotates: true,
    token: { expires_in: 300, refresh_expires_in: 1_800, "not-before-policy": 0, session_state: "a-1" },
  },
  // help.salesforce.com: the life of a token is the session's, and in no answer; a renewal repeats no refresh token.
  Salesforce: {
    known: CLIENT,
    token: { issued_at: "1769601600000", instance_url: "https://example.com", signature: "c2ln" },
  },
  // docs.slack.dev: with rotation, tokens last 12 hours; the type names whose token it is, and scopes stand between commas.
  Slack: {
    known: CLIENT,
    rotates: true,
    token: { ok: true, token_type: "bot", expires_in: 43_200, scope: "chat:write,users:read", enterprise: null },
  },
  // developer.atlassian.com: a refresh token comes with the scope `offline_access`, and ends with its first use.
  Atlassian: { rotates: true, token: { expires_in: 3_600, scope: "offline_access read:jira-work" } },
  // developers.notion.com: no life of the token, several members that are null, and another refresh token with each renewal.
  Notion: {
    rotates: true,
    token: {
      ...{ token_type: "bearer", bot_id: "b-1", workspace_icon: null, duplicated_template_id: null },
      owner: { type: "user", user: { object: "user", avatar_url: null } },
    },
  },
  // docs.snowflake.com: no metadata; a token lasts ten minutes, and a renewal repeats no refresh token.
  Snowflake: {
    hasNoMetadata: true,
    known: { ...CLIENT, authorizeUrl: `${ISSUER}/authorize`, tokenUrl: `${ISSUER}/token` },
    token: { expires_in: 599, username: "ann", scope: "refresh_token session:role:PUBLIC", idpInitiated: false },
  },
  // dropbox.tech: four hours; who it is for stands in the first answer only. A refresh token comes only with `token_access_type=offline`.
  Dropbox: {
    known: CLIENT,
    token: { token_type: "bearer", expires_in: 14_400, uid: "1", account_id: "dbid:1" },
    renewal: { uid: undefined, account_id: undefined },
    refusesResource: { grantTypes: RENEWAL_ONLY, error: "invalid_request" },
  },
};

test.each([
  ["https://accounts.google.com/o/oauth2/v2/auth", { access_type: "offline", prompt: "consent" }],
  ["https://www.dropbox.com/oauth2/authorize", { token_access_type: "offline" }],
  ["https://login.example.com/accounts.google.com", {}],
  ["https://accounts.google.com.example.com/", {}],
])("a page at %s is asked for a grant that lasts, in its own words", (page, wanted) => {
  const address = new URL(`${page}?scope=a`);
  askForLastingGrant(address);

  expect(Object.fromEntries(address.searchParams)).toEqual({ scope: "a", ...wanted });
});

test("what a person wrote into the address of the page stays", () => {
  const address = new URL("https://accounts.google.com/o/oauth2/v2/auth?access_type=online&prompt=select_account");
  askForLastingGrant(address);

  expect(address.search).toBe("?access_type=online&prompt=select_account");
});

test("further parameters are added to the page, and replace none of the sign-in's own", () => {
  const address = new URL("https://login.example.com/authorize?state=ours&redirect_uri=http://localhost:1/callback");
  addParameters(address, { audience: "a b", state: "theirs", redirect_uri: "https://elsewhere.example.com" });

  expect(Object.fromEntries(address.searchParams)).toEqual({
    audience: "a b",
    state: "ours",
    redirect_uri: "http://localhost:1/callback",
  });
});

test.each(Object.keys(PROVIDERS))("%s loses no call of several at a time through ten renewals", async (name) => {
  const profile = PROVIDERS[name] ?? {};
  const { provider, grant, call, wait } = await openSignedIn(profile);
  await using _grant = grant;

  for (let end = 1; end <= 10; end += 1) {
    provider.good = "none of those that were given";
    expect(await Promise.all([call(), call(), call(), call()])).toEqual([200, 200, 200, 200]);
    await wait(31_000);
  }

  // One request for each renewal; the first of all is asked once more where the resource is refused.
  expect(provider.renewals).toBe(10 + (profile.refusesResource ? 1 : 0));
  expect(grant.describe()).toMatchObject({ state: "valid", isRenewable: true, error: undefined });
});
