import { createHmac, randomUUID } from "node:crypto";
import { exportSPKI, importJWK } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AUDIENCE, TestIssuer } from "../testing/test-issuer.ts";
import { type OidcOptions, TokenRefused, TokenVerifier } from "./token-verifier.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = () => Math.floor(Date.now() / 1000);

let issuer: TestIssuer;
let verifier: TokenVerifier;
beforeAll(async () => {
  issuer = await TestIssuer.start("RS256");
  verifier = await open();
});
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
});

const open = (options: OidcOptions = {}) => TokenVerifier.open({ issuer: issuer.url, audience: AUDIENCE, ...options });

/** What a refused caller receives. */
async function catchRefusal(header: string | undefined, by = verifier): Promise<TokenRefused> {
  const error = await by.verify(header).catch((thrown: unknown) => thrown);
  if (error instanceof TokenRefused) return error;
  throw new Error("the token was not refused", { cause: error });
}

describe("a token of the issuer", () => {
  test("is accepted, and names its subject", async () => {
    expect(await verifier.verify(`Bearer ${await issuer.sign()}`)).toMatchObject({ sub: "someone", iss: issuer.url });
  });

  test.each(["bearer", "BEARER"])("is accepted after the scheme %s", async (scheme) => {
    expect(await verifier.verify(`${scheme} ${await issuer.sign()}`)).toMatchObject({ sub: "someone" });
  });

  test.each(["RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"])(
    "is accepted when it is signed with %s",
    async (alg) => {
      await using other = await TestIssuer.start(alg);
      const verifier = await TokenVerifier.open({ issuer: other.url });

      expect(await verifier.verify(`Bearer ${await other.sign()}`)).toMatchObject({ sub: "someone" });
    },
  );

  test("is accepted for any audience where none is asked for", async () => {
    const anybody = await open({ audience: undefined });
    const token = await issuer.sign({ claims: { aud: "another service" } });

    expect(await anybody.verify(`Bearer ${token}`)).toMatchObject({ sub: "someone" });
    await expect(verifier.verify(`Bearer ${token}`)).rejects.toThrow("invalid audience");
  });

  test("is accepted for one of several audiences", async () => {
    const token = await issuer.sign({ claims: { aud: ["other", AUDIENCE] } });

    expect(await verifier.verify(`Bearer ${token}`)).toMatchObject({ sub: "someone" });
  });

  test("is accepted for 60 seconds after its end and before its beginning, because clocks differ", async () => {
    const at = new Date();
    const seconds = Math.floor(at.getTime() / 1000);
    const strict = await open({ now: () => at });
    const ended = (by: number) => issuer.sign({ claims: { exp: seconds - by } });
    const early = (by: number) => issuer.sign({ claims: { nbf: seconds + by } });

    expect(await strict.verify(`Bearer ${await ended(59)}`)).toMatchObject({ sub: "someone" });
    expect(await strict.verify(`Bearer ${await early(60)}`)).toMatchObject({ sub: "someone" });
    expect((await catchRefusal(`Bearer ${await ended(60)}`, strict)).message).toBe(
      "Invalid token: failed to parse token: token is expired",
    );
    expect((await catchRefusal(`Bearer ${await early(61)}`, strict)).message).toContain('"nbf"');
  });
});

describe("a request without a token", () => {
  test.each([
    [undefined, "Authorization header required"],
    ["", "Invalid Authorization header format"],
    ["Bearer", "Invalid Authorization header format"],
    ["Bearer ", "Invalid Authorization header format"],
    ["Bearer two words", "Invalid Authorization header format"],
    ["Basic dXNlcjpwYXNz", "Invalid Authorization header format"],
    ["Bearerx.y.z", "Invalid Authorization header format"],
  ])("with the header %j is refused: %s", async (header, text) => {
    const refusal = await catchRefusal(header);

    expect([refusal.message, refusal.status]).toEqual([text, 401]);
    expect(refusal.challenge).toBe(`Bearer realm="${issuer.url}"`);
  });
});

