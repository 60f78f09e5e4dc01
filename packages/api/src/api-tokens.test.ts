/** The API with OIDC: who needs a token, and what a caller without one receives (api-behaviour 10.2). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TokenVerifier } from "@toolhive/core";
import { AUDIENCE, TestIssuer } from "@toolhive/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "./client.ts";
import { ALLOWED_ORIGIN, ServedWorld, VERSION } from "./testing/served-world.ts";

const PATH = "/api/v1beta/version";

let issuer: TestIssuer;
let served: ServedWorld;
beforeAll(async () => {
  issuer = await TestIssuer.start();
  const tokens = await TokenVerifier.open({ issuer: issuer.url, audience: AUDIENCE, refetchIntervalMs: 0 });
  served = await ServedWorld.start({}, tokens);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
  expect(served.bugs).toEqual([]);
});

describe("the API of a server with OIDC", () => {
  test.each(["Bearer", "bearer"])("answers a caller with a token after %s", async (scheme) => {
    const headers = { authorization: `${scheme} ${await issuer.sign()}` };

    expect(await served.send("GET", PATH, { headers })).toMatchObject({
      status: 200,
      body: `{"version":"${VERSION}"}\n`,
    });
  });

  test.each([
    ["GET", PATH],
    ["GET", "/api/openapi.json"],
    ["GET", "/api/v1beta/workloads"],
    ["POST", "/api/v1beta/workloads"],
    ["DELETE", "/api/v1beta/workloads/echo"],
    ["GET", "/nothing/is/here"],
    ["GET", "/health/../api/v1beta/version"],
    ["GET", "//health"],
  ])("asks the caller of %s %s for a token, in plain text", async (method, path) => {
    const { status, headers, body } = await served.send(method, path);

    expect([status, body]).toEqual([401, "Authorization header required\n"]);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "www-authenticate": `Bearer realm="${issuer.url}"`,
    });
  });

  test("says what is wrong with a token, in the body and in the challenge", async () => {
    const headers = { authorization: `Bearer ${await issuer.sign({ claims: { aud: "other" } })}` };

    const answer = await served.send("GET", PATH, { headers });

    expect([answer.status, answer.body]).toEqual([401, "Invalid token: invalid audience\n"]);
    expect(answer.headers["www-authenticate"]).toBe(
      `Bearer realm="${issuer.url}", error="invalid_token", error_description="invalid audience"`,
    );
  });

  test("sends the code and a hint to callers that accept JSON", async () => {
    const answer = await served.send("GET", PATH, { headers: { accept: "application/problem+json" } });

    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ code: "UNAUTHENTICATED", hint: expect.stringContaining("Bearer") });
  });

  test("changes nothing for a caller without a token", async () => {
    const body = JSON.stringify({ name: "sneaky", image: "mcp/echo:1" });

    expect((await served.send("POST", "/api/v1beta/workloads", { body })).status).toBe(401);
    expect(served.supervisor.list()).toEqual([]);
  });

  test("answers 500 and not 401 while the keys of the issuer cannot be read", async () => {
    const stranger = await issuer.sign({ key: await TestIssuer.createKey("stranger") });
    issuer.instead.set("/keys", { status: 503, text: "" });

    const answer = await served.send("GET", PATH, { headers: { authorization: `Bearer ${stranger}` } });
    issuer.instead.clear();

    expect([answer.status, answer.body]).toEqual([
      500,
      `${issuer.url}/keys cannot be used: the answer has status 503.\n`,
    ]);
  });

  test.each(["/health", "/health/", "/health?verbose"])("needs no token for %s", async (path) => {
    expect((await served.send("GET", path)).status).toBe(204);
  });

  test("lets a page of an allowed origin ask whether it may send a token, and read the challenge", async () => {
    const headers = { origin: ALLOWED_ORIGIN, "access-control-request-headers": "authorization" };

    const preflight = await served.send("OPTIONS", PATH, { headers });
    const refused = await served.send("GET", PATH, { headers });

    expect(preflight.status).toBe(204);
    expect(preflight.headers["access-control-allow-headers"]).toContain("Authorization");
    expect(refused.headers).toMatchObject({
      "access-control-allow-origin": ALLOWED_ORIGIN,
      "access-control-expose-headers": "WWW-Authenticate",
    });
  });

  test("refuses a page of another origin even with a token", async () => {
    const headers = { origin: "https://evil.example", authorization: `Bearer ${await issuer.sign()}` };

    expect((await served.send("GET", PATH, { headers })).status).toBe(403);
  });

  test("needs no token on the private socket", async () => {
    const directory = await mkdtemp(join(tmpdir(), "api-tokens-"));
    const socketPath = join(directory, "thv.sock");
    await served.server.listenOnSocket(socketPath);

    expect(await new ApiClient({ socketPath }).call("getVersion")).toEqual({ version: VERSION });
    await rm(directory, { recursive: true });
  });
});
