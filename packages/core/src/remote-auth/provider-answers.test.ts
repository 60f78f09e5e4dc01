/** What authorization servers leave out of their answers or say otherwise, and known ones as profiles: no call is lost at any of them. */
import { describe, expect, test } from "vitest";
import { ISSUER, openSignedIn, type Profile, Provider, signIn } from "../testing/authorization/profiled-provider.ts";
import { parseGrant } from "./protocol/grant.ts";

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
