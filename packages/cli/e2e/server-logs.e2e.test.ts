/** What of a server ends up on the disk, and what `thv logs` shows of it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeEngines, runThv, type TestEngine, THV_BUNDLE, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";
import { filesWith } from "../src/testing/files-with.ts";
import { SessionClient } from "../src/testing/session-client.ts";

const MAX_LOG_BYTES = 10 * 1024 * 1024;

async function runEcho(home: ThrowawayHome, engine: TestEngine, ...flags: string[]): Promise<SessionClient> {
  const run = await runThv(["run", "--name", "echo", ...flags, "toolhive-test/echo:test"], { home, engine });
  expect(run.code, run.stderr).toBe(0);
  return await SessionClient.open(run.stdout.trim().split(" ").at(-1) ?? "");
}

const HTTP = ["--transport", "streamable-http", "--target-port", "8080"];

/** A command that goes on, whose output can be watched. */
function beginThv(args: readonly string[], { home, engine }: { home: ThrowawayHome; engine: TestEngine }) {
  const child = spawn(process.execPath, [THV_BUNDLE, ...args], { cwd: home.workDirectory, env: home.env(engine) });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text) => {
      output[stream] += text;
    });
  }
  const ended = once(child, "close").then(([code]) => code as number);
  return {
    output,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await ended;
    },
  };
}

