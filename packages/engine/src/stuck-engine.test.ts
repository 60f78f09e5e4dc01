/** An engine whose socket accepts and then says nothing, or stops in the middle: every call ends, and says why. */
import { createLogFileOpener, PinFiles, RunConfigStore, WorkloadSupervisor } from "@toolhive/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DockerEngine } from "./docker-engine.ts";
import { FakeDaemon } from "./testing/fake-daemon.ts";

const ID = "a".repeat(64);
const DEADLINES = { answerMs: 100, workMs: 150 };
const STUCK = { code: "ENGINE_UNREACHABLE", hint: expect.stringContaining("Restart it") };
const SPEC = {
  name: "echo",
  image: "mcp/echo:1",
  args: [],
  env: {},
  labels: {},
  stdio: true,
  limits: { memoryBytes: 0, cpus: 0, pids: 0 },
  readOnlyRoot: false,
};

let daemon: FakeDaemon;
let engine: DockerEngine;

beforeEach(async () => {
  daemon = await FakeDaemon.start();
  // A machine with much to do may need longer for the first answer than these deadlines allow.
  engine = await vi.waitFor(() => DockerEngine.connect(daemon.address, { deadlines: DEADLINES }), { timeout: 20_000 });
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
});

const ROUTES = [
  "GET /_ping",
  "GET /info",
  "GET /images/mcp%2Fecho%3A1/json",
  "POST /images/create",
  "POST /build",
  "DELETE /images/mcp%2Fecho%3A1",
  "POST /containers/create",
  `POST /containers/${ID}/start`,
  `POST /containers/${ID}/stop`,
  `POST /containers/${ID}/attach`,
  `DELETE /containers/${ID}`,
  `GET /containers/${ID}/json`,
  "GET /containers/echo/json",
  `GET /containers/${ID}/logs`,
  "GET /containers/json",
];

async function* noBytes(): AsyncGenerator<Uint8Array> {}

const CALLS: readonly (readonly [name: string, call: () => Promise<unknown>])[] = [
  ["ping", () => engine.ping()],
  ["hasImage", () => engine.hasImage("mcp/echo:1")],
  ["pullImage", () => engine.pullImage("mcp/echo:1")],
  ["buildImage", () => engine.buildImage("mcp/echo:1", noBytes)],
  ["removeImage", () => engine.removeImage("mcp/echo:1")],
  ["createContainer", () => engine.createContainer(SPEC)],
  ["startContainer", () => engine.startContainer(ID)],
  ["stopContainer", () => engine.stopContainer(ID, { graceSeconds: 0 })],
  ["removeContainer", () => engine.removeContainer(ID)],
  ["findContainer", () => engine.findContainer(ID)],
  ["listContainers", () => engine.listContainers({ a: "b" })],
  ["attach", () => engine.attach(ID)],
  ["readLogs", () => engine.readLogs(ID, { tail: 10 })],
];

describe("an engine that accepts and never answers", () => {
  test.each(CALLS)("ends %s with ENGINE_UNREACHABLE and a hint", async (_name, call) => {
    for (const route of ROUTES) daemon.answer(route, () => undefined);

    await expect(call()).rejects.toMatchObject(STUCK);
  });

  test("does not keep a supervisor from answering, and fails a create with the reason", async () => {
    for (const route of ROUTES) daemon.answer(route, () => undefined);
    daemon.answer("GET /events", () => undefined);
    const quiet = () => undefined;
    const supervisor = new WorkloadSupervisor({
      discoverEngine: async () => engine,
      openEndpoint: () => Promise.reject(new Error("never opened")),
      runConfigs: new RunConfigStore(daemon.directory),
      toolPins: new PinFiles(daemon.directory),
      openLogFile: createLogFileOpener(daemon.directory),
      resolveSecrets: async () => ({}),
      trustRoots: { cacheDirectory: daemon.directory },
      instanceId: "0b54cd9e-6a5c-4c5e-9f07-5a2e9c3f4d10",
      log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    });
    await supervisor.load();

    const creating = supervisor.create({ image: "mcp/echo:1", name: "echo" });

    expect(supervisor.list()).toEqual([]);
    await expect(creating).rejects.toMatchObject(STUCK);
    expect(supervisor.list()).toEqual([]);
    await supervisor.close({ keepContainers: true });
  });
});

describe("an engine that stops in the middle of an answer", () => {
  test.each([
    ["listContainers", "GET /containers/json", () => engine.listContainers({ a: "b" })],
    ["pullImage", "POST /images/create", () => engine.pullImage("mcp/echo:1")],
    ["readLogs", `GET /containers/${ID}/logs`, () => engine.readLogs(ID, { tail: 10 })],
  ] as const)("ends %s", async (_name, route, call) => {
    daemon.answer(route, (_request, response) => {
      response.writeHead(200).write("[");
    });

    await expect(call()).rejects.toMatchObject(STUCK);
  });
});

describe("what may be silent", () => {
  test("is waited for: events and followed logs end with their signal only", async () => {
    const leave = new AbortController();
    daemon.answer("GET /events", () => undefined);
    daemon.answer(`GET /containers/${ID}/logs`, (request, response) => {
      response.writeHead(200).flushHeaders();
      // The answer holds at once what is there already.
      if (request.url?.includes("follow=false")) response.end();
    });
    const ended: string[] = [];
    const drain = async (name: string, items: AsyncIterable<unknown>) => {
      for await (const _ of items) ended.push(`${name} told something`);
      ended.push(name);
    };
    const all = Promise.all([
      drain("events", engine.watchEvents({}, { since: new Date(), signal: leave.signal })),
      drain("logs", engine.followLogs(ID, { tail: 1, signal: leave.signal })),
    ]);
    // Two other calls run into their deadlines meanwhile.
    daemon.answer("GET /_ping", () => undefined);
    await expect(engine.ping()).rejects.toMatchObject(STUCK);
    await expect(engine.ping()).rejects.toMatchObject(STUCK);

    expect(ended).toEqual([]);
    leave.abort();
    await all;

    expect(ended.sort()).toEqual(["events", "logs"]);
  });

  test("a stop has the grace that it was given on top", async () => {
    daemon.answer(`POST /containers/${ID}/stop`, (_request, response) => {
      setTimeout(() => response.writeHead(204).end(), DEADLINES.answerMs * 2);
    });

    await engine.stopContainer(ID, { graceSeconds: 5 });

    expect(daemon.seen.at(-1)?.url).toContain("/stop?t=5");
  });
});
