import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { listen } from "@toolhive/http";
import {
  countLeftovers,
  describeEngines,
  runThv,
  type TestEngine,
  THV_BUNDLE,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { describe, expect, test } from "vitest";
import { callEcho } from "../src/testing/mcp-client.ts";

interface Served extends AsyncDisposable {
  readonly api: string;
  readonly pid: number;
  readonly output: () => string;
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** Starts `thv serve` on a free port and waits until it has said where it answers. */
async function serve(home: ThrowawayHome, engine?: Pick<TestEngine, "host">, env = {}): Promise<Served> {
  const child = spawn(process.execPath, [THV_BUNDLE, "serve", "--port", "0"], {
    env: { ...home.env(engine), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return await exited;
  };
  const api = await waitFor(() => /answers at (http:\S+?)\. /.exec(output)?.[1], { what: "the address of the API" });
  return {
    api,
    pid: child.pid ?? 0,
    output: () => output,
    end,
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}

describeEngines("thv serve on $kind", (engine) => {
  test("serves health, version, the OpenAPI document and the life of a workload", async () => {
    await using home = await ThrowawayHome.create();
    await using served = await serve(home, engine);
    const base = `${served.api}/api/v1beta`;
    const post = (path: string, body?: unknown) =>
      fetch(`${base}${path}`, {
        method: "POST",
        ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });

    expect((await fetch(`${served.api}/health`)).status).toBe(204);
    expect(await (await fetch(`${base}/version`)).json()).toEqual({ version: expect.stringMatching(/^v\d/) });
    expect(await (await fetch(`${served.api}/api/openapi.json`)).json()).toMatchObject({ openapi: "3.1.0" });

    const created = await post("/workloads", { name: "everything", image: "mcp/everything:test" });
    expect(created.status).toBe(201);
    const { port } = (await created.json()) as { port: number };
    expect(await callEcho(`http://127.0.0.1:${port}/mcp`, "api")).toBe("Echo: api");
    const get = async () => (await fetch(`${base}/workloads/everything`)).json() as Promise<{ status: string }>;
    await waitFor(async () => (await get()).status === "running", { what: "the status running" });
    expect(await (await fetch(`${base}/workloads`)).json()).toMatchObject({
      workloads: [{ name: "everything", port }],
    });

    expect((await post("/workloads/everything/stop")).status).toBe(202);
    await waitFor(async () => (await get()).status === "stopped", { what: "the status stopped" });
    expect((await post("/workloads/everything/restart")).status).toBe(202);
    await waitFor(async () => (await get()).status === "running", { what: "the status running again" });
    expect((await fetch(`${base}/workloads/everything/logs`)).headers.get("content-type")).toBe("text/plain");
    expect((await fetch(`${base}/workloads/everything`, { method: "DELETE" })).status).toBe(202);
    await waitFor(async () => (await fetch(`${base}/workloads/everything`)).status === 404, { what: "404" });
  });

  test("the health of a workload's endpoint names the program that serves it", async () => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "echo", "toolhive-test/echo:test"], { home, engine });
    const { stdout } = await runThv(["version", "--format", "json"], { home });

    const health = await fetch(new URL("/health", run.stdout.trim().split(" ").at(-1)));

    // How the command was installed is no concern of who asks an endpoint.
    const { channel, ...version } = JSON.parse(stdout) as Record<string, string>;
    expect(channel).toBe("source");
    expect(version.version).toMatch(/^v\d/);
    expect(await health.json()).toMatchObject({ status: "healthy", version });
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s stops the containers and leaves no process, socket or port; the next start resumes",
    async (signal) => {
      await using home = await ThrowawayHome.create();
      const before = await countLeftovers(engine, home);
      await using served = await serve(home, engine);
      const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });

      const code = await served.end(signal);

      expect(code).toBe(0);
      const after = await countLeftovers(engine, home);
      expect(after).toMatchObject({ processes: before.processes, sockets: before.sockets });
      expect(after.containers).toEqual([...before.containers, "everything (exited)"].sort());
      await using again = await serve(home, engine);
      const url = run.stdout.trim().split(" ").at(-1) ?? "";
      await waitFor(async () => (await callEcho(url, "back").catch(() => "")) === "Echo: back", { what: "an answer" });
      expect(again.pid).not.toBe(served.pid);
    },
  );

  test("takes over from the supervisor in the background without stopping what runs", async () => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });

    await using served = await serve(home, engine);

    expect(served.output()).toMatch(/Taking over from the supervisor in the background \(pid \d+\)\./);
    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    await waitFor(async () => (await callEcho(url, "over").catch(() => "")) === "Echo: over", { what: "an answer" });
    const record = JSON.parse(await readFile(join(home.stateDirectory, "supervisor.json"), "utf8")) as { pid: number };
    expect(record.pid).toBe(served.pid);
  });

  test("ends at once on a signal while it still searches for the engine", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["stop", "nope"], { home, engine });

    await home.stopSupervisor();

    expect(await home.listProcesses()).toEqual([]);
    // One that had to be killed would have left its socket and its record.
    expect(
      (await countLeftovers(engine, home)).stateFiles.filter((file) => /supervisor\.(sock|json)/.test(file)),
    ).toEqual([]);
  });

  test("runs in the background with a bounded young generation, so that load leaves its memory small", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["stop", "nope"], { home, engine });

    const { processes } = await countLeftovers(engine, home);
    expect(processes).toEqual([expect.stringContaining("--max-semi-space-size=")]);
  });

  test("refuses to start a second time and says where the first one is", async () => {
    await using home = await ThrowawayHome.create();
    await using served = await serve(home, engine);

    const second = await runThv(["serve", "--port", "0"], { home, engine });

    expect(second).toMatchObject({ code: 9, stdout: "" });
    expect(second.stderr).toBe(
      `Error: A supervisor is already running (pid ${served.pid}) and serves the API at ${served.api}.\nHint: Use that one, or stop it first: kill ${served.pid}\n`,
    );
  });

  test("two supervisors started at once: one runs, the other explains itself", async () => {
    await using home = await ThrowawayHome.create();

    const runs = await Promise.all(
      ["one", "two", "three"].map((name) => runThv(["run", "--name", name, "mcp/memory:test"], { home, engine })),
    );

    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const supervisors = (await countLeftovers(engine, home)).processes.filter((line) =>
      line.includes("serve --background"),
    );
    expect(supervisors).toHaveLength(1);
  });
});