async function residentBytes(home: ThrowawayHome): Promise<number> {
  const supervisor = await home.findSupervisor();
  const status = await readFile(`/proc/${supervisor?.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

describeEngines("logs of a server on $kind", (engine) => {
  test("are its standard error, in a file of the user's own; what a tool returned is in no file", async () => {
    await using home = await ThrowawayHome.create();
    const client = await runEcho(home, engine);
    const returned = "returned-4c1d88";
    const said = "said-93ab02";

    for (let call = 0; call < 50; call += 1) {
      expect(await client.call("echo", { text: returned })).toEqual({ kind: "answered", text: returned });
    }
    await client.call("say", { text: said });
    await waitFor(async () => (await runThv(["logs", "echo"], { home, engine })).stdout.includes(said), {
      what: "the line in the log",
    });

    const file = join(home.dataDirectory, "logs", "servers", "echo.log");
    const places = [
      home.path,
      ...(engine.origin.startsWith("private") ? [dirname(engine.host.slice("unix://".length))] : []),
    ];
    // Both homes and engines are below one folder: a file may be found twice.
    expect([...new Set(await filesWith(said, places))]).toEqual([file]);
    expect(await filesWith(returned, places)).toEqual([]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);

    await client.close();
    expect(await runThv(["rm", "echo"], { home, engine })).toMatchObject({ code: 0 });
    expect(await readdir(dirname(file))).toEqual([]);
  });

  test("are there after the supervisor was killed, and go on with the next one", async () => {
    await using home = await ThrowawayHome.create();
    const client = await runEcho(home, engine);
    await client.call("say", { text: "before" });
    const logged = async () => (await runThv(["logs", "echo"], { home, engine })).stdout;
    await waitFor(async () => (await logged()).includes("before"), { what: "the line in the log" });
    const supervisor = await home.findSupervisor();
    if (!supervisor) throw new Error("no supervisor is running");

    process.kill(supervisor.pid, "SIGKILL");
    await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });
    await waitFor(async () => (await runThv(["list"], { home, engine })).stdout.includes("running"), {
      what: "echo to run",
    });
    await client.reopen(client.sessionId);
    await client.call("say", { text: "after" });

    await waitFor(async () => (await logged()).includes("after"), { what: "the line of the next supervisor" });
    // Docker's server goes on; Podman's is started again.
    const ready = engine.kind === "docker" ? "" : "echo: ready\n";
    expect(await logged()).toBe(`echo: ready\nbefore\n${ready}after\n`);
    await client.close();
  });

  test.each([
    { way: "on stdio", flags: [] },
    { way: "that speaks HTTP", flags: HTTP },
  ])("$way can be followed over a restart, until it is removed", async ({ flags }) => {
    await using home = await ThrowawayHome.create();
    const client = await runEcho(home, engine, ...flags);
    await using following = beginThv(["logs", "--follow", "echo"], { home, engine });
    await waitFor(() => following.output.stdout === "echo: ready\n", { what: "the first line" });

    expect(await runThv(["restart", "echo"], { home, engine })).toMatchObject({ code: 0 });
    await waitFor(() => following.output.stdout === "echo: ready\necho: ready\n", { what: "the line of the next run" });
    await client.close();
    expect(await runThv(["rm", "echo"], { home, engine })).toMatchObject({ code: 0 });

    expect(await following.ended).toBe(0);
    expect(following.output).toEqual({ stdout: "echo: ready\necho: ready\n", stderr: "echo was removed.\n" });
  });

  test.each([
    { way: "on stdio", flags: [] },
    { way: "that speaks HTTP", flags: HTTP },
  ])("$way are chosen by --tail and --since, and stamped by --timestamps", async ({ flags }) => {
    await using home = await ThrowawayHome.create();
    const client = await runEcho(home, engine, ...flags);
    for (const text of ["one", "two", "three"]) await client.call("say", { text });
    const logs = async (...args: string[]) => (await runThv(["logs", "echo", ...args], { home, engine })).stdout;
    await waitFor(async () => (await logs()).includes("three"), { what: "the line in the log" });

    expect(await logs("--tail", "2")).toBe("two\nthree\n");
    expect(await logs("--tail", "all", "--since", "1h")).toBe("echo: ready\none\ntwo\nthree\n");
    expect(await logs("--since", new Date(Date.now() + 3_600_000).toISOString())).toBe("");
    expect(await logs("--tail", "1", "--timestamps")).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z three\n$/);
    await client.close();
  });

  test("that ends at once are in the error, each time", async () => {
    await using home = await ThrowawayHome.create();
    for (let round = 0; round < 3; round += 1) {
      const { code, stderr } = await runThv(["run", "--name", "exits", "toolhive-test/exits:test"], { home, engine });

      expect(code).not.toBe(0);
      expect(stderr).toContain("exits: cannot read the configuration file /etc/exits.conf");
    }
    // The failed start removes everything of the server, its log included.
    expect(await readdir(join(home.dataDirectory, "logs", "servers"))).toEqual([]);
  });

  test("have what it wrote right before it crashed", async () => {
    await using home = await ThrowawayHome.create();
    const client = await runEcho(home, engine);

    expect(await client.call("crash", { code: 9 })).toMatchObject({ kind: "refused" });

    await waitFor(
      async () =>
        (await runThv(["logs", "echo"], { home, engine })).stdout ===
        "echo: ready\necho: crashing because it was asked to\necho: ready\n",
      { what: "the lines of both runs" },
    );
    await client.close();
  });

  test("that floods are bounded, its calls are answered, and memory does not grow", async () => {
    await using home = await ThrowawayHome.create();
    const client = await runEcho(home, engine);
    const calls = async (count: number) => {
      for (let call = 0; call < count; call += 1) {
        expect(await client.call("echo", { text: "x" })).toEqual({ kind: "answered", text: "x" });
      }
    };
    await calls(100);
    const before = await residentBytes(home);

    await client.call("flood", {});
    const folder = join(home.dataDirectory, "logs", "servers");
    const measureSize = async (file: string) => (await stat(join(folder, file)).catch(() => ({ size: 0 }))).size;
    const size = async () => (await measureSize("echo.log")) + (await measureSize("echo.log.1"));
    await waitFor(
      async () => {
        await calls(20);
        expect(await size()).toBeLessThanOrEqual(MAX_LOG_BYTES);
        return (await measureSize("echo.log.1")) > 0;
      },
      { what: "the log to be rotated", deadlineMs: 60_000 },
    );

    expect((await residentBytes(home)) - before).toBeLessThan(64 * 1024 * 1024);
    const all = (await runThv(["logs", "echo", "--tail", "all"], { home, engine })).stdout;
    expect(/^thv: left out \d+ bytes/m.test(all)).toBe(true);
    await client.close();
    expect(await runThv(["rm", "--force", "echo"], { home, engine })).toMatchObject({ code: 0 });
  });
});
