/**
 * Podman keeps events in a file, and when that is full, which is at 1 MB, it ends every stream of events. Here the file is
 * full after a few containers.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeEngines, OWN_ENGINES, runThv, stopEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { expect, test } from "vitest";

const IMAGE = "toolhive-test/echo:test";
describeEngines("Podman whose file of events is full", { ...OWN_ENGINES, kinds: ["podman"] }, (engine) => {
  test("is not taken for gone: servers run on, and others start meanwhile", async () => {
    const settings = engine.env.CONTAINERS_CONF ?? "";
    const before = await readFile(settings, "utf8");
    const restartWith = async (content: string) => {
      const stopped = await stopEngine(engine, "SIGTERM");
      await writeFile(settings, content);
      await stopped.start();
    };
    await restartWith(before.replace("[engine]\n", "[engine]\nevents_logfile_max_size = 6000\n"));
    try {
      await using home = await ThrowawayHome.create();
      const run = async (name: string) => await runThv(["run", "--name", name, IMAGE], { home, engine });
      const readLog = async () => await readFile(join(home.dataDirectory, "logs/supervisor.log"), "utf8");
      expect(await run("first")).toMatchObject({ code: 0 });
      const hasEnded = async () => /stream of container events ended|engine lost/.test(await readLog());

      const enough = new AbortController();
      const churn = (async () => {
        while (!enough.signal.aborted) {
          const { stdout } = await engine.cli(["create", IMAGE]);
          await engine.cli(["rm", "--force", stdout.trim()]);
        }
      })();
      const started = [await run("second"), await run("third")];
      await waitFor(hasEnded, { what: "a stream of events to end", deadlineMs: 60_000 }).finally(() => enough.abort());
      await churn;

      expect(started).toMatchObject([{ code: 0 }, { code: 0 }]);
      expect(await readLog()).not.toContain("container engine lost");
      const { stdout } = await runThv(["list", "--all", "--format", "json"], { home, engine });
      expect((JSON.parse(stdout) as { status: string }[]).map(({ status }) => status)).toEqual(
        Array(3).fill("running"),
      );
    } finally {
      await restartWith(before);
    }
  });
});
