import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ApiClient } from "../client.ts";
import { SOCKET_ROUTES } from "../contract/routes.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import { ALLOWED_ORIGIN, ServedWorld, SUPERVISOR, VERSION } from "../testing/served-world.ts";
import { ApiServer } from "./api-server.ts";

const BASE = "/api/v1beta";
const WAIT = { timeout: 20_000, interval: 10 };

let served: ServedWorld;
beforeAll(async () => {
  served = await ServedWorld.start();
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const post = (path: string, value?: unknown, headers = {}) =>
  served.send("POST", `${BASE}${path}`, { headers, body: value === undefined ? undefined : JSON.stringify(value) });

async function createRunning(name: string): Promise<void> {
  expect((await post("/workloads", { name, image: "mcp/echo:1" })).status).toBe(201);
  await vi.waitFor(() => expect(served.supervisor.describe(name).status).toBe("running"), WAIT);
}

/** A server that also writes to stderr. */
async function createTalking(name: string, talk: (writeErr: (line: string) => void) => void): Promise<void> {
  served.world.engine.images.set("mcp/talks:1", ({ stdin, writeErr, writeOut }) => {
    stdin.on("data", () => writeOut('{"jsonrpc":"2.0","id":1,"result":{}}'));
    talk(writeErr);
  });
  expect((await post("/workloads", { name, image: "mcp/talks:1" })).status).toBe(201);
  await vi.waitFor(() => expect(served.supervisor.describe(name).status).toBe("running"), WAIT);
}

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

  test("labels are set on the container and shown again; without any there is no member", async () => {
    const labels = { team: "maps", "example.org/tier": "" };
    await post("/workloads", { name: "with-labels", image: "mcp/echo:1", labels });
    await createRunning("without-labels");
    await vi.waitFor(() => expect(served.supervisor.describe("with-labels").status).toBe("running"), WAIT);

    const one = JSON.parse((await served.send("GET", `${BASE}/workloads/with-labels`)).body);
    const all = JSON.parse((await served.send("GET", `${BASE}/workloads`)).body).workloads as { name: string }[];

    expect(one.labels).toEqual(labels);
    expect(all.find(({ name }) => name === "with-labels")).toEqual(one);
    expect(all.find(({ name }) => name === "without-labels")).not.toHaveProperty("labels");
    expect(served.world.engine.find("with-labels")?.spec.labels).toMatchObject({ ...labels, toolhive: "true" });
    await (await served.supervisor.delete("with-labels")).done;
    await (await served.supervisor.delete("without-labels")).done;
  });

  test("a create with a label that is none or is ours is refused, and names it", async () => {
    const labels = { "toolhive-name": "other", "no spaces": "x" };

    const { status, body } = await post("/workloads", { name: "badly-labelled", image: "mcp/echo:1", labels });

    expect(status).toBe(400);
    expect(body).toMatch(/^Failed to create run config: label "toolhive-name" is reserved.*; label "no spaces" /);
    expect(served.supervisor.list().map(({ name }) => name)).not.toContain("badly-labelled");
  });

  test("labels that are not texts cannot be decoded", async () => {
    const { status, body } = await post("/workloads", { image: "mcp/echo:1", labels: { team: 7 } });

    expect([status, body]).toEqual([400, "Failed to decode request\nlabels.team is a number but must be a string\n"]);
  });

  test("a create with an unknown transport is refused as a run configuration", async () => {
    const { status, body } = await post("/workloads", { image: "mcp/echo:1", transport: "carrier-pigeon" });

    expect(status).toBe(400);
    expect(body).toMatch(/^Failed to create run config: transport "carrier-pigeon"/);
  });

  test.each([
    ["/clients/cursor", ["DELETE"]],
    ["/clients/plan", ["POST"]],
    ["/workloads/cursor", ["DELETE", "GET"]],
    ["/workloads/upgrade-check", ["GET"]],
  ])("the allowed methods of %s are those that the document has there", async (path, allowed) => {
    const { headers } = await served.send("PATCH", `${BASE}${path}`);

    expect(headers.allow?.split(", ").sort()).toEqual(allowed);
  });

  test("a body that is null is no body where every member may be missing", async () => {
    await post("/groups", { name: "nothing" });

    expect(await served.send("PUT", `${BASE}/groups/nothing/tools`, { body: "null" })).toMatchObject({
      status: 400,
      body: "Invalid request body\n",
    });
  });

  test("a method that a path does not have is 405 with an empty body and the allowed ones", async () => {
    const { status, headers, body } = await served.send("PATCH", `${BASE}/workloads`);

    expect([status, body]).toEqual([405, ""]);
    expect(headers.allow?.split(", ").sort()).toEqual(["GET", "POST"]);
    expect((await served.send("HEAD", `${BASE}/version`)).status).toBe(405);
  });

  test("only the exact value true lists what does not run", async () => {
    await createRunning("list-running");
    await createRunning("list-stopped");
    await (await served.supervisor.stop("list-stopped")).done;
    const names = async (query: string) =>
      JSON.parse((await served.send("GET", `${BASE}/workloads${query}`)).body).workloads.map(
        ({ name }: { name: string }) => name,
      );

    expect(await names("?all=true")).toEqual(expect.arrayContaining(["list-running", "list-stopped"]));
    for (const query of ["", "?all=1", "?all=TRUE", "?all=", "?other=true"]) {
      expect(await names(query)).not.toContain("list-stopped");
    }
  });

  test.each([
    ["/api/v1beta/workloads/", 200],
    ["/api/v1beta/version/", 200],
    ["/health/", 204],
    ["/api/v1beta/workloads/nope/", 404],
    ["/api/v1beta", 404],
    ["/api/v1beta/nothing", 404],
    ["/", 404],
  ])("GET %s answers %i", async (path, status) => {
    const answer = await served.send("GET", path);

    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.body).toBe("404 page not found\n");
  });
});

