/**
 * Runs the commands of every documentation page against the built `thv` and a real engine.
 * `UPDATE_DOCS=1` writes what they print on Docker into the output blocks that differ; Podman's is compared with it.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { describeEngines } from "../index.ts";
import { checkPage, PAGE_TIMEOUT_MS } from "./check-page.ts";
import { nameUnrun } from "./page-registry.ts";
import { ERROR_EXAMPLES, listPages, REMOTE_PAGE, ROOT } from "./pages.ts";
import { parsePage } from "./parse-page.ts";

const pages = await Promise.all(
  (await listPages()).map(async (page) => ({ page, source: await readFile(join(ROOT, page), "utf8") })),
);
/** Those that are run in files of their own. */
const OTHERS = [REMOTE_PAGE, ERROR_EXAMPLES];
const executable = pages
  .filter(({ source }) => parsePage(source).steps.some(({ place }) => place === "engine"))
  .filter(({ page }) => !OTHERS.includes(page))
  .map(({ page, source }) => [page, nameUnrun(source)] as const);

describeEngines("the commands on $kind", (engine) => {
  const isRecording = process.env.UPDATE_DOCS === "1" && engine.kind === "docker";

  test.each(executable)(
    "of %s print what the page shows%s",
    async (page) => await checkPage(page, engine, isRecording),
    PAGE_TIMEOUT_MS,
  );
});
