import { createServer } from "node:http";
import { listen } from "@toolhive/http";
import { expect, test } from "vitest";
import { AUDIENCE, TestIssuer } from "../testing/test-issuer.ts";
import { TokenRefused, TokenVerifier } from "./token-verifier.ts";

interface Review {
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
}

/** An API server with scripted answers. */
async function startApiServer(answer: (review: Review) => { readonly code?: number; readonly status?: object }) {
  const reviews: Review[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const review: Review = JSON.parse(text);
    reviews.push(review);
    const { code = 201, status } = answer(review);
    response
      .writeHead(code, { "content-type": "application/json", connection: "close" })
      .end(JSON.stringify({ status }));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/apis/authentication.k8s.io/v1/tokenreviews`,
    reviews,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

const good = { status: { authenticated: true, audiences: [AUDIENCE] } };

async function verify(tokenReviewUrl: string, times = 1) {
  await using issuer = await TestIssuer.start();
  const verifier = await TokenVerifier.open({ issuer: issuer.url, audience: AUDIENCE, tokenReviewUrl });
  const header = `Bearer ${await issuer.sign()}`;
  let claims: unknown;
  for (let time = 0; time < times; time += 1) claims = await verifier.verify(header);
  return claims;
}

test("a token that the API server knows is accepted, and asked about once for several calls", async () => {
  await using server = await startApiServer(() => good);

  expect(await verify(server.url, 3)).toMatchObject({ sub: "someone" });
  // The first is about no token: whether there is a right to ask.
  expect(server.reviews).toHaveLength(2);
  expect(server.reviews.at(-1)?.spec.audiences).toEqual([AUDIENCE]);
});

test.each([
  ["of a deleted account", { authenticated: false, error: 'serviceaccounts "a" not found' }, "not found"],
  ["for another audience", { authenticated: true, audiences: ["other"] }, "invalid audience"],
  ["about which it says nothing", undefined, "not good"],
])("a token %s is refused", async (_what, status, says) => {
  await using server = await startApiServer(() => (status ? { status } : {}));

  const error = await verify(server.url).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(TokenRefused);
  expect((error as TokenRefused).message).toContain(says);
});

test("a program that may not ask says so at the start, with what to do", async () => {
  await using server = await startApiServer(() => ({ code: 403 }));

  await expect(verify(server.url)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    hint: expect.stringContaining("system:auth-delegator"),
  });
});

test("an API server that fails is no fault of the token", async () => {
  let count = 0;
  await using server = await startApiServer(() => (count++ === 0 ? good : { code: 500 }));

  await expect(verify(server.url)).rejects.toMatchObject({ code: "ISSUER_UNAVAILABLE" });
});
