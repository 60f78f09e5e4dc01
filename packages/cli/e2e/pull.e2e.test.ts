/** What a person sees of a pull, and what is left when they have seen enough. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import {
  describeEngines,
  ENGINES_FOR_LOCAL_IMAGES,
  runCommand,
  runThv,
  StallingRegistry,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { expect, test } from "vitest";

const MEGABYTE = 1024 * 1024;
describeEngines("a pull on $kind", { ...ENGINES_FOR_LOCAL_IMAGES, kinds: ["docker"] }, (engine) => {
  test("is reported by its layers while it goes on; Ctrl-C removes the workload and says so", async () => {
    await using image = await StallingRegistry.start([2 * MEGABYTE, 3 * MEGABYTE]);
    await using home = await ThrowawayHome.create();
    const interrupt = new AbortController();
    const running = runThv(["run", "--name", "held", image.reference], {
      home,
      engine,
      signal: interrupt.signal,
      killSignal: "SIGINT",
    });
    await waitFor(() => image.held === 2, { what: "both layers to stop in the middle" });
    const { pull } = await waitFor(
      async () => {
        const { stdout } = await runThv(["list", "--all", "--format", "json"], { home, engine });
        const [workload] = JSON.parse(stdout) as {
          pull?: { state: string; current_bytes: number; total_bytes: number }[];
        }[];
        return workload?.pull?.every(({ state }) => state === "downloading") ? workload : undefined;
      },
      { what: "the layers to be told" },
    );

    expect(pull?.map(({ total_bytes }) => Math.floor(total_bytes / MEGABYTE)).sort()).toEqual([2, 3]);
    for (const { current_bytes, total_bytes } of pull ?? []) expect(current_bytes).toBeLessThan(total_bytes);
    interrupt.abort();
    const { code, stdout, stderr } = await running;

    expect([code, stdout]).toEqual([130, ""]);
    expect(stderr).toContain('Interrupted: "held" was not started, and nothing of it is left.');
    const after = await runThv(["list", "--all", "--format", "json"], { home, engine });
    expect(JSON.parse(after.stdout)).toEqual([]);
    expect((await engine.cli(["images", "--quiet", image.reference])).stdout).toBe("");
  });

  // `script` gives a command a terminal; each system's own takes other arguments.
  test.runIf(process.platform === "linux").each([80, 40])(
    "is drawn as a line for each layer on a terminal of %i columns",
    async (columns) => {
      await using image = await StallingRegistry.start([2 * MEGABYTE, 3 * MEGABYTE]);
      await using home = await ThrowawayHome.create();
      const typescript = join(home.path, "screen");
      const command = `stty cols ${columns} && thv run --name held ${image.reference}`;
      const running = runCommand("script", ["--quiet", "--flush", "--command", command, typescript], {
        cwd: home.workDirectory,
        env: { ...home.env(engine), TERM: "xterm", LANG: "C.UTF-8", NO_COLOR: "1" },
      });
      const layer = /[0-9a-f]{12} (?:\[[= ]+\] )?\d+\.\d\/[23]\.1 MB/g;

      const screen = await waitFor(
        async () => {
          const text = await readFile(typescript, "utf8");
          return new Set(text.match(layer)?.map((line) => line.slice(0, 12))).size >= 2 ? text : undefined;
        },
        { what: "both layers to be drawn" },
      );

      image.release();
      await running;
      // A line that is longer would wrap, and the cursor would go up too few lines.
      const drawn = stripVTControlCharacters(screen)
        .split(/[\r\n]+/)
        .slice(1);
      expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(columns);
      await engine.cli(["rmi", "--force", image.reference]);
    },
  );
});