describe("bodies", () => {
  test.each(["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"])(
    "of the type %s are read with member names in any case and null for absent",
    async (type) => {
      const name = `any-case-${type.length}-${type.includes("UTF") ? "upper" : "lower"}`;
      const body = `{"Image":"mcp/echo:1","NAME":"${name}","host":null,"ENV_VARS":["A=1"],"unknown":{"x":1}}`;

      const answer = await served.send("POST", `${BASE}/workloads`, { headers: { "Content-Type": type }, body });

      expect([answer.status, JSON.parse(answer.body).name]).toEqual([201, name]);
    },
  );

  test("are read in slow pieces", async () => {
    const body = JSON.stringify({ image: "mcp/echo:1", name: "in-pieces" });
    const sent = request({
      host: "127.0.0.1",
      port: served.port,
      method: "POST",
      path: `${BASE}/workloads`,
      headers: { "content-type": "application/json" },
      agent: false,
    });
    sent.flushHeaders();

    for (const character of body) {
      await new Promise<void>((resolve) => sent.write(character, () => resolve()));
    }
    sent.end();
    const [response] = await once(sent, "response");
    response.resume();

    expect(response.statusCode).toBe(201);
  });

  test("of more than a mebibyte are refused with 413, and the server goes on", async () => {
    const { status, body } = await served.send("POST", `${BASE}/workloads`, {
      body: Buffer.alloc(1024 * 1024 + 1, "x"),
    });

    expect([status, body]).toEqual([413, "Request body is too large (at most 1048576 bytes)\n"]);
    expect((await served.send("GET", `${BASE}/version`)).status).toBe(200);
  });

  test("of a client that hangs up in their middle create nothing and are no bug", async () => {
    const socket = connect(served.port, "127.0.0.1");
    await once(socket, "connect");
    const head = `POST ${BASE}/workloads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n`;
    await new Promise<void>((resolve) => socket.write(`${head}{"image":"mcp/echo:1",`, () => resolve()));
    const before = served.supervisor.list().length;

    socket.destroy();

    expect((await served.send("GET", `${BASE}/version`)).status).toBe(200);
    expect(served.supervisor.list()).toHaveLength(before);
    expect(served.bugs).toEqual([]);
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

describe("the life of a workload over HTTP", () => {
  test("is accepted at once and done soon after", async () => {
    await createRunning("life");

    const stopped = await post("/workloads/life/stop");
    expect([stopped.status, stopped.body, stopped.headers["content-type"]]).toEqual([202, "", "application/json"]);
    await vi.waitFor(() => expect(served.supervisor.describe("life").status).toBe("stopped"), WAIT);
    expect((await post("/workloads/life/restart")).status).toBe(202);
    await vi.waitFor(() => expect(served.supervisor.describe("life").status).toBe("running"), WAIT);
    const { body } = await served.send("GET", `${BASE}/workloads/life`);
    expect(JSON.parse(body)).toMatchObject({
      name: "life",
      package: "mcp/echo:1",
      tool_type: "mcp",
      transport_type: "stdio",
      status: "running",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect((await served.send("DELETE", `${BASE}/workloads/life`)).status).toBe(202);
    await vi.waitFor(async () => expect((await served.send("GET", `${BASE}/workloads/life`)).status).toBe(404), WAIT);
  });

  test("with the words stop, restart and delete as names works like any other", async () => {
    for (const name of ["stop", "restart", "delete"]) {
      expect((await served.send("GET", `${BASE}/workloads/${name}`)).body).toBe("Workload not found\n");
    }
  });
});

describe("logs", () => {
  test("are the last 100 lines as plain text", async () => {
    await createTalking("logs", (writeErr) => {
      for (let line = 1; line <= 150; line += 1) writeErr(`line ${line}`);
    });

    const { headers, body } = await served.send("GET", `${BASE}/workloads/logs/logs`);

    const lines = body.split("\n");
    expect(headers["content-type"]).toBe("text/plain");
    expect([lines.length, lines[0], lines[99], lines[100]]).toEqual([101, "line 51", "line 150", ""]);
  });

  test("that are followed come as they are written, until the reader leaves", async () => {
    let write: (line: string) => void = () => undefined;
    await createTalking("talks", (writeErr) => {
      write = writeErr;
    });
    const client = new ApiClient({ host: "127.0.0.1", port: served.port });
    const leave = new AbortController();

    const stream = await client.open("getWorkloadLogs", {
      params: { name: "talks" },
      query: { follow: "true" },
      signal: leave.signal,
    });
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    stream.on("error", () => undefined);
    write("one");
    await vi.waitFor(() => expect(text).toBe("one\n"), WAIT);
    write("two");
    await vi.waitFor(() => expect(text).toBe("one\ntwo\n"), WAIT);
    leave.abort();

    await vi.waitFor(() => expect(stream.destroyed).toBe(true), WAIT);
    expect(served.bugs).toEqual([]);
  });

  test("that are followed end when the server is stopped, with all that it wrote", async () => {
    let write: (line: string) => void = () => undefined;
    await createTalking("ends", (writeErr) => {
      write = writeErr;
    });
    const client = new ApiClient({ host: "127.0.0.1", port: served.port });
    const stream = await client.open("getWorkloadLogs", { params: { name: "ends" }, query: { follow: "true" } });
    write("one");

    const stopping = post("/workloads/ends/stop", {});
    let text = "";
    for await (const chunk of stream) text += chunk;
    await stopping;

    expect(text).toBe("one\n");
  });

  test.each([
    ["tail=3", ["line 148", "line 149", "line 150"]],
    ["tail=0", []],
    ["tail=all", Array.from({ length: 150 }, (_, index) => `line ${index + 1}`)],
    ["since=1h", Array.from({ length: 150 }, (_, index) => `line ${index + 1}`)],
    ["since=1h&tail=1", ["line 150"]],
    ["since=2100-01-01T00:00:00Z", []],
    ["tail=1&timestamps=true", [expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z line 150$/)]],
  ])("with %s are those lines", async (query, expected) => {
    const name = `many-${randomUUID()}`;
    await createTalking(name, (writeErr) => {
      for (let line = 1; line <= 150; line += 1) writeErr(`line ${line}`);
    });

    const { status, body } = await served.send("GET", `${BASE}/workloads/${name}/logs?${query}`);

    expect(status).toBe(200);
    expect(body.split("\n").slice(0, -1)).toEqual(expected);
  });

  test.each([
    "tail=-1",
    "tail=1.5",
    "tail=1000001",
    "tail=",
    "since=yesterday",
    "since=-5m",
    `since=${"1".repeat(200)}s`,
  ])("with %s are refused, with what is accepted", async (query) => {
    const { status, body } = await served.send("GET", `${BASE}/workloads/asked/logs?${query}`);

    expect(status).toBe(400);
    expect(body).toMatch(/^Invalid selection of lines: (tail|since) is ".*" but must be /);
  });
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

describe("closing", () => {
  test("lets a request in flight end, and takes no new one", async () => {
    await using other = await ServedWorld.start();
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isHeld = false;
    other.world.engine.interfere("ping", async (proceed) => {
      isHeld = true;
      await held;
      return await proceed();
    });
    const health = other.send("GET", "/health");
    await vi.waitFor(() => expect(isHeld).toBe(true), WAIT);

    const closing = other.server.close();
    await expect(other.send("GET", "/health")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    letGo();

    expect((await health).status).toBe(204);
    await closing;
  });
});
