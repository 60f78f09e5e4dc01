import { describeEngines, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";
import { callEcho, withMcpClient } from "../src/testing/mcp-client.ts";

interface Listed {
  readonly name: string;
  readonly status: string;
  readonly url: string;
  readonly status_context?: string;
}

async function list(home: ThrowawayHome, engine: TestEngine): Promise<Listed[]> {
  const { stdout } = await runThv(["list", "--all", "--format", "json"], { home, engine });
  return JSON.parse(stdout) as Listed[];
}

async function untilRunning(name: string, home: ThrowawayHome, engine: TestEngine): Promise<Listed> {
  return await waitFor(
    async () => (await list(home, engine)).find((workload) => workload.name === name && workload.status === "running"),
    { what: `${name} to run` },
  );
}

describeEngines("thv on $kind", (engine) => {
  test("run makes a server reachable for the official MCP client, and rm leaves nothing of it", async () => {
    await using home = await ThrowawayHome.create();

    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });

    expect(run).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^everything is running at http:\/\/127\.0\.0\.1:\d+\/mcp\n$/),
    });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    await withMcpClient(url, async (client) => {
      expect(client.getServerVersion()?.name).toContain("everything");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("echo");
    });
    expect(await callEcho(url, "hello")).toBe("Echo: hello");

    const removed = await runThv(["rm", "everything"], { home, engine });

    expect(removed).toMatchObject({ code: 0, stdout: "everything is removed.\n" });
    expect(await list(home, engine)).toEqual([]);
    expect(await engine.cli(["ps", "--all", "--quiet", "--filter", "name=^everything$"])).toMatchObject({ stdout: "" });
    await expect(fetch(url)).rejects.toThrow();
  });

  test("two clients of one server get their own answers", async () => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "shared", "mcp/everything:test"], { home, engine });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";

    const answers = await Promise.all(["one", "two", "three", "four"].map((word) => callEcho(url, word)));

    expect(answers).toEqual(["Echo: one", "Echo: two", "Echo: three", "Echo: four"]);
  });

  test("arguments after -- and environment variables reach the server", async () => {
    await using home = await ThrowawayHome.create();
    const args = ["run", "--name", "files", "--env", "MARKER=a=b", "mcp/filesystem:test", "--", "/tmp"];

    const run = await runThv(args, { home, engine });

    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    const listing = await withMcpClient(url, (client) =>
      client.callTool({ name: "list_allowed_directories", arguments: {} }),
    );
    expect(JSON.stringify(listing)).toContain("/tmp");
    const { stdout: environment } = await engine.cli(["inspect", "--format", "{{json .Config.Env}}", "files"]);
    expect(JSON.parse(environment)).toEqual(expect.arrayContaining(["MARKER=a=b", "MCP_TRANSPORT=stdio"]));
  });

  test("stop closes the address and keeps the workload; restart brings it back at the same address", async () => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";

    const stopped = await runThv(["stop", "everything"], { home, engine });

    expect(stopped).toMatchObject({ code: 0, stdout: "everything is stopped.\n" });
    expect(await list(home, engine)).toMatchObject([{ name: "everything", status: "stopped" }]);
    await expect(fetch(url)).rejects.toThrow();

    const restarted = await runThv(["restart", "everything"], { home, engine });

    expect(restarted).toMatchObject({ code: 0, stdout: `everything is running at ${url}\n` });
    expect(await callEcho(url, "again")).toBe("Echo: again");
  });

  test("every workload is running at the same address after the supervisor was killed", async () => {
    await using home = await ThrowawayHome.create();
    const first = await runThv(["run", "--name", "one", "mcp/everything:test"], { home, engine });
    await runThv(["run", "--name", "two", "mcp/everything:test"], { home, engine });
    await runThv(["run", "--name", "three", "mcp/memory:test"], { home, engine });
    await runThv(["stop", "three"], { home, engine });
    const before = await list(home, engine);
    const supervisor = await home.findSupervisor();
    if (!supervisor) throw new Error("no supervisor is running");

    process.kill(supervisor.pid, "SIGKILL");
    await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });
    await untilRunning("one", home, engine);
    await untilRunning("two", home, engine);

    const after = await list(home, engine);
    const addresses = (workloads: readonly Listed[]) =>
      workloads.map(({ name, url, status }) => ({ name, url, status }));
    expect(addresses(after)).toEqual(addresses(before));
    expect(await callEcho(first.stdout.trim().split(" ").at(-1) ?? "", "back")).toBe("Echo: back");
  });

  test("after a kill of the supervisor Docker's containers run on, and Podman's are restarted with a reason", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });
    const startedAt = async () =>
      (await engine.cli(["inspect", "--format", "{{.State.StartedAt}}", "everything"])).stdout;
    const before = await startedAt();
    const supervisor = await home.findSupervisor();
    if (!supervisor) throw new Error("no supervisor is running");

    process.kill(supervisor.pid, "SIGKILL");
    const workload = await untilRunning("everything", home, engine);

    if (engine.kind === "docker") expect(await startedAt()).toBe(before);
    else {
      expect(await startedAt()).not.toBe(before);
      expect(workload.status_context).toMatch(/Podman closes a server's input/);
    }
  });

  test("a container that is killed or removed by hand comes back at the same address", async () => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    const readId = async () => (await engine.cli(["inspect", "--format", "{{.Id}}", "everything"])).stdout.trim();
    const id = await readId();

    await engine.cli(["kill", "everything"]);
    await waitFor(async () => (await callEcho(url, "1").catch(() => "")) === "Echo: 1", {
      what: "an answer after kill",
    });
    await engine.cli(["rm", "--force", "everything"]);
    await waitFor(async () => (await callEcho(url, "2").catch(() => "")) === "Echo: 2", { what: "an answer after rm" });

    expect(await readId()).not.toBe(id);
  });

  test("logs show what the server wrote for people, not the protocol", async () => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });
    await callEcho(run.stdout.trim().split(" ").at(-1) ?? "", "private");

    const logs = await runThv(["logs", "everything"], { home, engine });

    expect(logs.code).toBe(0);
    expect(logs.stdout).not.toBe("");
    expect(logs.stdout).not.toContain("jsonrpc");
    expect(logs.stdout).not.toContain("private");
  });

  test.each([
    { transport: "streamable-http", argument: "streamableHttp", path: /\/mcp$/, at: "127.0.0.1" },
    { transport: "sse", argument: "sse", path: /\/sse#web$/, at: "127.0.0.2" },
  ])(
    "a server that speaks $transport itself is proxied, and is back at its address after a kill",
    async ({ transport, argument, path, at }) => {
      await using home = await ThrowawayHome.create();
      const flags = ["--name", "web", "--transport", transport, "--target-port", "3001", "--env", "PORT=3001"];
      const where = at === "127.0.0.1" ? [] : ["--target-host", at];

      const run = await runThv(["run", ...flags, ...where, "mcp/everything:test", "--", argument], { home, engine });

      const url = run.stdout.trim().split(" ").at(-1) ?? "";
      expect(run.code, run.stderr).toBe(0);
      expect(url).toMatch(path);
      expect(await callEcho(url, "over http")).toBe("Echo: over http");
      const { stdout: ports } = await engine.cli(["inspect", "--format", "{{json .NetworkSettings.Ports}}", "web"]);
      expect(JSON.parse(ports)).toEqual({
        "3001/tcp": [{ HostIp: at, HostPort: expect.stringMatching(/^\d+$/) }],
      });

      await engine.cli(["kill", "web"]);
      await waitFor(async () => (await callEcho(url, "back").catch(() => "")) === "Echo: back", {
        what: "an answer after kill",
      });
    },
  );

  test("a stdio server is offered over SSE when that is asked for", async () => {
    await using home = await ThrowawayHome.create();

    const run = await runThv(["run", "--name", "old", "--proxy-mode", "sse", "mcp/everything:test"], { home, engine });

    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    expect(url).toMatch(/\/sse#old$/);
    expect(await callEcho(url, "over sse")).toBe("Echo: over sse");
  });

  test("list shows only what runs, and everything with --all", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["run", "--name", "b-runs", "mcp/memory:test"], { home, engine });
    await runThv(["run", "--name", "a-stops", "mcp/memory:test"], { home, engine });
    await runThv(["stop", "a-stops"], { home, engine });

    const running = await runThv(["list"], { home, engine });
    const all = await runThv(["list", "--all"], { home, engine });

    const names = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => line.split(/\s+/)[0]);
    expect(names(running.stdout)).toEqual(["NAME", "b-runs"]);
    expect(names(all.stdout)).toEqual(["NAME", "a-stops", "b-runs"]);
  });

  test("containers run without capabilities and cannot gain privileges", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });

    const { stdout } = await engine.cli(["inspect", "everything"]);

    const [{ HostConfig }] = JSON.parse(stdout) as [{ HostConfig: { CapDrop: string[]; SecurityOpt: string[] } }];
    expect(HostConfig.CapDrop.join(" ")).toMatch(/ALL|CAP_CHOWN/);
    expect(HostConfig.SecurityOpt).toContain("no-new-privileges");
  });
});