describe("thv serve", () => {
  test("says who uses the port and which to take instead, and leaves nothing", async () => {
    await using home = await ThrowawayHome.create();
    const server = createServer();
    const port = await listen(server);
    try {
      const result = await runThv(["serve", "--port", String(port)], {
        home,
        env: { DOCKER_HOST: "unix:///nonexistent.sock" },
      });

      expect(result).toMatchObject({ code: 7, stdout: "" });
      expect(result.stderr).toContain(`Error: Port ${port} on 127.0.0.1 is in use`);
      if (process.platform === "linux") expect(result.stderr).toContain(`(pid ${process.pid})`);
      expect(result.stderr).toContain(`Hint: Choose another port: thv serve --port ${port + 1}\n`);
      expect(await home.listProcesses()).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("answers without an engine: health is 503 with the reason, lists are empty, create says what to do", async () => {
    await using home = await ThrowawayHome.create();
    await using served = await serve(home, undefined, { DOCKER_HOST: "unix:///nonexistent.sock" });

    const health = await fetch(`${served.api}/health`);
    const created = await fetch(`${served.api}/api/v1beta/workloads`, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ image: "mcp/everything" }),
    });

    expect(health.status).toBe(503);
    expect(await health.text()).toMatch(/^failed to ping container engine: .*\/nonexistent\.sock/);
    expect(await (await fetch(`${served.api}/api/v1beta/workloads?all=true`)).json()).toEqual({ workloads: [] });
    expect(created.status).toBe(500);
    expect(await created.json()).toMatchObject({
      code: "ENGINE_UNREACHABLE",
      hint: expect.stringContaining("DOCKER_HOST"),
    });
  });
});
