import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { TestIssuer } from "@toolhive/core/testing";
import { describe, expect, test } from "vitest";
import { openClient, ROUTES } from "../testing/client-routes.ts";
import { openGuarded, SERVER_KINDS } from "../testing/open-guarded.ts";
import { openPair } from "../testing/open-pair.ts";
import { buildUrl, EventReader, initializeBody, post, rawRequest } from "../testing/raw-client.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";
import { openMcpEndpoint } from "../transports/stdio-endpoint.ts";

const METADATA = "/.well-known/oauth-protected-resource";

describe.each(SERVER_KINDS)("an endpoint of a %s server that asks for tokens", (kind) => {
  test.each([
    ["POST", "/mcp"],
    ["GET", "/mcp"],
    ["DELETE", "/mcp"],
    ["GET", "/sse"],
    ["POST", "/messages?session_id=00000000-0000-4000-8000-000000000000"],
    ["PUT", "/mcp"],
    ["GET", "/"],
    ["GET", "/anything"],
    ["POST", "/health/../mcp"],
  ])("refuses %s %s without one, and says where to get one", async (method, path) => {
    await using guarded = await openGuarded({ kind });

    const refused = await rawRequest(guarded.endpoint, { method, path });

    const { port } = guarded.endpoint;
    expect([refused.status, refused.body]).toEqual([401, "Authorization header required"]);
    expect(refused.headers["www-authenticate"]).toContain(`Bearer realm="${guarded.issuer.url}", resource_metadata="`);
    const metadata = new URL(
      /resource_metadata="([^"]+)"/.exec(String(refused.headers["www-authenticate"]))?.[1] ?? "",
    );
    const found = await rawRequest(guarded.endpoint, {
      method: "GET",
      path: metadata.pathname,
      headers: { host: `127.0.0.1:${port}` },
    });
    expect(JSON.parse(found.body)).toMatchObject({ authorization_servers: [guarded.issuer.url] });
  });

  test("answers /health without one", async () => {
    await using guarded = await openGuarded({ kind });

    expect((await fetch(buildUrl(guarded.endpoint, "/health"))).status).toBe(200);
  });

  test("refuses before a byte of the body has come", async () => {
    await using guarded = await openGuarded({ kind });

    const refused = await rawRequest(guarded.endpoint, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": "900000000", expect: "100-continue" },
    }).catch((error: unknown) => error);

    expect(refused).toMatchObject({ status: 401 });
  });
});

describe.each(ROUTES)("a %s server, reached by %s", (kind, way) => {
  test("serves callers with a good token", async () => {
    await using guarded = await openGuarded({ kind, onRequest: () => '{"content":[]}' });
    await using client = await openClient(guarded.endpoint, way, await guarded.as("ada"));

    const { message } = await client.request("tools/call", { name: "echo" });

    expect(message).toMatchObject({ result: { content: [] } });
  });

  test.each([
    ["of another issuer", { iss: "https://evil.example" }, "invalid issuer"],
    ["for another service", { aud: "other" }, "invalid audience"],
    ["that has expired", { exp: 1 }, "failed to parse token: token is expired"],
  ])("refuses a token %s", async (_what, claims, reason) => {
    await using guarded = await openGuarded({ kind });
    const headers = await guarded.as("ada", claims);

    const path = way === "sse" ? "/sse" : "/mcp";
    const response = await fetch(buildUrl(guarded.endpoint, path), {
      method: way === "sse" ? "GET" : "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...(way !== "sse" && { body: initializeBody() }),
    });

    expect([response.status, await response.text()]).toEqual([401, `Invalid token: ${reason}`]);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });
});

describe("a session", () => {
  test.each(["stdio", "streamable-http"] as const)("of a %s server is its caller's alone", async (kind) => {
    await using guarded = await openGuarded({ kind, onRequest: () => '{"content":["private"]}' });
    const ada = await guarded.as("ada");
    const opened = await post(guarded.endpoint, initializeBody(), ada);
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    const eve = await guarded.as("eve");
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}';

    const stolen = await post(guarded.endpoint, call, { ...eve, ...session });
    const listened = await fetch(buildUrl(guarded.endpoint), {
      headers: { ...eve, ...session, accept: "text/event-stream" },
    });
    const ended = await fetch(buildUrl(guarded.endpoint), { method: "DELETE", headers: { ...eve, ...session } });
    const renewed = await guarded.as("ada", { jti: "another token of the same person" });
    const own = await post(guarded.endpoint, call, { ...renewed, ...session });

    expect([stolen.status, listened.status, ended.status, own.status]).toEqual([404, 404, 404, 200]);
    expect(await stolen.text()).not.toContain("private");
    expect(await own.json()).toMatchObject({ result: { content: ["private"] } });
  });

  test.each(["stdio", "sse"] as const)("over SSE of a %s server takes messages of its caller alone", async (kind) => {
    await using guarded = await openGuarded({ kind });
    const abort = new AbortController();
    const stream = await fetch(buildUrl(guarded.endpoint, "/sse"), {
      headers: await guarded.as("ada"),
      signal: abort.signal,
    });
    await using events = new EventReader(stream, abort);
    const address = new URL((await events.next())?.data ?? "", buildUrl(guarded.endpoint, "/sse"));
    const send = (headers: Record<string, string>) =>
      fetch(address, { method: "POST", body: initializeBody(), headers });

    const stolen = await send(await guarded.as("eve"));
    const own = await send(await guarded.as("ada"));

    expect([stolen.status, own.status]).toEqual([404, 202]);
  });
});

