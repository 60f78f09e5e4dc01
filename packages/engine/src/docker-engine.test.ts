import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { ContainerSpec, LimitName } from "@toolhive/core";
import { describe, expect, test } from "vitest";
import { DockerEngine } from "./docker-engine.ts";
import { FakeDaemon, json, VERSION } from "./testing/fake-daemon.ts";

const SPEC: ContainerSpec = {
  name: "echo",
  image: "mcp/echo:1",
  args: [],
  env: { TOKEN: "s3cret", EMPTY: "" },
  labels: { toolhive: "true" },
  stdio: true,
};

describe("connect", () => {
  test.each([
    ["1.41", "1.12", "/v1.41"],
    ["1.47", "1.24", "/v1.47"],
    ["1.52", "1.44", "/v1.47"],
    ["1.9", "1.1", "/v1.9"],
    ["2.0", "1.50", "/v1.50"],
  ])("to an engine of API %s that goes back to %s speaks %s", async (newest, oldest, prefix) => {
    await using daemon = await FakeDaemon.start();
    daemon.answer("GET /version", json(200, { ...VERSION, ApiVersion: newest, MinAPIVersion: oldest }));
    daemon.answer("GET /_ping", json(200, "OK"));

    const engine = await DockerEngine.connect(daemon.address);
    await engine.ping();

    expect(daemon.seen.map(({ url }) => url)).toEqual(["/version", `${prefix}/info`, `${prefix}/_ping`]);
  });

  test("recognizes Podman by its components, and that it does not keep a server's input", async () => {
    await using daemon = await FakeDaemon.start();
    const Components = [{ Name: "Podman Engine", Version: "4.3.1" }];
    daemon.answer("GET /version", json(200, { ...VERSION, Components }));

    const { info } = await DockerEngine.connect(daemon.address);

    expect(info).toEqual({
      kind: "podman",
      version: "4.3.1",
      address: daemon.socketPath,
      keepsStdin: false,
      isRemote: false,
    });
  });

  test.each([
    [{ MemoryLimit: true, PidsLimit: true, CpuCfsQuota: true }, undefined],
    [{ MemoryLimit: true, PidsLimit: false, CpuCfsQuota: false }, ["cpus", "pids"]],
    // As rootless Podman answers.
    [
      { MemoryLimit: true, CgroupVersion: "1", SecurityOptions: ["name=seccomp", "name=rootless"] },
      ["memory", "cpus", "pids"],
    ],
    [{ MemoryLimit: true, CgroupVersion: "2", SecurityOptions: ["name=rootless"] }, undefined],
    [{ MemoryLimit: true, CgroupVersion: "1", SecurityOptions: [] }, undefined],
  ])("to an engine that says %j knows which limits it does not keep", async (answer, missingLimits) => {
    await using daemon = await FakeDaemon.start();
    daemon.answer("GET /version", json(200, VERSION));
    daemon.answer("GET /info", json(200, answer));

    const { info } = await DockerEngine.connect(daemon.address);

    expect(info.missingLimits).toEqual(missingLimits);
  });

  /**
   * Podman's answers, cut to what they say of control groups. Those of version 1 were recorded with 4.3; those of version 2,
   * which the kernel of that machine does not have, are in Podman's own form with what systemd delegates.
   */
  const PODMAN = { ...VERSION, Components: [{ Name: "Podman Engine", Version: "4.3.1" }] };
  const INFO = { MemoryLimit: true, SwapLimit: true, CpuCfsQuota: true, PidsLimit: true };
  const rootless = (CgroupVersion: string) => ({ ...INFO, CgroupVersion, SecurityOptions: ["name=rootless"] });

  const ALL_OF_V1 = ["cpuset", "cpu", "cpuacct", "blkio", "memory", "devices", "freezer", "pids"];
  const host = (cgroupVersion: string, cgroupControllers: unknown, cgroupManager = "systemd") => ({
    host: { cgroupManager, cgroupVersion, cgroupControllers },
    version: { Version: "4.3.1" },
  });

  test.each([
    ["as root", { ...INFO, CgroupVersion: "1" }, host("v1", ALL_OF_V1, "cgroupfs"), undefined],
    ["with what systemd delegates by default", rootless("2"), host("v2", ["memory", "pids"]), ["cpus"]],
    ["with all delegated", rootless("2"), host("v2", ["cpuset", "cpu", "io", "memory", "pids"]), undefined],
    ["without delegation", rootless("2"), host("v2", []), ["memory", "cpus", "pids"]],
    ["without systemd", rootless("2"), host("v2", ["cpu", "memory", "pids"], "cgroupfs"), ["memory", "cpus", "pids"]],
    ["on version 1", rootless("1"), host("v1", []), ["memory", "cpus", "pids"]],
    ["as root of a container", { ...INFO, CgroupVersion: "2" }, host("v2", ["pids"]), ["memory", "cpus"]],
    ["of a version that lists none", rootless("2"), { ...host("v2", []), version: { Version: "3.4.4" } }, undefined],
    ["that says nothing of it", rootless("2"), host("v2", null), undefined],
  ])(
    "to a Podman %s knows which limits it does not keep, and asks for no others",
    async (_how, docker, own, missing) => {
      await using daemon = await FakeDaemon.start();
      daemon.answer("GET /version", json(200, PODMAN));
      daemon.answer("GET /info", json(200, docker));
      daemon.answer("GET /libpod/info", json(200, own));
      daemon.answer("POST /containers/create", json(201, { Id: "c1" }));

      const engine = await DockerEngine.connect(daemon.address);
      const limits = { memoryBytes: 1e9, cpus: 1, pids: 100 };
      await engine.createContainer({ name: "a", image: "b", args: [], env: {}, labels: {}, stdio: false, limits });

      expect(engine.info.missingLimits).toEqual(missing);
      const { HostConfig } = JSON.parse(daemon.seen.find(({ method }) => method === "POST")?.body ?? "");
      const isLimited = (name: LimitName) => !missing?.includes(name);
      expect({
        memory: "Memory" in HostConfig,
        cpus: "CpuQuota" in HostConfig,
        pids: "PidsLimit" in HostConfig,
      }).toEqual({
        memory: isLimited("memory"),
        cpus: isLimited("cpus"),
        pids: isLimited("pids"),
      });
    },
  );

  test.each([[{}], [[]], [null], ["text"], [{ ApiVersion: 1.41 }], [{ ApiVersion: "1.41; rm -rf" }]])(
    "refuses something that answers %j and is no engine",
    async (answer) => {
      await using daemon = await FakeDaemon.start();
      daemon.answer("GET /version", json(200, answer));

      await expect(DockerEngine.connect(daemon.address)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    },
  );

  test("refuses something that answers no JSON", async () => {
    await using daemon = await FakeDaemon.start();
    daemon.answer("GET /version", (_request, response) => void response.end("<html>"));

    await expect(DockerEngine.connect(daemon.address)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  });

  test("cannot reach a socket that is not there, or one that nobody listens on", async () => {
    const directory = await mkdtemp(join(tmpdir(), "thv-engine-"));
    try {
      await expect(DockerEngine.connect({ kind: "socket", path: join(directory, "none.sock") })).rejects.toMatchObject({
        code: "ENGINE_UNREACHABLE",
        hint: expect.any(String),
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test("cannot reach a port that nobody listens on", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
    });
    await new Promise((resolve) => server.close(resolve));

    await expect(DockerEngine.connect({ kind: "tcp", host: "127.0.0.1", port })).rejects.toMatchObject({
      code: "ENGINE_UNREACHABLE",
    });
  });

  test("counts an engine that hangs up in the middle of its answer as out of reach", async () => {
    await using daemon = await FakeDaemon.start();
    daemon.answer("GET /version", (request) => void request.socket.destroy());

    await expect(DockerEngine.connect(daemon.address)).rejects.toMatchObject({ code: "ENGINE_UNREACHABLE" });
  });
});

describe("an answer that breaks off in its middle", () => {
  test.each([
    ["GET /containers/json", (engine: DockerEngine) => engine.listContainers({})],
    ["GET /containers/echo/json", (engine: DockerEngine) => engine.findContainer("echo")],
    ["POST /containers/create", (engine: DockerEngine) => engine.createContainer(SPEC)],
    ["GET /containers/abc/logs", (engine: DockerEngine) => engine.readLogs("abc", { tail: 1 })],
    ["POST /images/create", (engine: DockerEngine) => engine.pullImage("mcp/echo:1")],
  ])("of %s is an engine that went away, not a workload that failed", async (route, call) => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    daemon.answer(route, (request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write('{"status":"', () => request.socket.destroy());
    });

    await expect(call(engine)).rejects.toMatchObject({ name: "ThvError", code: "ENGINE_UNREACHABLE" });
  });
});

describe("createContainer", () => {
  async function create(answers: readonly ReturnType<typeof json>[]) {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    const left = [...answers];
    daemon.answer("POST /containers/create", (request, response) => (left.shift() ?? json(500, {}))(request, response));
    const result = await engine.createContainer(SPEC).then(
      (id) => ({ id }),
      (error: unknown) => ({ error }),
    );
    const bodies = daemon.seen.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));
    return { ...result, bodies, urls: daemon.seen.map(({ url }) => url) };
  }

  test("asks for a private, bounded container with an init process and no restarts of its own", async () => {
    const { bodies, urls } = await create([json(201, { Id: "abc" })]);

    expect(urls.at(-1)).toBe("/v1.41/containers/create?name=echo");
    expect(bodies).toEqual([
      {
        Image: "mcp/echo:1",
        Env: ["TOKEN=s3cret", "EMPTY="],
        Labels: { toolhive: "true" },
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        OpenStdin: true,
        StdinOnce: false,
        Tty: false,
        HostConfig: expect.objectContaining({
          CapDrop: ["ALL"],
          SecurityOpt: ["no-new-privileges"],
          RestartPolicy: { Name: "no" },
          Init: true,
        }),
      },
    ]);
  });

  test("tries again without an init process where there is none", async () => {
    const { bodies, ...result } = await create([
      json(500, { message: "container-init binary not found on the host: catatonit" }),
      json(201, { Id: "abc" }),
    ]);

    expect(result).toMatchObject({ id: "abc" });
    expect(bodies.map(({ HostConfig }) => HostConfig.Init)).toEqual([true, undefined]);
  });

  test.each([
    [409, "Conflict. The container name is in use", "CONTAINER_NAME_TAKEN"],
    [500, 'creating container storage: the container name "echo" is already in use by abc', "CONTAINER_NAME_TAKEN"],
    [404, "No such image: mcp/echo:1", "IMAGE_NOT_FOUND"],
    [400, "invalid reference format", "ENGINE_FAILED"],
    [500, "device or resource busy", "ENGINE_FAILED"],
  ])("translates status %i with %j to %s, without the environment", async (status, message, code) => {
    const result = await create([json(status, { message })]);

    expect(result).toMatchObject({ error: { name: "ThvError", code } });
    expect(inspect("error" in result && result.error)).not.toContain("s3cret");
  });

  test("keeps to the port's errors when the engine goes away", async () => {
    const hangUp: ReturnType<typeof json> = (request) => void request.socket.destroy();

    expect(await create([hangUp])).toMatchObject({ error: { code: "ENGINE_UNREACHABLE" } });
  });
});

describe("pullImage", () => {
  async function pull(reference: string, lines: readonly unknown[], status = 200) {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    let headers: readonly string[] = [];
    daemon.answer("POST /images/create", (request, response) => {
      headers = Object.keys(request.headers);
      response.writeHead(status);
      response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    });
    const progress: string[] = [];
    const error = await engine.pullImage(reference, { onProgress: ({ message }) => progress.push(message) }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, progress, headers, query: new URL(`http://x${daemon.seen.at(-1)?.url}`).searchParams };
  }

  test("asks for images without credentials, which the engine alone has", async () => {
    const { headers } = await pull("private.test/echo:1", []);

    expect(headers).toContain("host");
    expect(headers.filter((name) => /auth/.test(name))).toEqual([]);
  });

  test.each([
    ["mcp/echo", "mcp/echo", "latest"],
    ["mcp/echo:1", "mcp/echo", "1"],
    ["localhost:5000/echo", "localhost:5000/echo", "latest"],
    ["localhost:5000/echo:1", "localhost:5000/echo", "1"],
    ["mcp/echo@sha256:abc", "mcp/echo@sha256:abc", null],
  ])("asks for %s as name and tag", async (reference, fromImage, tag) => {
    const { query, error } = await pull(reference, []);

    expect([query.get("fromImage"), query.get("tag"), error]).toEqual([fromImage, tag, undefined]);
  });

  test("reports its progress", async () => {
    const { progress } = await pull("mcp/echo:1", [
      { status: "Pulling fs layer", id: "a" },
      { status: "Downloading", id: "a", progressDetail: { current: 1e6, total: 2e6 } },
    ]);

    expect(progress).toEqual(["0 of 1 layers", "1.0 of 2.0 MB, 0 of 1 layers"]);
  });

  test("fails for an error in the stream and for a status", async () => {
    const inStream = await pull("mcp/echo:1", [{ error: "manifest unknown" }]);
    const asStatus = await pull("mcp/echo:1", [{ message: "pull access denied" }], 404);

    expect(inStream.error).toMatchObject({
      code: "IMAGE_NOT_FOUND",
      message: expect.stringContaining("manifest unknown"),
    });
    expect(asStatus.error).toMatchObject({
      code: "IMAGE_NOT_FOUND",
      message: expect.stringContaining("pull access denied"),
    });
  });

  test("ends at once with its signal", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    const leave = new AbortController();
    daemon.answer("POST /images/create", (_request, response) => {
      response.write('{"status":"Pulling fs layer","id":"a"}\n');
    });

    const pulling = engine.pullImage("mcp/echo:1", { signal: leave.signal, onProgress: () => leave.abort() });

    await expect(pulling).rejects.toThrow();
    expect(leave.signal.aborted).toBe(true);
  });
});

describe("removeContainer", () => {
  test.each([
    ["is gone", json(404, { message: "No such container" })],
    ["is being removed by somebody else", json(409, { message: "removal of container abc is already in progress" })],
  ])("succeeds for one that %s", async (_what, answer) => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    daemon.answer("DELETE /containers/abc", answer);

    await engine.removeContainer("abc");
  });

  test("fails with the engine's reason", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    daemon.answer("DELETE /containers/abc", json(500, { message: "driver failed to remove: device or resource busy" }));

    await expect(engine.removeContainer("abc")).rejects.toMatchObject({
      code: "ENGINE_FAILED",
      message: expect.stringContaining("device or resource busy"),
    });
  });
});

describe("stopContainer", () => {
  test.each([304, 404])("takes status %i as stopped", async (status) => {
    await using daemon = await FakeDaemon.start();
    const engine = await DockerEngine.connect(daemon.address);
    daemon.answer("POST /containers/abc/stop", (_request, response) => void response.writeHead(status).end());

    await engine.stopContainer("abc", { graceSeconds: 7 });

    expect(daemon.seen.at(-1)?.url).toBe("/v1.41/containers/abc/stop?t=7");
  });
});
