/** A value that only the supervisor would have read, given to a command while another supervisor runs. */
import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";

describeEngines("on $kind", (engine) => {
  test("a variable that the running supervisor was not started with is named, and doctor names the engine in use", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["run", "--name", "first", "mcp/everything:test"], { home, engine });
    const env = { TOOLHIVE_NPX_BASE_IMAGE: "node:22", DOCKER_HOST: "unix:///nowhere/engine.sock" };

    const second = await runThv(["run", "--name", "second", "mcp/everything:test"], { home, engine, env });
    const doctor = await runThv(["doctor", "--format", "json"], { home, engine, env });

    expect(second).toMatchObject({ code: 0 });
    expect(second.stderr).toMatch(
      /DOCKER_HOST=unix:\/\/\/nowhere\/engine\.sock, TOOLHIVE_NPX_BASE_IMAGE=node:22 are ignored/,
    );
    expect(second.stderr).toContain(`${engine.socket}, was started with other variables`);
    const findings = JSON.parse(doctor.stdout) as { check: string; status: string; message: string }[];
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "engine", status: "ok", message: expect.stringContaining(engine.socket) }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: "variables", status: "warn" }));
    const plain = await runThv(["list"], { home, engine });
    expect(plain.stderr).not.toContain("ignored");
  });
});
