/** Servers that are stopped while nobody calls, on real engines. */
import { describeEngines, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const HTTP = ["--target-port", "3001", "--env", "PORT=3001", "--transport", "streamable-http"];
const SIDECAR_BASE = { TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };

describeEngines("a server that nobody calls on $kind", (engine) => {
  test.each([
    ["on stdio", ["mcp/everything:test"]],
    ["that speaks HTTP", [...HTTP, "mcp/everything:test", "--", "streamableHttp"]],
    ["that is isolated", ["--isolate-network", "mcp/everything:test"]],
  ])("%s is stopped, and serves the next call, also under the next supervisor", async (_what, args) => {
    await using home = await ThrowawayHome.create();
    const thv = (argv: readonly string[]) => runThv(argv, { home, engine, env: SIDECAR_BASE });
    const run = await thv(["run", "--name", "sleeper", "--sleep-after", "2s", ...args]);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    const isRunning = async () =>
      (await engine.cli(["inspect", "-f", "{{.State.Running}}", "sleeper"])).stdout.trim() === "true";
    const isAsleep = async () => {
      const { stdout } = await thv(["list", "--format", "json"]);
      return (JSON.parse(stdout) as { asleep?: boolean }[])[0]?.asleep === true && !(await isRunning());
    };
    const untilAsleep = () => waitFor(isAsleep, { what: "the server to fall asleep", deadlineMs: 60_000 });
    const sum = () => thv(["mcp", "call", "sleeper", "get-sum", "--arg", "a=2", "--arg", "b=40"]);

    await untilAsleep();
    expect((await thv(["list"])).stdout).toMatch(/sleeper .* asleep /);
    expect(await sum()).toMatchObject({ code: 0, stdout: "The sum of 2 and 40 is 42.\n" });
    expect(await isRunning()).toBe(true);

    await untilAsleep();
    const supervisor = await home.findSupervisor();
    if (supervisor) process.kill(supervisor.pid, "SIGKILL");
    await untilAsleep();
    expect(await sum()).toMatchObject({ code: 0, stdout: "The sum of 2 and 40 is 42.\n" });
  });
});
