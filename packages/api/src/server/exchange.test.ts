/** Bodies, logs and the life of a workload, over HTTP. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ApiClient } from "../client.ts";
import { BASE, createRunning, post, served, startServer, stopServer, WAIT } from "../testing/served-workloads.ts";
import { ServedWorld } from "../testing/served-world.ts";

beforeAll(startServer);
afterAll(stopServer);

/** A server that also writes to stderr. */
async function createTalking(name: string, talk: (writeErr: (line: string) => void) => void): Promise<void> {
  served.world.engine.images.set("mcp/talks:1", ({ stdin, writeErr, writeOut }) => {
    stdin.on("data", () => writeOut('{"jsonrpc":"2.0","id":1,"result":{}}'));
    talk(writeErr);
  });
  expect((await post("/workloads", { name, image: "mcp/talks:1" })).status).toBe(201);
  await vi.waitFor(() => expect(served.supervisor.describe(name).status).toBe("running"), WAIT);
}

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
