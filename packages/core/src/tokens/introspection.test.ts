import { describe, expect, test } from "vitest";
import { TestIssuer } from "../testing/test-issuer.ts";
import { type OidcOptions, TokenVerifier } from "./token-verifier.ts";

const TOKEN = "2YotnFZFEjr1zCsicMWpAA";
const AUDIENCE = "weather";
const now = () => Math.floor(Date.now() / 1000);

async function openWith(answer: Record<string, unknown>, options: OidcOptions = {}) {
  const issuer = await TestIssuer.start();
  issuer.opaque.set(TOKEN, answer);
  const verifier = await TokenVerifier.open({ issuer: issuer.url, allowOpaqueTokens: true, ...options });
  return { issuer, verifier, [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose]() };
}

describe("an opaque token", () => {
  test("is accepted when the issuer reports it as active, and names its subject", async () => {
    await using it = await openWith(
      { active: true, sub: "ada", aud: AUDIENCE },
      { audience: AUDIENCE, clientId: "us" },
    );

    expect(await it.verifier.verify(`Bearer ${TOKEN}`)).toEqual({ iss: it.issuer.url, sub: "ada", aud: AUDIENCE });
    expect(Object.fromEntries(it.issuer.forms[0] ?? [])).toEqual({
      token: TOKEN,
      token_type_hint: "access_token",
      client_id: "us",
    });
  });

  test.each([
    ["that the issuer calls inactive", { active: false, sub: "ada" }, "the issuer says that the token is not active"],
    ["about which the issuer says nothing", {}, "the issuer says that the token is not active"],
    ["whose activity is no boolean", { active: "true" }, "the issuer says that the token is not active"],
    ["of another issuer", { active: true, iss: "https://evil.example", aud: AUDIENCE }, "invalid issuer"],
    ["for another service", { active: true, aud: "other" }, "invalid audience"],
    ["for nobody", { active: true }, "invalid audience"],
    ["that has ended", { active: true, aud: AUDIENCE, exp: now() - 3600 }, "token is expired"],
    ["that has not begun", { active: true, aud: AUDIENCE, nbf: now() + 3600 }, "token is not valid yet"],
  ])("%s is refused", async (_what, answer, reason) => {
    await using it = await openWith(answer, { audience: AUDIENCE });

    await expect(it.verifier.verify(`Bearer ${TOKEN}`)).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      message: `Invalid token: ${reason}`,
    });
  });

  test("that was made up is refused", async () => {
    await using it = await openWith({ active: true });

    await expect(it.verifier.verify("Bearer made-up")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("is looked up once for many requests", async () => {
    await using it = await openWith({ active: true, sub: "ada" });

    for (let count = 0; count < 10; count += 1) await it.verifier.verify(`Bearer ${TOKEN}`);

    expect(it.issuer.forms).toHaveLength(1);
  });

  test("cannot be judged while the issuer is away, and is asked about again afterwards", async () => {
    await using it = await openWith({ active: true, sub: "ada" });
    it.issuer.instead.set("/introspect", { status: 500, text: "" });

    await expect(it.verifier.verify(`Bearer ${TOKEN}`)).rejects.toMatchObject({ code: "ISSUER_UNAVAILABLE" });
    it.issuer.instead.clear();

    expect(await it.verifier.verify(`Bearer ${TOKEN}`)).toMatchObject({ sub: "ada" });
  });

  test("costs the issuer at most sixteen questions at a time", async () => {
    await using it = await openWith({ active: true });

    const verdicts = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => it.verifier.verify(`Bearer forged-${index}`)),
    );

    const codes = verdicts.map((verdict) => (verdict.status === "rejected" ? verdict.reason.code : "accepted"));
    expect(codes.filter((code) => code === "UNAUTHENTICATED")).toHaveLength(16);
    expect(codes.filter((code) => code === "ISSUER_UNAVAILABLE")).toHaveLength(24);
  });

  test("still leaves JWTs to the keys", async () => {
    await using it = await openWith({ active: true });

    expect(await it.verifier.verify(`Bearer ${await it.issuer.sign()}`)).toMatchObject({ sub: "someone" });
    expect(it.issuer.forms).toEqual([]);
  });
});

describe("opening fails where opaque tokens are allowed", () => {
  test("and the issuer has no endpoint that checks them", async () => {
    await using issuer = await TestIssuer.start();

    await expect(TokenVerifier.open({ issuer: issuer.url, allowOpaqueTokens: true })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "Opaque tokens cannot be checked: the issuer has no introspection endpoint.",
    });
  });

  test("and only the keys are known", async () => {
    await using issuer = await TestIssuer.start();

    await expect(TokenVerifier.open({ jwksUrl: `${issuer.url}/keys`, allowOpaqueTokens: true })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});