describe("a token is refused", () => {
  test("when it is opaque", async () => {
    const refusal = await catchRefusal("Bearer 2YotnFZFEjr1zCsicMWpAA");

    const reason = "token seems to be opaque, but opaque tokens are not allowed";
    expect(refusal.message).toBe(`Invalid token: ${reason}`);
    expect(refusal.challenge).toBe(
      `Bearer realm="${issuer.url}", error="invalid_token", error_description="${reason}"`,
    );
  });

  test("when someone else signed it with a key of the same name", async () => {
    const forged = await issuer.sign({ key: await TestIssuer.createKey("first", "RS256") });

    expect((await catchRefusal(`Bearer ${forged}`)).message).toBe(
      "Invalid token: failed to parse token: signature verification failed",
    );
  });

  test("when its claims were changed after it was signed", async () => {
    const [header, , signature] = (await issuer.sign()).split(".");
    const claims = encode({ iss: issuer.url, aud: AUDIENCE, sub: "admin", exp: now() + 300 });

    expect((await catchRefusal(`Bearer ${header}.${claims}.${signature}`)).message).toContain("signature");
  });

  test.each([
    ["has expired", { exp: now() - 3600 }, "failed to parse token: token is expired"],
    ["never expires", { exp: undefined }, "token expired: it has no exp"],
    ["is for someone else", { aud: "other" }, "invalid audience"],
    ["is for nobody", { aud: undefined }, "invalid audience"],
    ["is from another issuer", { iss: "https://evil.example" }, "invalid issuer"],
    ["names no issuer", { iss: undefined }, "invalid issuer"],
  ])("when it %s", async (_condition, claims, reason) => {
    // `undefined` is left out of the JSON.
    const token = await issuer.sign({ claims: claims as Record<string, unknown> });

    expect((await catchRefusal(`Bearer ${token}`)).message).toBe(`Invalid token: ${reason}`);
  });

  test.each(["none", "None", "NONE"])("when it is not signed (%s)", async (alg) => {
    const claims = encode({ iss: issuer.url, aud: AUDIENCE, exp: now() + 300 });
    const unsigned = `${encode({ alg, kid: "first" })}.${claims}.`;

    expect((await catchRefusal(`Bearer ${unsigned}`)).message).toContain("Invalid token: failed to parse token: ");
  });

  test("when the public key served as the secret of an HS256 signature", async () => {
    const [key] = issuer.keys;
    const publicKey = await importJWK(key?.publicJwk ?? {}, "RS256", { extractable: true });
    if (publicKey instanceof Uint8Array) throw new Error("not a public key");
    const pem = await exportSPKI(publicKey);
    const content = `${encode({ alg: "HS256", kid: "first" })}.${encode({ iss: issuer.url, aud: AUDIENCE, exp: now() + 300 })}`;
    const confused = `${content}.${createHmac("sha256", pem).update(content).digest("base64url")}`;

    const refusal = await catchRefusal(`Bearer ${confused}`);

    expect(refusal.message).toBe(
      'Invalid token: failed to parse token: "alg" (Algorithm) Header Parameter value not allowed',
    );
    // The quotation marks must not end the quoted string.
    expect(refusal.challenge).toMatch(/ error_description="failed to parse token: \\"alg\\" [^"]*"$/);
  });

  test("when it does not say which key signed it", async () => {
    const token = await issuer.sign({ kid: undefined });

    expect((await catchRefusal(`Bearer ${token}`)).message).toBe(
      "Invalid token: failed to parse token: its header has no kid",
    );
  });

  test.each(["a.b.c", "..", `${encode({ alg: "RS256", kid: "first" })}.e30.AAAA`, `${encode([])}.e30.AAAA`])(
    "when it is garbage: %s",
    async (token) => {
      expect((await catchRefusal(`Bearer ${token}`)).message).toMatch(/^Invalid token: /);
    },
  );
});

describe("keys", () => {
  test("that are new are found when the first token names one, and keys that are gone end", async () => {
    await using rotating = await TestIssuer.start();
    const verifier = await TokenVerifier.open({ issuer: rotating.url, refetchIntervalMs: 0 });
    const old = await rotating.sign();
    await verifier.verify(`Bearer ${old}`);

    rotating.keys = [await TestIssuer.createKey("second")];

    expect(await verifier.verify(`Bearer ${await rotating.sign()}`)).toMatchObject({ sub: "someone" });
    expect(rotating.keySetReads).toBe(2);
    expect((await catchRefusal(`Bearer ${old}`, verifier)).message).toContain("no applicable key found");
  });

  test("are not read again for each token with an unknown key", async () => {
    await using attacked = await TestIssuer.start();
    const verifier = await TokenVerifier.open({ issuer: attacked.url });
    const stranger = await TestIssuer.createKey("stranger");

    for (let count = 0; count < 20; count += 1) {
      await catchRefusal(`Bearer ${await attacked.sign({ key: stranger, kid: randomUUID() })}`, verifier);
    }

    expect(attacked.keySetReads).toBe(1);
  });

  test("that cannot be read are the issuer's fault, and those that are known stay good", async () => {
    await using failing = await TestIssuer.start();
    const verifier = await TokenVerifier.open({ issuer: failing.url, refetchIntervalMs: 0 });
    const good = await failing.sign();
    failing.instead.set("/keys", { status: 503, text: "" });
    const unknown = await failing.sign({ key: await TestIssuer.createKey("unknown") });

    await expect(verifier.verify(`Bearer ${unknown}`)).rejects.toMatchObject({ code: "ISSUER_UNAVAILABLE" });
    expect(await verifier.verify(`Bearer ${good}`)).toMatchObject({ sub: "someone" });
  });

  test("are used without an issuer when their address is given; then the issuer is not checked", async () => {
    const verifier = await TokenVerifier.open({ jwksUrl: `${issuer.url}/keys` });
    const token = await issuer.sign({ claims: { iss: "https://any.example" } });

    expect(await verifier.verify(`Bearer ${token}`)).toMatchObject({ iss: "https://any.example" });
    expect((await catchRefusal(undefined, verifier)).challenge).toBe('Bearer realm=""');
  });
});

