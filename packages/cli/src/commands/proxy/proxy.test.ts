/** `thv proxy` in front of real servers on loopback, with a person who signs in played by one request. */
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { TestIssuer } from "@toolhive/core/testing";
import { listen } from "@toolhive/http";
import { waitFor } from "@toolhive/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AuthorizationChoices, ProtectedWorld } from "../../testing/authorization-server.ts";
import { withMcpClient } from "../../testing/mcp-client.ts";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

const TOOLS = { "tools/list": () => ({ tools: [{ name: "add", inputSchema: { type: "object" } }] }) };
const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === "::1");
const MESSAGE = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

type Running = ReturnType<ServedThv["begin"]>;

const begin = (target: string, ...flags: string[]) => context.begin(["proxy", "--target-uri", target, ...flags, "it"]);

async function readAddress({ output }: Running): Promise<string> {
  const line = () => /it is offered at (http:\S+)\n/.exec(output.stdout)?.[1];
  return await waitFor(line, { what: "the proxy's address", deadlineMs: 30_000 });
}

async function signInAddress({ output }: Running): Promise<URL> {
  const line = () => /Please open this URL in your browser: (http:\S+)\n/.exec(output.stderr)?.[1];
  return new URL(await waitFor(line, { what: "the address to sign in at" }));
}