describe("a server that speaks HTTP", () => {
  test("never gets the caller's token", async () => {
    const seen: (string | undefined)[] = [];
    await using guarded = await openGuarded({ kind: "streamable-http" });
    await using spy = await openSpy(seen);
    guarded.endpoint.connect({ host: "127.0.0.1", port: spy.port });

    await post(guarded.endpoint, initializeBody(), await guarded.as("ada"));

    expect(seen).toEqual([undefined]);
  });

  test.each(["/", "/admin", "/messages?sessionId=1", "/mcp/other"])(
    "is not reached at %s, which knows nothing of sessions",
    async (path) => {
      await using guarded = await openGuarded({ kind: "streamable-http" });

      const { status } = await rawRequest(guarded.endpoint, { method: "GET", path, headers: await guarded.as("ada") });

      expect(status).toBe(404);
    },
  );
});

describe("the metadata of the protected resource", () => {
  test.each([
    ["", ""],
    ["/mcp", "/mcp"],
    ["/sse", "/sse"],
  ])("at %s names the endpoint and its issuer", async (suffix, resource) => {
    await using guarded = await openGuarded();

    const response = await fetch(buildUrl(guarded.endpoint, METADATA + suffix));

    expect(await response.json()).toEqual({
      resource: `http://127.0.0.1:${guarded.endpoint.port}${resource}`,
      authorization_servers: [guarded.issuer.url],
      bearer_methods_supported: ["header"],
    });
  });

  test("names the scopes of the settings", async () => {
    await using issuer = await TestIssuer.start();
    const oidc = { Issuer: issuer.url, Audience: "toolhive", AllowPrivateIP: true, Scopes: ["openid", "mcp"] };
    await using guarded = await openGuarded({ access: { oidc_config: oidc } });

    const response = await fetch(buildUrl(guarded.endpoint, METADATA));

    expect(await response.json()).toMatchObject({
      authorization_servers: [issuer.url],
      scopes_supported: ["openid", "mcp"],
    });
  });

  test("is not there for an endpoint that asks for no token", async () => {
    await using pair = await openPair();

    expect((await fetch(buildUrl(pair.endpoint, METADATA))).status).toBe(404);
  });
});

describe("an official client", () => {
  test("is served with a token in its headers", async () => {
    await using guarded = await openGuarded({ onRequest: () => '{"tools":[]}' });
    const headers = await guarded.as("ada");
    const client = new Client({ name: "official", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(buildUrl(guarded.endpoint)), {
      requestInit: { headers },
    });

    await client.connect(transport as Parameters<Client["connect"]>[0]);

    expect(await client.listTools()).toEqual({ tools: [] });
    await client.close();
  });
});

describe("an issuer", () => {
  test("that is away at a restart makes callers wait, and is found once it is back", async () => {
    await using issuer = await TestIssuer.start();
    const discovery = "/.well-known/openid-configuration";
    issuer.instead.set(discovery, { status: 503, text: "" });
    const access = { oidc_config: { Issuer: issuer.url, AllowPrivateIP: true } };
    const options = { name: "fake", host: "127.0.0.1", port: 0, access };

    await expect(openMcpEndpoint(options)).rejects.toMatchObject({ code: "ISSUER_UNAVAILABLE" });
    await using endpoint = await openMcpEndpoint({ ...options, mayWaitForIssuer: true });
    const token = { authorization: `Bearer ${await issuer.sign()}` };
    const refused = await post(endpoint, initializeBody(), token);

    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(issuer.requests).toEqual([discovery, discovery]);
  });

  test("on this machine is refused where that was not allowed", async () => {
    await using issuer = await TestIssuer.start();
    const access = { oidc_config: { Issuer: issuer.url } };

    await expect(openMcpEndpoint({ name: "fake", host: "127.0.0.1", port: 0, access })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("is at the private address 127.0.0.1"),
      hint: expect.stringContaining("--jwks-allow-private-ip"),
    });
    expect(issuer.requests).toEqual([]);
  });
});

async function openSpy(seen: (string | undefined)[]) {
  return await startHttpServer((request, response) => {
    if (request.method === "POST") seen.push(request.headers.authorization);
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0","id":0,"result":{}}');
  });
}
