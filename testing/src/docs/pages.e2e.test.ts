/**
 * Runs the commands of every documentation page against the built `thv` and a real engine.
 * `UPDATE_DOCS=1` writes what they print into the output blocks that differ; run it with one engine's output in mind:
 * the first one records, the others compare.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeEngines, getTestEngines, ThrowawayHome } from "../index.ts";
import { requireThv } from "../run-thv.ts";
import { ERROR_EXAMPLES, listPages, REMOTE_PAGE, ROOT } from "./pages.ts";
import { parsePage } from "./parse-page.ts";
import { runPage } from "./run-page.ts";

const pages = await Promise.all(
  (await listPages()).map(async (page) => ({ page, source: await readFile(join(ROOT, page), "utf8") })),
);
const executable = pages
  .filter(({ source }) => parsePage(source).steps.some(({ place }) => place === "engine"))
  .filter(({ page }) => page !== REMOTE_PAGE)
  .map(({ page }) => page);

/** A page runs up to fifty commands, each of which may take seconds on a slow machine. */
const PAGE_TIMEOUT_MS = 300_000;

describeEngines("the commands on $kind", (engine) => {
  const isRecording = process.env.UPDATE_DOCS === "1" && engine.kind === getTestEngines()[0]?.kind;

  // What a failure says does not depend on the engine.
  const own = executable.filter((page) => page !== ERROR_EXAMPLES || engine.kind === getTestEngines()[0]?.kind);

  test.each(own)(
    "of %s print what the page shows",
    async (page) => {
      requireThv();
      await using home = await ThrowawayHome.create();
      const file = join(ROOT, page);
      const source = await readFile(file, "utf8");

      const result = await runPage(source, {
        cwd: home.workDirectory,
        // Base images cannot be pulled here; this one holds what the sidecar's image is built from.
        env: { ...home.env(engine), TERM: "dumb", TOOLHIVE_SIDECAR_BASE_IMAGE: "toolhive-test/sidecar-base:test" },
        aliases: new Map([[home.path, "~"]]),
        isRecording,
      });
      if (result.source !== source) await writeFile(file, result.source);

      expect(result.failures.join("\n\n")).toBe("");
    },
    PAGE_TIMEOUT_MS,
  );
});
