/** The first command after a supervisor has died: what it says about the servers that ran on. */
import { describeEngines, dropProgress, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const IMAGE = "toolhive-test/echo:test";

describeEngines("after the supervisor was killed on $kind", (engine) => {
  test.each([
    {
      args: ["list", "--format", "json"],
      expected: expect.stringMatching(/"status": "running"[\s\S]*"status": "running"/),
    },
    { args: ["stop", "--all"], expected: "one is stopped.\ntwo is stopped.\n" },
    { args: ["mcp", "list", "tools", "--server", "two"], expected: expect.stringContaining("echo") },
  ])("thv $args.0 finds the servers that ran", async ({ args, expected }) => {
    await using home = await ThrowawayHome.create();
    for (const name of ["one", "two"]) {
      expect(await runThv(["run", "--name", name, IMAGE], { home, engine })).toMatchObject({ code: 0 });
    }
    const supervisor = await home.findSupervisor();
    if (!supervisor) throw new Error("no supervisor is running");
    process.kill(supervisor.pid, "SIGKILL");
    await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });

    const { stderr, ...result } = await runThv(args, { home, engine });
    expect({ ...result, stderr: dropProgress(stderr) }).toEqual({ code: 0, stdout: expected, stderr: "" });
  });
});
