import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ClientCredentialsGrant } from "./client-credentials-grant.ts";

const SERVER = new URL("https://mcp.example.test/mcp");
const NEVER = new AbortController().signal;

describe("tokens of a client", () => {
  const asked: { readonly authorization: string; readonly form: URLSearchParams }[] = [];
  let answer: { status: number; body: object };
  let server: Server;
  let tokenUrl = "";
  let now = 0;
  const clocks = { wall: () => now, steady: () => now, random: () => 0 };
  beforeEach(async () => {
    asked.length = 0;
    now = 1_000_000;
    answer = { status: 200, body: { access_token: "token-1", token_type: "bearer", expires_in: 600 } };
    server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      asked.push({ authorization: request.headers.authorization ?? "", form: new URLSearchParams(text) });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const open = (options: { readonly secret?: () => string; readonly scopes?: readonly string[] } = {}) => {
    const { secret = () => "client secret", ...rest } = options;
    return new ClientCredentialsGrant({
      name: "forecast",
      server: SERVER,
      tokenUrl,
      clientId: "cluster",
      readClientSecret: async () => secret(),
      // The server has no metadata, and is not asked on the network.
      send: async (input, init) =>
        String(input).startsWith("https://") ? new Response(null, { status: 404 }) : await fetch(input, init),
      clocks,
      ...rest,
    });
  };

  test("are asked for with the client's secret and scopes, once for all requests", async () => {
    await using grant = open({ scopes: ["tools.read", "tools.call"] });

    const all = await Promise.all([grant.authorize(NEVER), grant.authorize(NEVER), grant.authorize(NEVER)]);

    expect(all).toEqual(Array(3).fill("Bearer token-1"));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.form.get("grant_type")).toBe("client_credentials");
    expect(asked[0]?.form.get("scope")).toBe("tools.read tools.call");
    const sent = `${Buffer.from(asked[0]?.authorization.replace("Basic ", "") ?? "", "base64")} ${asked[0]?.form}`;
    expect(sent).toMatch(/cluster.*client(%20|\+)secret/);
    expect(grant.describe()).toMatchObject({ state: "valid", clientId: "cluster", isRenewable: true });
  });

  test("are renewed before they end, while the old one is still used", async () => {
    await using grant = open();
    await grant.authorize(NEVER);
    answer.body = { access_token: "token-2", token_type: "bearer", expires_in: 600 };
    now += 560_000;

    expect(await grant.authorize(NEVER)).toBe("Bearer token-1");
    await expect.poll(() => grant.authorize(NEVER)).toBe("Bearer token-2");
    expect(asked).toHaveLength(2);
  });

  test("are asked for again when the server refuses one, and not for ever", async () => {
    await using grant = open();
    await grant.authorize(NEVER);
    answer.body = { access_token: "token-2", token_type: "bearer" };

    expect(await grant.onRefused({ status: 401, usedAuthorization: "Bearer token-1" }, NEVER)).toBe(true);
    expect(await grant.authorize(NEVER)).toBe("Bearer token-2");
    expect(await grant.onRefused({ status: 401, usedAuthorization: "Bearer token-2" }, NEVER)).toBe(false);
    expect(grant.describe()).toMatchObject({ state: "unauthenticated", error: { code: "UNAUTHENTICATED" } });
    expect(asked).toHaveLength(2);
  });

  test("that are refused name the reason and not the secret, and are tried again with what the Secret holds then", async () => {
    let secret = "wrong secret";
    await using grant = open({ secret: () => secret });
    answer = { status: 401, body: { error: "invalid_client", error_description: "no such wrong secret" } };

    const failure: unknown = await grant.authorize(NEVER).catch((error: unknown) => error);

    expect(failure).toMatchObject({ code: "UNAUTHENTICATED", message: expect.stringContaining("invalid_client") });
    expect(String(failure)).not.toContain("wrong secret");
    // Not asked again at once.
    await expect(grant.authorize(NEVER)).rejects.toThrow("invalid_client");
    expect(asked).toHaveLength(1);
    secret = "right secret";
    answer = { status: 200, body: { access_token: "token-3", token_type: "bearer" } };
    now += 2_000;
    expect(await grant.authorize(NEVER)).toBe("Bearer token-3");
    expect(grant.describe().error).toBeUndefined();
  });

  test("that cannot be asked for now are the authorization server's fault", async () => {
    await using grant = open();
    answer = { status: 503, body: {} };

    await expect(grant.authorize(NEVER)).rejects.toMatchObject({ code: "ISSUER_UNAVAILABLE" });
    expect(grant.describe()).toMatchObject({ state: "renewing", error: { code: "ISSUER_UNAVAILABLE" } });
  });

  test("with something else than a token for a header are not used", async () => {
    await using grant = open();
    answer.body = { access_token: "a\r\nX-Other: b", token_type: "bearer" };

    await expect(grant.authorize(NEVER)).rejects.toMatchObject({ code: "ISSUER_UNAVAILABLE" });
  });
});
