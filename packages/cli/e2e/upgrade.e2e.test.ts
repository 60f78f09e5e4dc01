/** What becomes of servers when thv is replaced by a newer one while they run. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  describeEngines,
  findRepositoryRoot,
  runCommand,
  runThv,
  THV_BUNDLE,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SessionClient } from "../src/testing/session-client.ts";

/** The same program under an older version, in the repository because its dependencies are found from there. */
let older: string;

beforeAll(async () => {
  const cache = join(findRepositoryRoot(), ".cache");
  await mkdir(cache, { recursive: true });
  older = await mkdtemp(join(cache, "older-thv-"));
  await cp(dirname(THV_BUNDLE), older, { recursive: true });
  const { version } = JSON.parse(await readFile(join(findRepositoryRoot(), "packages/cli/package.json"), "utf8"));
  for (const file of await readdir(older, { recursive: true })) {
    if (!file.endsWith(".mjs")) continue;
    const path = join(older, file);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll(`"v${version}"`, '"v0.0.1"'));
  }
});
afterAll(async () => {
  await rm(older, { recursive: true, force: true });
});

describeEngines("an upgrade on $kind", (engine) => {
  test("replaces the older supervisor at the next command, and drops no workload", async () => {
    await using home = await ThrowawayHome.create();
    const options = { cwd: home.workDirectory, env: home.env(engine) };
    const run = await runCommand(
      process.execPath,
      [join(older, "thv.mjs"), "run", "--name", "kept", "toolhive-test/echo:test"],
      options,
    );
    expect(run).toMatchObject({ code: 0 });
    const url = run.stdout.trim().split(" ").at(-1) ?? "";
    const client = await SessionClient.open(url);
    const first = await home.findSupervisor();
    const containerOf = async () =>
      (await engine.cli(["inspect", "--format", "{{.Id}} {{.State.StartedAt}}", "kept"])).stdout;
    const before = await containerOf();

    const list = await runThv(["list", "--all", "--format", "json"], { home, engine });

    expect(list.stderr).toMatch(/^Replacing the supervisor v0\.0\.1 by v\d+\.\d+\.\d+; servers stay\.\n/);
    expect(JSON.parse(list.stdout)).toMatchObject([{ name: "kept", url }]);
    const second = await home.findSupervisor();
    expect(second?.pid).not.toBe(first?.pid);
    const running = await waitFor(
      async () => {
        const { stdout } = await runThv(["list", "--format", "json"], { home, engine });
        return (JSON.parse(stdout) as { status_context?: string }[])[0];
      },
      { what: "the workload to run under the new supervisor" },
    );
    // Docker keeps a server's input open: not even the process is another one. Podman cannot, and it is said.
    if (engine.kind === "docker") expect(await containerOf()).toBe(before);
    else expect(running.status_context).toContain("Podman closes a server's input when its supervisor goes away");
    // The endpoint's own sessions went with the supervisor; a client is told so and opens another.
    expect(await client.call("echo", { text: "still here" })).toEqual({ kind: "unknown-session" });
    await client.reopen(client.sessionId);
    expect(await client.call("echo", { text: "and again" })).toEqual({ kind: "answered", text: "and again" });

    const again = await runThv(["list"], { home, engine });

    expect(again.stderr).toBe("");
    expect((await home.findSupervisor())?.pid).toBe(second?.pid);
  });
});