/** A free port, so that tests do not meet at the default one. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}

const auth = async (...more: string[]) => [
  "--remote-auth-skip-browser",
  "--remote-auth-callback-port",
  String(await freePort()),
  ...more,
];

describe("proxy", () => {
  test.each(["/mcp", "/sse"])("hands %s on to a server elsewhere, and ends with Ctrl-C", async (path) => {
    const transport = path === "/sse" ? "sse" : "streamable-http";
    await using server = await McpFixture.start({ transport, answers: TOOLS });
    const running = begin(server.origin);
    const address = await readAddress(running);

    const tools = await withMcpClient(`${address}${path}`, async (client) => (await client.listTools()).tools);
    await running[Symbol.asyncDispose]();

    expect(tools.map(({ name }) => name)).toEqual(["add"]);
    expect(await running.done).toBe(0);
    expect(running.output.stderr).toContain("Press Ctrl-C to stop.\n");
    await expect(fetch(`${address}/health`)).rejects.toThrow();
  });

  test("sends the server its own name, and neither the page nor the caller's Host", async () => {
    const heard: Record<string, unknown>[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers);
      response.end();
    });
    const port = await listen(server);
    await using running = begin(`http://localhost:${port}`);

    const address = await readAddress(running);
    heard.length = 0;
    await fetch(`${address}/mcp`, { ...MESSAGE, headers: { origin: address, authorization: "Bearer of-the-client" } });

    const [headers] = heard.filter(({ authorization }) => authorization !== undefined);
    expect(headers).toMatchObject({ host: `localhost:${port}`, authorization: "Bearer of-the-client" });
    expect(headers).not.toHaveProperty("origin");
    server.closeAllConnections();
    server.close();
  });

  test.skipIf(!HAS_IPV6)(
    `listens on an IPv6 address${HAS_IPV6 ? "" : " (not run: this machine has no ::1)"}`,
    async () => {
      await using server = await McpFixture.start({ transport: "streamable-http", answers: TOOLS });
      await using running = begin(server.origin, "--host", "::1");

      const address = await readAddress(running);
      const tools = await withMcpClient(`${address}/mcp`, async (client) => (await client.listTools()).tools);

      expect(address).toMatch(/^http:\/\/\[::1\]:\d+$/);
      expect(tools.map(({ name }) => name)).toEqual(["add"]);
    },
  );

  test("with a busy port exits 7", async () => {
    const server = createServer();
    const port = await listen(server);

    const { code, stderr } = await context.call([
      "proxy",
      "--target-uri",
      "http://127.0.0.1:1",
      "--port",
      `${port}`,
      "it",
    ]);

    expect(code).toBe(7);
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is already in use.`);
    server.close();
  });

  test.each([
    [["it"], "thv proxy needs --target-uri."],
    [["--target-uri", "ftp://x", "it"], "must begin with http:// or https://"],
    [
      ["--target-uri", "http://x/mcp", "--remote-forward-headers", "MARK", "it"],
      '--remote-forward-headers must be "NAME: VALUE"',
    ],
    [["--target-uri", "http://u:p@x", "it"], "must not hold a password"],
    [["--target-uri", "http://x", "--port", "65536", "it"], "must be between 0 and 65535"],
    [["--target-uri", "http://x", "--remote-auth-timeout", "soon", "it"], "must be a duration"],
    [["--target-uri", "http://x"], "thv proxy needs SERVER_NAME."],
  ])("%j exits 64", async (flags, message) => {
    const { code, stdout, stderr } = await context.call(["proxy", ...flags]);

    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(message);
  });

  test("asks its own clients for a token of an issuer, and keeps that token to itself", async () => {
    await using issuer = await TestIssuer.start();
    await using server = await McpFixture.start({ answers: { ping: () => ({}) } });
    await using running = begin(
      server.origin,
      "--oidc-issuer",
      issuer.url,
      "--oidc-audience",
      "toolhive-api",
      "--jwks-allow-private-ip",
    );
    const address = await readAddress(running);

    const without = await fetch(`${address}/mcp`, MESSAGE);
    const authorization = `Bearer ${await issuer.sign()}`;
    const withToken = await fetch(`${address}/mcp`, { ...MESSAGE, headers: { authorization } });

    expect([without.status, withToken.status]).toEqual([401, 200]);
    expect(server.methods).toEqual(["ping"]);
  });
});

describe("proxy that signs in", () => {
  async function signedIn(world: ProtectedWorld, ...flags: string[]): Promise<Running> {
    const running = begin(world.resource, ...(await auth(...flags)));
    const page = await fetch(await signInAddress(running));
    expect(await page.text()).toBe("You are signed in. This page can be closed.\n");
    await readAddress(running);
    return running;
  }

  const call = async (running: Running, headers: Record<string, string> = {}) =>
    (await fetch(`${await readAddress(running)}/mcp`, { ...MESSAGE, headers })).status;

  test.each(["metadata", "realm"] as const)(
    "finds where by the server's %s, registers, and adds the token",
    async (pointsBy) => {
      await using world = await ProtectedWorld.start({ pointsBy });
      await using running = await signedIn(world, "--remote-auth");

      expect(await call(running, { authorization: "Bearer of-the-client" })).toBe(200);

      expect([...world.clients.keys()]).toEqual(["registered-1"]);
      expect(world.admitted[0]?.authorization).toMatch(/^Bearer [0-9a-f]{32}$/);
      const [visit] = world.visits;
      expect(Object.fromEntries(visit ?? [])).toMatchObject({
        response_type: "code",
        code_challenge_method: "S256",
        scope: "openid profile email",
        ...(pointsBy === "metadata" && { resource: world.resource }),
      });
      expect(visit?.get("state")?.length).toBeGreaterThan(40);
      expect(visit?.get("code_challenge")?.length).toBe(43);
    },
  );

  test("opens the browser by itself", async () => {
    await using world = await ProtectedWorld.start();
    const bin = join(context.home, "bin");
    await mkdir(bin);
    const argumentsFile = join(context.home, "arguments");
    const script = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
writeFileSync(${JSON.stringify(argumentsFile)}, process.argv.slice(2).join(" "));
const page = readFileSync(new URL(process.argv[2]), "utf8");
fetch(/href="([^"]+)"/.exec(page)[1].replaceAll("&amp;", "&"));
`;
    for (const name of ["xdg-open", "open"]) await writeFile(join(bin, name), script, { mode: 0o755 });
    const port = String(await freePort());
    const argv = ["proxy", "--target-uri", world.resource, "--remote-auth", "--remote-auth-callback-port", port, "it"];

    await using running = context.begin(argv, { env: { PATH: bin } });

    expect(await call(running)).toBe(200);
    // Other users see the arguments of that program, and cannot read the page, which goes once it was used.
    const shown = await readFile(argumentsFile, "utf8");
    expect(shown).toMatch(/^file:\S+\.html$/);
    await expect(readFile(new URL(shown))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("detects with a client id alone whether the server asks for it", async () => {
    await using world = await ProtectedWorld.start({ clients: { thv: "hunter2" } });
    await using open = await McpFixture.start({ answers: { ping: () => ({}) } });
    const secret = join(context.home, "secret");
    await writeFile(secret, "hunter2\n");
    const flags = ["--remote-auth-client-id", "thv", "--remote-auth-client-secret-file", secret];

    await using running = await signedIn(world, ...flags);
    await using unasked = begin(open.origin, ...(await auth(...flags)));

    expect(await call(running)).toBe(200);
    expect(await call(unasked)).toBe(200);
    expect(unasked.output.stderr).toContain("does not ask anybody to sign in");
    expect(world.tokenRequests[0]?.get("grant_type")).toBe("authorization_code");
  });

  test.each([
    ["flag", ["--remote-auth-client-secret", "hunter2"], {}],
    ["variable", [], { TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET: "hunter2" }],
  ])("takes the client secret from the %s, and writes no secret anywhere", async (_from, flags, env) => {
    await using world = await ProtectedWorld.start({ clients: { thv: "hunter2" } });
    const argv = ["proxy", "--target-uri", world.resource, "--remote-auth-client-id", "thv"];
    await using running = context.begin([...argv, ...(await auth(...flags)), "it"], { env });
    await fetch(await signInAddress(running));

    expect(await call(running)).toBe(200);

    const token = world.admitted[0]?.authorization?.slice("Bearer ".length) ?? "";
    const code = world.tokenRequests[0]?.get("code") ?? "";
    const names = await readdir(context.home, { recursive: true, withFileTypes: true });
    const files = await Promise.all(
      names.filter((each) => each.isFile()).map((each) => readFile(join(each.parentPath, each.name), "latin1")),
    );
    for (const secret of ["hunter2", token, code]) {
      expect(secret).not.toBe("");
      expect(files.join()).not.toContain(secret);
      expect(running.output.stderr + running.output.stdout).not.toContain(secret);
    }
  });

  test("uses a token of which its provider says that it lasts 0 s, and asks for no other one", async () => {
    await using world = await ProtectedWorld.start({ tokenSeconds: 0 });
    await using running = await signedIn(world, "--remote-auth");

    const statuses = await Promise.all([call(running), call(running), call(running)]);

    expect(statuses).toEqual([200, 200, 200]);
    expect(world.tokenRequests.map((form) => form.get("grant_type"))).toEqual(["authorization_code"]);
  });

  test("gets a new token after the server has refused the one it has", async () => {
    await using world = await ProtectedWorld.start();
    await using running = await signedIn(world, "--remote-auth");
    world.revokeAccessTokens();

    expect(await call(running)).toBe(401);
    expect(await call(running)).toBe(200);
  });

  test("that cannot renew its token says so to each caller and stays up", async () => {
    await using world = await ProtectedWorld.start();
    await using running = await signedIn(world, "--remote-auth");
    world.revokeAccessTokens();
    world.revokeRefreshTokens();
    expect(await call(running)).toBe(401);

    const response = await fetch(`${await readAddress(running)}/mcp`, MESSAGE);

    expect(response.status).toBe(502);
    expect(await response.text()).toContain("The token could not be renewed");
  });

  test.each([
    ["the user's", ["--remote-auth-scopes", "a,b", "--remote-auth-scopes", "c"], "a b c"],
    ["the server's", [], "read write"],
  ])("asks for %s scopes", async (_whose, flags, scope) => {
    await using world = await ProtectedWorld.start({ scopes: ["read", "write"] });
    await using _running = await signedIn(world, "--remote-auth", ...flags);

    expect(world.visits[0]?.get("scope")).toBe(scope);
  });

  test.each<[string, AuthorizationChoices, string[], number, string]>([
    ["that refuses", { refuses: "access_denied" }, [], 15, "Signing in was refused: access_denied"],
    [
      "with a wrong secret",
      { clients: { thv: "right" } },
      ["--remote-auth-client-id", "thv", "--remote-auth-client-secret", "wrong"],
      15,
      "refused the code: ",
    ],
  ])("at an authorization server %s exits and offers nothing", async (_what, choices, flags, code, text) => {
    await using world = await ProtectedWorld.start(choices);
    const running = begin(world.resource, ...(await auth("--remote-auth", ...flags)));
    await fetch(await signInAddress(running));

    expect(await running.done).toBe(code);
    expect(running.output.stdout).toBe("");
    expect(running.output.stderr).toContain(text);
  });

  test("does not sign in for a server that claims to be another one", async () => {
    await using world = await ProtectedWorld.start({ claimsToBe: "https://bank.example.com" });

    const { code, stderr } = await context.call([
      "proxy",
      "--target-uri",
      world.resource,
      ...(await auth("--remote-auth")),
      "it",
    ]);

    expect([code, stderr]).toEqual([15, expect.stringContaining("says that it is https://bank.example.com")]);
    expect(world.visits).toEqual([]);
  });

  test("where clients cannot register asks for a client id", async () => {
    await using world = await ProtectedWorld.start({ registersClients: false });

    const { code, stderr } = await context.call([
      "proxy",
      "--target-uri",
      world.resource,
      ...(await auth("--remote-auth")),
      "it",
    ]);

    expect([code, stderr]).toEqual([15, expect.stringContaining("give its id: --remote-auth-client-id")]);
  });

  test("gives up when nobody comes, and takes no answer that it did not ask for", async () => {
    await using world = await ProtectedWorld.start();
    const running = begin(world.resource, ...(await auth("--remote-auth", "--remote-auth-timeout", "700ms")));
    const page = await signInAddress(running);
    const forged = new URL(page.searchParams.get("redirect_uri") ?? "");
    forged.search = "?code=stolen&state=guessed";

    const answer = await fetch(forged);

    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("does not belong")]);
    expect(await running.done).toBe(15);
    expect(running.output.stderr).toContain("Nobody signed in within 0.7 s.");
    expect(world.tokenRequests).toEqual([]);
  });

  test.each([
    ["http://login.example.com", 2, "must begin with https://"],
    ["http://127.0.0.1:1", 15, "http://127.0.0.1:1 cannot be used"],
  ])("with the issuer %s exits %i", async (issuer, code, text) => {
    await using world = await ProtectedWorld.start();
    const flags = await auth("--remote-auth-issuer", issuer);

    const result = await context.call(["proxy", "--target-uri", world.resource, ...flags, "it"]);

    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(text)]);
  });

  test("with a client that was registered before does not take another port for the way back", async () => {
    await using world = await ProtectedWorld.start({ clients: { thv: "s" } });
    const busy = createServer();
    const port = await listen(busy);
    const flags = ["--remote-auth-skip-browser", "--remote-auth-callback-port", `${port}`];

    const fixed = await context.call([
      "proxy",
      "--target-uri",
      world.resource,
      "--remote-auth-client-id",
      "thv",
      ...flags,
      "it",
    ]);
    await using free = begin(world.resource, "--remote-auth", ...flags);

    expect([fixed.code, fixed.stderr]).toEqual([7, expect.stringContaining(`Port ${port} is in use, but the browser`)]);
    expect((await signInAddress(free)).searchParams.get("redirect_uri")).not.toContain(String(port));
    busy.close();
  });

  test("ends with Ctrl-C while it waits for somebody to sign in", async () => {
    await using world = await ProtectedWorld.start();
    const running = begin(world.resource, ...(await auth("--remote-auth")));
    await signInAddress(running);

    await running[Symbol.asyncDispose]();

    expect(await running.done).toBe(130);
  });
});
