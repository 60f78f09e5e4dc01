import { randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiClient } from "../client.ts";
import { SOCKET_ROUTES } from "../contract/routes.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import { BASE, createRunning, post, served, startServer, stopServer } from "../testing/served-workloads.ts";
import { ALLOWED_ORIGIN, ServedWorld, SUPERVISOR, VERSION } from "../testing/served-world.ts";
import { ApiServer } from "./api-server.ts";

beforeAll(startServer);
afterAll(stopServer);

describe("conformance with the reference (api-behaviour 13)", () => {
  test("health is 204 without a body while the engine answers, and 503 in plain text while it does not", async () => {
    await using other = await ServedWorld.start();

    const up = await other.send("GET", "/health");
    other.world.engine.goDown();
    const down = await other.send("GET", "/health");

    expect([up.status, up.body, up.headers["content-type"]]).toEqual([204, "", undefined]);
    expect(down.status).toBe(503);
    expect(down.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(down.body).toMatch(/^failed to ping container engine: .*\n$/);
  });

  test.each([
    ["/version", {}, "application/json"],
    ["/workloads", {}, "application/json"],
    ["/nothing", { accept: "application/problem+json" }, "application/problem+json"],
  ])("JSON at %s is sent without a charset (%j)", async (path, headers, type) => {
    const answer = await served.send("GET", `${BASE}${path}`, { headers });

    expect(answer.headers["content-type"]).toBe(type);
  });

  test("the version is a JSON object on one line", async () => {
    const { status, headers, body } = await served.send("GET", `${BASE}/version`);

    expect([status, headers["content-type"], body]).toEqual([200, "application/json", `{"version":"${VERSION}"}\n`]);
  });

  test.each([
    ["GET", "/workloads/nope", 404, "Workload not found\n"],
    ["DELETE", "/workloads/nope", 404, "Workload not found\n"],
    ["POST", "/workloads/nope/stop", 404, "Workload not found\n"],
    ["POST", "/workloads/nope/restart", 404, "Workload not found\n"],
    ["GET", "/workloads/nope/logs", 404, "Workload not found\n"],
    [
      "GET",
      "/workloads/a$b",
      400,
      "Invalid workload name: invalid workload name: workload name contains potentially dangerous characters\n",
    ],
    [
      "GET",
      "/workloads/..x",
      400,
      "Invalid workload name: invalid workload name: workload name contains path traversal\n",
    ],
    [
      "GET",
      "/workloads/%2Fetc",
      400,
      "Invalid workload name: invalid workload name: workload name contains path traversal\n",
    ],
    [
      "GET",
      "/workloads/a%00b",
      400,
      "Invalid workload name: invalid workload name: workload name contains null bytes\n",
    ],
  ])("%s %s answers %i in plain text", async (method, path, status, body) => {
    const answer = await served.send(method, `${BASE}${path}`);

    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });

  test("a name that is too long is a bad name, not an unknown route", async () => {
    const { status, body } = await served.send("GET", `${BASE}/workloads/${"a".repeat(101)}`);

    expect([status, body]).toEqual([
      400,
      "Invalid workload name: invalid workload name: workload name too long (max 100 characters)\n",
    ]);
  });

  test.each([["[]"], ['"text"'], ["7"], [""], ["{"]])("a create with the body %j cannot be decoded", async (body) => {
    const answer = await served.send("POST", `${BASE}/workloads`, { body });

    expect([answer.status, answer.body]).toEqual([400, "Failed to decode request\n"]);
  });

  test.each([
    ["{}", 'the body is missing "image"'],
    ["null", 'the body is missing "image"'],
    ['{"image":7}', "image is a number but must be a string"],
    ['{"image":"x","Env_Vars":"A=1"}', "Env_Vars is a string but must be a list"],
    ['{"image":"x","limits":{"cpus":-1}}', "limits.cpus is -1 but must be at least 0"],
    [
      '{"image":"x","permission_profile":{"network":{"outbound":{"allow_hosts":["a"]}}}}',
      'permission_profile.network.outbound has the unknown member "allow_hosts" (did you mean "allow_host"?)',
    ],
    [
      '{"image":"x","permission_profile":{"network":{"outbound":{"allow_host":["https://x.com/path"]}}}}',
      'permission_profile.network.outbound.allow_host[0] is "https://x.com/path" but must be a host without scheme, port and path: api.example.com, .example.com, *.example.com or 192.0.2.1',
    ],
    ['{"image":"x","env_var":["A=1"]}', 'the body has the unknown member "env_var" (did you mean "env_vars"?)'],
    ['{"image":"x","env":["A=1"]}', 'the body has the unknown member "env" (did you mean "env_vars"?)'],
    ['{"image":"x","envVars":["A=1"]}', 'the body has the unknown member "envVars" (did you mean "env_vars"?)'],
  ])("a create with the body %s says below the known text what is wrong", async (body, problem) => {
    const answer = await served.send("POST", `${BASE}/workloads`, { body });

    expect([answer.status, answer.body]).toEqual([400, `Failed to decode request\n${problem}\n`]);
  });

  test("a create is answered with all of its problems together, in plain text and in the problem document", async () => {
    const body = {
      Name: "x y",
      image: "mcp/memory",
      proxy_port: 99999,
      transport: "foo",
      env_vars: ["A"],
      env_var: [],
    };
    const problems = [
      'the body has the unknown member "env_var" (did you mean "env_vars"?)',
      "proxy_port is 99999 but must be at most 65535",
      'transport "foo" is not one of stdio, sse, streamable-http, inspector',
      'name "x y": workload name can only contain alphanumeric characters, dots, hyphens, and underscores',
      'environment variable "A" is not KEY=VALUE',
    ];
    const plain = await served.send("POST", `${BASE}/workloads`, { body: JSON.stringify(body) });
    const problem = await served.send("POST", `${BASE}/workloads`, {
      body: JSON.stringify(body),
      headers: { accept: "application/json" },
    });
    const sound = { ...body, proxy_port: 0, env_var: null };
    const semantic = await served.send("POST", `${BASE}/workloads`, { body: JSON.stringify(sound) });

    expect(plain.body.trimEnd().split("\n")).toEqual(["Failed to decode request", ...problems]);
    const pointers = ["/env_var", "/proxy_port", "/transport", "/Name", "/env_vars/0"];
    expect(JSON.parse(problem.body)).toMatchObject({ detail: problems.join("; "), problems, pointers });
    expect([semantic.status, semantic.body]).toEqual([
      400,
      `Failed to create run config: ${problems.slice(2).join("; ")}\n`,
    ]);
    const located = await served.send("POST", `${BASE}/workloads`, {
      body: JSON.stringify(sound),
      headers: { accept: "application/json" },
    });
    expect(JSON.parse(located.body)).toMatchObject({
      problems: problems.slice(2),
      pointers: ["/transport", "/name", "/env_vars/0"],
    });
  });

  test("members that a newer desktop application or the reference sends are ignored, as by the reference", async () => {
    const later = ["headers", "remote_auth"];
    const others = ["registry", "trust_proxy_headers", "endpoint_prefix", "runtime_config", "stateless", "bogus"];
    const members = Object.fromEntries([...later, ...others].map((name) => [name, "x"]));
    const { status } = await post("/workloads", { name: "later-members", image: "mcp/echo:1", ...members });

    expect(status).toBe(201);
  });

  test("a member of the reference that is not possible here is refused, and nothing is created", async () => {
    const members = { permission_profile: { privileged: true }, oidc: { client_secret: "x" } };
    const { status, body } = await post("/workloads", { name: "not-possible", image: "mcp/echo:1", ...members });

    expect([status, body]).toEqual([
      400,
      expect.stringMatching(/^Failed to decode request\noidc\.client_secret .*\npermission_profile\.privileged /),
    ]);
    expect(served.supervisor.list().map(({ name }) => name)).not.toContain("not-possible");
  });
});

describe("errors", () => {
  test.each(["application/json", "application/problem+json", "text/html, application/json;q=0.9"])(
    "are RFC 9457 problems for a caller that accepts %s",
    async (accept) => {
      const { status, headers, body } = await served.send("GET", `${BASE}/workloads/nope`, {
        headers: { Accept: accept },
      });

      expect([status, headers["content-type"]]).toEqual([404, expect.stringMatching(/^application\/problem\+json/)]);
      expect(JSON.parse(body)).toEqual({
        type: "/toolhive/reference/errors/workload-not-found",
        title: "Workload not found",
        status: 404,
        detail: 'There is no server "nope".',
        code: "WORKLOAD_NOT_FOUND",
        hint: "See all servers: thv list --all",
        docs: "/toolhive/reference/errors/workload-not-found",
      });
    },
  );

  test.each(["*/*", "text/plain", "text/html"])("are plain text for a caller that accepts %s", async (accept) => {
    const { headers } = await served.send("GET", `${BASE}/workloads/nope`, { headers: { Accept: accept } });

    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  test("of a taken name are 409", async () => {
    await createRunning("taken");

    const { status, body } = await post("/workloads", { name: "taken", image: "mcp/echo:1" });

    expect([status, body]).toEqual([409, "Workload already exists\n"]);
  });

  test("of a missing image are 404, and no workload remains", async () => {
    const { status, body } = await post("/workloads", { name: "no-image", image: "no/such:1" });

    expect([status, body]).toEqual([404, "MCP server image not found\n"]);
    expect((await served.send("GET", `${BASE}/workloads/no-image`)).status).toBe(404);
  });

  test("of a missing secret are 404 and name it, and no workload remains", async () => {
    const secrets = [{ name: "nope", target: "TOKEN" }];

    const { status, body } = await post("/workloads", { name: "no-secret", image: "mcp/echo:1", secrets });

    expect([status, body]).toEqual([
      404,
      'Failed to create run config: secret "nope": There is no secret named "nope".\n',
    ]);
    expect((await served.send("GET", `${BASE}/workloads/no-secret`)).status).toBe(404);
  });

  test.each(["%", "%zz", "%c3%28", "%ff"])(
    "of a path with the bad escape %s are 400 or 404, never 500",
    async (badEscape) => {
      const { status } = await served.send("GET", `${BASE}/workloads/${badEscape}`);

      expect([400, 404]).toContain(status);
      expect(served.bugs).toEqual([]);
    },
  );
});

describe("web pages", () => {
  test.each([
    ...["127.0.0.1", "127.0.0.2:8080", "localhost", "LOCALHOST:8080", "[::1]:8080", "[::ffff:127.0.0.1]"],
    ...["thv.test", "THV.test:80"],
  ])("a request to the host %s passes", async (host) => {
    expect((await served.send("GET", `${BASE}/version`, { headers: { Host: host } })).status).toBe(200);
  });

  test.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:8080",
    "evil.example:localhost",
    "0.0.0.0",
  ])("a request whose name for this server is %j, as after DNS rebinding, is refused", async (host) => {
    const { status, headers, body } = await served.send("GET", `${BASE}/workloads`, { headers: { Host: host } });

    expect(status).toBe(403);
    expect(headers).toMatchObject({ "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
    expect(body).not.toContain("workloads");
  });

  test.each([
    "https://evil.example",
    "null",
    "http://localhost:3001",
    "http://127.0.0.1",
    `${ALLOWED_ORIGIN}.evil.example`,
  ])("a page of the origin %s is refused, also before its request", async (origin) => {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
      const { status, headers } = await served.send(method, `${BASE}/workloads`, { headers: { Origin: origin } });

      expect(status).toBe(403);
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("a page of an allowed origin may use the API, and its preflight says so", async () => {
    const headers = { Origin: ALLOWED_ORIGIN };

    const preflight = await served.send("OPTIONS", `${BASE}/workloads`, { headers });
    const answer = await served.send("GET", `${BASE}/workloads`, { headers });

    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": ALLOWED_ORIGIN,
      "access-control-allow-methods": expect.stringContaining("DELETE"),
      vary: "Origin",
    });
    expect(answer.headers).toMatchObject({ "access-control-allow-origin": ALLOWED_ORIGIN, vary: "Origin" });
  });
});

describe("the private socket", () => {
  test.runIf(process.platform === "linux").each(["listenOnSocket", "listenOnPath"] as const)(
    "%s needs no file on Windows, where a pipe has no mode (Linux only, whose abstract sockets are no files either)",
    async (listenOn) => {
      const socketPath = `\0toolhive-${randomUUID()}`;
      const server = new ApiServer({ handlers: served.handlers, onBug: () => undefined, platform: "win32" });
      try {
        await server[listenOn](socketPath);

        expect(await new ApiClient({ socketPath }).call("getVersion")).toEqual({ version: VERSION });
      } finally {
        await server.close();
      }
    },
  );

  test("belongs to the user alone, and serves the API and what the command line alone may ask", async () => {
    const directory = await mkdtemp(join(tmpdir(), "thv-api-"));
    await using other = await ServedWorld.start();
    try {
      const socketPath = join(directory, "thv.sock");
      await other.server.listenOnSocket(socketPath);
      const client = new ApiClient({ socketPath });

      expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
      expect(await client.call("getVersion")).toEqual({ version: VERSION });
      expect(await client.call("getSupervisor")).toEqual(SUPERVISOR);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test.each(Object.values(SOCKET_ROUTES))(
    "alone serves $method $path: on the port it is 404, and no document has it",
    async ({ method, path }) => {
      expect(await served.send(method, path, { body: method === "POST" ? "{}" : undefined })).toMatchObject({
        status: 404,
        body: "404 page not found\n",
      });
      expect(JSON.stringify(openApiDocument(VERSION))).not.toContain(path);
    },
  );
});

describe("listening", () => {
  test("on a port that is taken is refused with its number", async () => {
    const guard = { hosts: [], origins: [] };

    await expect(served.server.listenOnPort("127.0.0.1", served.port, guard)).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: `Port ${served.port} on 127.0.0.1 is in use.`,
    });
  });

  test("on an address of another machine is refused", async () => {
    await expect(served.server.listenOnPort("192.0.2.1", 0, { hosts: [], origins: [] })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });
});
