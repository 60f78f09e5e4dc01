/** How a server ends that is removed: asked to, with time to write what it holds; killed when that is what was asked for. */
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import { describeEngines, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const IMAGE = "toolhive-test/echo:test";

/** Runs a server that takes a second to end. @returns What it has written on the way. */
async function runFlushing(home: ThrowawayHome, engine: TestEngine): Promise<() => Promise<string>> {
  const folder = join(home.path, "journal");
  await mkdir(folder);
  // The server runs as a user of its image.
  await chmod(folder, 0o777);
  const flags = ["--name", "flushing", "--volume", `${folder}:/journal`];
  const started = await runThv(["run", ...flags, IMAGE, "--", "--flush=/journal/log"], { home, engine });
  expect(started).toMatchObject({ code: 0 });
  return async () => await readFile(join(folder, "log"), "utf8").catch(() => "");
}

const WHOLE = "asked to end\nflushed\n";

describeEngines("a server that needs a second to end, on $kind", (engine) => {
  test("has it before thv rm takes its container away", async () => {
    await using home = await ThrowawayHome.create();
    const readJournal = await runFlushing(home, engine);

    expect(await runThv(["rm", "flushing"], { home, engine })).toMatchObject({ code: 0 });

    expect(await readJournal()).toBe(WHOLE);
  });

  test.each(["deleteWorkload", "deleteWorkloads"] as const)("has it after %s of the API", async (operation) => {
    await using home = await ThrowawayHome.create();
    const readJournal = await runFlushing(home, engine);
    const api = new ApiClient({ socketPath: join(home.stateDirectory, "supervisor.sock") });

    if (operation === "deleteWorkload") await api.call(operation, { params: { name: "flushing" } });
    else await api.call(operation, { body: { names: ["flushing"] } });
    await waitFor(async () => (await api.call("listWorkloads", { query: { all: "true" } })).workloads.length === 0, {
      what: "the workload to be gone",
    });

    expect(await readJournal()).toBe(WHOLE);
  });

  test("is killed by thv stop when --timeout gives it less", async () => {
    await using home = await ThrowawayHome.create();
    const readJournal = await runFlushing(home, engine);

    expect(await runThv(["stop", "flushing", "--timeout", "0"], { home, engine })).toMatchObject({ code: 0 });

    expect(await readJournal()).not.toContain("flushed");
  });

  test("is killed by thv rm --force", async () => {
    await using home = await ThrowawayHome.create();
    const readJournal = await runFlushing(home, engine);

    expect(await runThv(["rm", "--force", "flushing"], { home, engine })).toMatchObject({ code: 0 });

    expect(await readJournal()).toBe("");
  });
});
