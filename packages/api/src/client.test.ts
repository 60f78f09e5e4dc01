import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { listen } from "@toolhive/http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ApiClient } from "./client.ts";
import { ServedWorld, VERSION } from "./testing/served-world.ts";

const WAIT = { timeout: 20_000, interval: 10 };

async function serverThat(listener: RequestListener): Promise<{ server: Server; client: ApiClient }> {
  const server = createServer(listener);
  const port = await listen(server);
  return { server, client: new ApiClient({ host: "127.0.0.1", port }) };
}

describe("client and server", () => {
  let served: ServedWorld;
  let client: ApiClient;
  beforeAll(async () => {
    served = await ServedWorld.start();
    client = new ApiClient({ host: "127.0.0.1", port: served.port });
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
  });

  test("go through the life of a workload", async () => {
    const params = { name: "round-trip" };
    const created = await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "round-trip" } });
    expect(created).toEqual({ name: "round-trip", port: expect.any(Number) });
    await vi.waitFor(async () => {
      expect(await client.call("getWorkload", { params })).toMatchObject({ status: "running", port: created.port });
    }, WAIT);

    const { workloads } = await client.call("listWorkloads", { query: { all: "true" } });
    expect(workloads.map(({ name }) => name)).toContain("round-trip");
    expect(await client.call("getWorkloadLogs", { params })).toBe("echo: ready\n");
    expect(await client.call("stopWorkload", { params })).toBe("");
    expect(await client.call("restartWorkload", { params })).toBe("");
    expect(await client.call("deleteWorkload", { params })).toBe("");

    await vi.waitFor(async () => {
      await expect(client.call("getWorkload", { params })).rejects.toMatchObject({ code: "WORKLOAD_NOT_FOUND" });
    }, WAIT);
  });

  test("agree on version and health", async () => {
    expect(await client.call("getVersion")).toEqual({ version: VERSION });
    expect(await client.call("getHealth")).toBe("");
  });

  test("carry an error over with its code, message and hint", async () => {
    await expect(client.call("stopWorkload", { params: { name: "nope" } })).rejects.toMatchObject({
      name: "ThvError",
      code: "WORKLOAD_NOT_FOUND",
      message: 'There is no server "nope".',
      hint: "See all servers: thv list --all",
    });
  });

  test.each(["a/b", "a b", "a?b", "a#b", "a%2Fb", "..", "ü"])("carry the odd name %j over as it is", async (name) => {
    await expect(client.call("getWorkload", { params: { name } })).rejects.toMatchObject({
      code: "INVALID_WORKLOAD_NAME",
    });
  });
});

describe("the client", () => {
  test("reports that no supervisor answers, and what to do", async () => {
    const { server, client } = await serverThat(() => undefined);
    await new Promise((resolve) => server.close(resolve));

    await expect(client.call("getVersion")).rejects.toMatchObject({
      code: "SUPERVISOR_UNREACHABLE",
      message: "The supervisor does not answer (ECONNREFUSED).",
      hint: "Start it: thv serve",
    });
    await expect(new ApiClient({ socketPath: "/nonexistent/thv.sock" }).call("getVersion")).rejects.toMatchObject({
      code: "SUPERVISOR_UNREACHABLE",
    });
  });

  test.each([
    ["before its answer", (socket: { destroy(): void }) => socket.destroy()],
    [
      "in the middle of its answer",
      (socket: { destroy(): void }, response: { write(text: string, done: () => void): void }) =>
        response.write('{"version":', () => socket.destroy()),
    ],
  ])("says so when the supervisor is killed %s", async (_when, kill) => {
    const { server, client } = await serverThat((request, response) => void kill(request.socket, response));
    try {
      await expect(client.call("getVersion")).rejects.toMatchObject({ code: "SUPERVISOR_UNREACHABLE" });
    } finally {
      server.close();
    }
  });

  test.each([
    ["text", "Host is not this server\n", /answered 403: Host is not this server/],
    ["a problem with a code of a newer version", '{"code":"FROM_THE_FUTURE","detail":"new","hint":"h"}', /new/],
    ["JSON that is no problem", '{"error":"Forbidden"}', /answered 403/],
    ["null", "null", /answered 403/],
  ])("turns a refusal that is %s into an error with an exit code", async (_what, body, message) => {
    const { server, client } = await serverThat((_request, response) => void response.writeHead(403).end(body));
    try {
      await expect(client.call("getVersion")).rejects.toMatchObject({
        code: "INTERNAL",
        exitCode: 70,
        message: expect.stringMatching(message),
      });
    } finally {
      server.close();
    }
  });

  test("says of a supervisor of an earlier version that it does not know the call", async () => {
    const { server, client } = await serverThat((_request, response) => {
      response.writeHead(404).end('{"code":"INVALID_ARGUMENT","detail":"Nothing is at /supervisor/workloads."}');
    });
    try {
      await expect(client.stream("watchWorkloads").next()).rejects.toMatchObject({
        code: "NOT_SUPPORTED",
        message: "The supervisor that runs is of an earlier version, which cannot do this.",
        hint: "End thv serve where it runs, and start it again.",
      });
    } finally {
      server.close();
    }
  });

  test("gives up with its signal's own reason", async () => {
    const { server, client } = await serverThat(() => undefined);
    try {
      const leave = new AbortController();
      const calling = client.call("getVersion", { signal: leave.signal });
      leave.abort();

      await expect(calling).rejects.toMatchObject({ name: "AbortError" });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("the news of a workload", () => {
  test("come line by line until it is gone, and end with the reader or with the supervisor", async () => {
    await using served = await ServedWorld.start();
    const socketPath = join(served.home, "thv.sock");
    await served.server.listenOnSocket(socketPath);
    const client = new ApiClient({ socketPath });
    const body = { image: "mcp/echo:1", name: "watched" };
    const statuses: (string | undefined)[] = [];

    await client.call("createWorkload", { body });
    for await (const { workloads } of client.stream("watchWorkloads", { query: { name: "watched" } })) {
      const [workload] = workloads;
      if (workload?.status !== statuses.at(-1)) statuses.push(workload?.status);
      if (workload?.status === "running") await client.call("deleteWorkload", { params: { name: "watched" } });
      if (workload === undefined) break;
    }
    await vi.waitFor(() => expect(served.server.openRequests).toBe(0), WAIT);
    const lines = client.stream("watchWorkloads");
    const first = await lines.next();
    const next = lines.next();
    await served.supervisor.close({ keepContainers: false });

    expect(statuses.slice(statuses.indexOf("running"))).toEqual(["running", "removing", undefined]);
    expect(first).toEqual({ done: false, value: { workloads: [] } });
    expect((await next).done).toBe(true);
    expect(served.bugs).toEqual([]);
  });
});
