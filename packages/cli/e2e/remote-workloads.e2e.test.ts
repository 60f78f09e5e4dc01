/** `thv run URL` on a machine without a container engine, in front of the official SDK's server on loopback. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { AuthorizationServer, ProtectedServer } from "@toolhive/core/testing/authorization";
import { listen } from "@toolhive/http";
import { installBrowser, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesWith } from "../src/testing/files-with.ts";
import { withMcpClient } from "../src/testing/mcp-client.ts";

/** A server elsewhere that can be killed and come back at the same port. */
class RemoteMcp implements AsyncDisposable {
  readonly headers: IncomingMessage["headers"][] = [];
  /** Required of every call. */
  token: string | undefined;
  #server: Server | undefined;
  #port = 0;

  async start(): Promise<this> {
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    this.#server = createServer(async (request, response) => {
      this.headers.push(request.headers);
      if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`)
        return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      if (request.url !== "/mcp") return void response.writeHead(404).end();
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      const message: unknown = body === "" ? undefined : JSON.parse(body);
      const known = sessions.get(String(request.headers["mcp-session-id"]));
      if (!known && !isInitializeRequest(message)) return void response.writeHead(404).end();
      const transport =
        known ??
        new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (id) => void sessions.set(id, transport),
        });
      if (!known) {
        const mcp = new McpServer({ name: "remote", version: "1.0.0" });
        mcp.registerTool("add", { description: "Adds" }, async () => ({ content: [{ type: "text", text: "3" }] }));
        await mcp.connect(transport);
      }
      await transport.handleRequest(request, response, message);
    });
    this.#port = await listen(this.#server, { port: this.#port });
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

let home: ThrowawayHome;
let remote: RemoteMcp;
beforeEach(async () => {
  home = await ThrowawayHome.create();
  remote = await new RemoteMcp().start();
});
afterEach(async () => {
  await remote[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

/** Of a supervisor that searches for an engine at an address without one. */
const env = { DOCKER_HOST: "unix:///nowhere/engine.sock" };
const thv = async (...args: string[]) => await runThv(args, { home, env });

interface Listed {
  readonly name: string;
  readonly status: string;
  readonly status_context?: string;
  readonly url: string;
}

async function find(name: string): Promise<Listed | undefined> {
  const { stdout } = await thv("list", "--all", "--format", "json");
  return (JSON.parse(stdout) as Listed[]).find((workload) => workload.name === name);
}

async function untilStatus(status: string): Promise<Listed> {
  return await waitFor(
    async () => {
      const found = await find("web");
      return found?.status === status ? found : undefined;
    },
    { what: `the status ${status}`, deadlineMs: 100_000 },
  );
}

async function listTools(url: string): Promise<string[]> {
  return await withMcpClient(url, async (client) => (await client.listTools()).tools.map(({ name }) => name));
}

test("a remote server is a workload like any other, without a container engine", async () => {
  const created = await thv("run", "--name", "web", remote.url);
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^web is running at http/) });
  const listed = await untilStatus("running");
  expect(await listTools(listed.url)).toEqual(["add"]);

  const logs = await thv("logs", "web");
  expect(logs.stdout + logs.stderr).toContain(`connected to remote server server=${remote.url}`);
  expect((await thv("stop", "web")).code).toBe(0);
  expect(await find("web")).toMatchObject({ status: "stopped" });
  expect((await thv("restart", "web")).code).toBe(0);
  expect(await listTools(listed.url)).toEqual(["add"]);

  const exported = await thv("export", "web", "-");
  expect((await thv("rm", "web")).code).toBe(0);
  expect(await find("web")).toBeUndefined();
  const imported = await runThv(["run", "--from-config", "-"], { home, env, input: exported.stdout });
  expect(imported).toMatchObject({ code: 0 });
  expect(await find("web")).toMatchObject({ status: "running", url: listed.url });
});

test("a client that starts its servers itself starts what its entry says, and lists the server's tools", async () => {
  const settings = join(home.path, ".config/Claude/claude_desktop_config.json");
  await mkdir(dirname(settings), { recursive: true });
  await writeFile(settings, "{}\n");
  await thv("client", "register", "claude-desktop");
  await thv("run", "--name", "web", remote.url);
  const { web } = JSON.parse(await readFile(settings, "utf8")).mcpServers;

  const client = new Client({ name: "claude-desktop", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...web, env: { ...home.env(), ...env }, stderr: "ignore" }));
  const { tools } = await client.listTools();
  await client.close();

  expect(tools.map(({ name }) => name)).toEqual(["add"]);
  await thv("rm", "web");
  expect(await readFile(settings, "utf8")).toBe("{}\n");
});

test("it comes back after its supervisor was killed, and says when its server has gone and come back", async () => {
  await thv("run", "--name", "web", remote.url);
  const before = await untilStatus("running");

  const supervisor = await home.findSupervisor();
  process.kill(supervisor?.pid ?? 0, "SIGKILL");
  const after = await untilStatus("running");
  expect(after.url).toBe(before.url);
  expect(await listTools(after.url)).toEqual(["add"]);

  await remote.kill();
  // A client's call that fails makes the supervisor check the server at once. It may have gone out on a connection that was
  // just being cut.
  await expect(listTools(after.url)).rejects.toThrow(/nothing answers|broke the connection off/);
  const down = await untilStatus("unhealthy");
  expect(down.status_context).toContain("nothing answers");

  await remote.start();
  await untilStatus("running");
  expect(await listTools(after.url)).toEqual(["add"]);
});

/** Secrets are sealed with a password of the environment. */
async function withSecrets(): Promise<Record<string, string>> {
  const config = join(home.path, "config", "toolhive");
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "config.yaml"), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
  return { ...env, TOOLHIVE_SECRETS_PASSWORD: "password-of-a-test" };
}

test("a token from a file is stored as a secret, and takes the place of a sign-in", async () => {
  remote.token = `MARK-${randomUUID()}`;
  const more = await withSecrets();
  const file = join(home.workDirectory, "token.txt");
  await writeFile(file, remote.token);

  const args = ["run", "--name", "web", "--remote-auth-bearer-token-file", file, remote.url];
  const created = await runThv(args, { home, env: more });
  await rm(file);

  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^web is running at/) });
  expect(created.stderr).toContain("stored as the secret web-bearer-token");
  expect(await listTools((await untilStatus("running")).url)).toEqual(["add"]);
  expect((await thv("export", "web", "-")).stdout).toContain("web-bearer-token");
  expect(await filesWith(remote.token, [home.path])).toEqual([]);
});

test("a server that asks for a sign-in is kept, and every client and command prints the command that signs in", async () => {
  remote.token = "of nobody here";

  const created = await thv("run", "--name", "web", remote.url);

  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^web waits for a sign-in at/) });
  expect(created.stderr).toContain("thv auth login web");
  const listed = await untilStatus("unauthenticated");
  expect(listed.status_context).toContain("thv auth login web");
  await expect(listTools(listed.url)).rejects.toThrow(/thv auth login web/);
  expect((await thv("list")).stdout).toContain("unauthenticated");
});

/** What a client asks first of a server, without sessions. */
function answerMcp(_request: IncomingMessage, response: ServerResponse, body: string): void {
  const { id, method } = JSON.parse(body || "{}") as { id?: number; method?: string };
  if (id === undefined) return void response.writeHead(202).end();
  const result =
    method === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "calendar", version: "1" } }
      : { tools: [{ name: "list_events", inputSchema: { type: "object" } }] };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

/** A browser whose person agrees to everything, as the page about sign-ins has it. */
async function withBrowser(): Promise<Record<string, string>> {
  const bin = join(home.path, "bin");
  return { ...env, ...(await installBrowser(bin)), PATH: `${bin}:${process.env.PATH}` };
}

test("a sign-in is over when the server has accepted it, so that the next command may call the server", async () => {
  await using issuer = await AuthorizationServer.start({ isStrict: true, tokenSeconds: 3600 });
  await using calendar = await ProtectedServer.start(issuer, { answer: answerMcp });
  const more = await withBrowser();
  await thv("run", "--name", "calendar", "--remote-auth-callback-port", "0", calendar.url.href);
  // It answers slowly: nothing of the workload has changed yet when its tokens are here.
  calendar.delayMs = 1_500;

  const signedIn = await runThv(["auth", "login", "calendar"], { home, env: more });
  const tools = await thv("mcp", "list", "tools", "--server", "calendar");

  expect(signedIn).toMatchObject({ code: 0, stdout: `Signed in at ${issuer.issuer} for calendar.\n` });
  expect(tools).toMatchObject({ code: 0, stdout: expect.stringContaining("list_events") });
});

test("a sign-in that the server refuses all the same fails, and says how to see what it asks for", async () => {
  await using issuer = await AuthorizationServer.start({ isStrict: true, tokenSeconds: 3600 });
  await using calendar = await ProtectedServer.start(issuer, { answer: answerMcp });
  const more = await withBrowser();
  await thv("run", "--name", "calendar", "--remote-auth-callback-port", "0", calendar.url.href);
  calendar.takesNothing = true;

  const signedIn = await runThv(["auth", "login", "calendar"], { home, env: more });

  expect(signedIn).toMatchObject({ code: 15, stdout: "" });
  expect(signedIn.stderr).toContain("The sign-in for calendar succeeded, but its server still refuses the calls.");
  expect(signedIn.stderr).toContain("thv auth status calendar");
});

test("a header from a secret reaches the server, and is in no file, log or argument", async () => {
  const secret = `MARK-${randomUUID()}`;
  const more = await withSecrets();
  const set = await runThv(["secret", "set", "key"], { home, env: more, input: secret });
  expect(set).toMatchObject({ code: 0 });

  const created = await runThv(["run", "--name", "web", "--remote-forward-headers-secret", "X-Key: key", remote.url], {
    home,
    env: more,
  });
  expect(created).toMatchObject({ code: 0 });

  expect(remote.headers.map((headers) => headers["x-key"])).toContain(secret);
  const { stdout: exported } = await thv("export", "web", "-");
  expect(exported).toContain('"X-Key": "key"');
  const { stdout: logs } = await thv("logs", "web");
  expect(exported + logs).not.toContain(secret);
  expect(await filesWith(secret, [home.path])).toEqual([]);
});
