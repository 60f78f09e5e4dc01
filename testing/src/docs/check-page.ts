/** A page of the documentation on an engine, with a home of its own. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestEngine } from "../engines/start-engines.ts";
import { requireThv } from "../run-thv.ts";
import { ThrowawayHome } from "../throwaway-home.ts";
import { PageRegistry } from "./page-registry.ts";
import { ROOT } from "./pages.ts";
import { runPage } from "./run-page.ts";

/** A page runs up to fifty commands, each of which may take seconds on a slow machine. */
export const PAGE_TIMEOUT_MS = 600_000;

/**
 * Expects that the commands print what the page shows.
 *
 * @param page Relative to the repository.
 * @param isRecording Write what they print into the output blocks that differ.
 */
export async function checkPage(page: string, engine: TestEngine, isRecording: boolean): Promise<void> {
  requireThv();
  await using home = await ThrowawayHome.create();
  const file = join(ROOT, page);
  const source = await readFile(file, "utf8");
  await using registry = await PageRegistry.start(source);

  const result = await runPage(source, {
    cwd: home.workDirectory,
    // Base images cannot be pulled here; this one holds what the sidecar's image is built from.
    env: { ...home.env(engine), TERM: "dumb", TOOLHIVE_SIDECAR_BASE_IMAGE: "toolhive-test/sidecar-base:test" },
    aliases: new Map([[home.path, "~"]]),
    stands: registry.stands,
    canRun: (step) => registry.canRun(step),
    isRecording,
  });
  if (result.source !== source) await writeFile(file, result.source);

  expect(result.failures.join("\n\n")).toBe("");
}
