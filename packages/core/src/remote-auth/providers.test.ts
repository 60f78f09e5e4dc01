/** Sign-ins at authorization servers as they are: what each answers differently is a row of data, and no call is lost at any of them. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { NEVER, openSignedIn, Provider, quiet, SERVER, signIn } from "../testing/authorization/profiled-provider.ts";
import { addParameters, askForLastingGrant } from "./protocol/lasting-grant.ts";
import { beginSignIn } from "./protocol/sign-in.ts";

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