describe("opening fails", () => {
  const DISCOVERY = "/.well-known/openid-configuration";

  test("without an issuer and without the address of the keys", async () => {
    await expect(TokenVerifier.open({ audience: AUDIENCE, clientId: "thv" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining("--oidc-issuer"),
    });
  });

  test.each([
    "not an address",
    "http://issuer.example",
    "http://127.0.0.1.issuer.example",
    "ftp://127.0.0.1",
    "https://user:pass@issuer.example",
  ])("for the issuer %s", async (url) => {
    await expect(TokenVerifier.open({ issuer: url })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(TokenVerifier.open({ jwksUrl: url })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("when nothing answers there", async () => {
    const gone = await TestIssuer.start();
    await gone[Symbol.asyncDispose]();

    await expect(TokenVerifier.open({ issuer: gone.url })).rejects.toMatchObject({
      code: "ISSUER_UNAVAILABLE",
      message: `${gone.url}${DISCOVERY} cannot be used: nothing answers there.`,
    });
  });

  test.each([
    [DISCOVERY, 404, "", "the answer has status 404"],
    [DISCOVERY, 302, "", "the answer has status 302"],
    [DISCOVERY, 200, "<html>", "the answer is not JSON"],
    [DISCOVERY, 200, "[]", "the answer is not a JSON object"],
    [DISCOVERY, 200, `{"pad":"${"x".repeat(600_000)}"}`, "it is larger than 524288 bytes"],
    ["/keys", 500, "", "the answer has status 500"],
    ["/keys", 200, '{"keys":7}', "it is not a JSON Web Key Set"],
    ["/keys", 200, "{}", "it is not a JSON Web Key Set"],
  ])("when %s answers %i %#", async (path, status, text, reason) => {
    await using odd = await TestIssuer.start();
    odd.instead.set(path, { status, text });

    await expect(TokenVerifier.open({ issuer: odd.url })).rejects.toMatchObject({
      code: "ISSUER_UNAVAILABLE",
      message: `${odd.url}${path} cannot be used: ${reason}.`,
    });
  });

  test("when the issuer calls itself by another name", async () => {
    await using odd = await TestIssuer.start();

    await expect(TokenVerifier.open({ issuer: `${odd.url}/` })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `The issuer "${odd.url}/" identifies itself as "${odd.url}".`,
    });
  });

  test("when the issuer's keys are somewhere without encryption", async () => {
    await using odd = await TestIssuer.start();
    const text = JSON.stringify({ issuer: odd.url, jwks_uri: "http://keys.example/keys" });
    odd.instead.set(DISCOVERY, { status: 200, text });

    await expect(TokenVerifier.open({ issuer: odd.url })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("a verifier of one subject", () => {
  test.each([
    ["the subject itself", "system:serviceaccount:tools:client", "system:serviceaccount:tools:client", true],
    ["another one that begins so", "system:serviceaccount:tools:client", "system:serviceaccount:tools:client2", false],
    ["one of its namespace", "system:serviceaccount:tools:*", "system:serviceaccount:tools:any", true],
    ["one of another namespace", "system:serviceaccount:tools:*", "system:serviceaccount:tools-2:any", false],
    ["none", "system:serviceaccount:tools:*", undefined, false],
  ])("asks for it: %s", async (_case, subject, sub, isAccepted) => {
    const strict = await open({ subject });
    const header = `Bearer ${await issuer.sign({ claims: { sub } as { sub?: string } })}`;

    if (isAccepted) expect(await strict.verify(header)).toMatchObject({ sub });
    else expect((await catchRefusal(header, strict)).challenge).toContain('error_description="invalid subject"');
  });
});
