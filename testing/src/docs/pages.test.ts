import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { listPages, ROOT } from "./pages.ts";
import { parsePage } from "./parse-page.ts";

test.each(await listPages())("%s says of every command block whether it is run, or why not", async (page) => {
  const source = await readFile(join(ROOT, page), "utf8");

  expect(parsePage(source).problems).toEqual([]);
});

test("pages that the site's build makes are not among them, so that a built repository has no more than a fresh one", async () => {
  const root = await mkdtemp(join(tmpdir(), "thv-pages-"));
  try {
    for (const page of ["guides-cli/run.mdx", "reference/errors/usage.mdx"]) {
      const file = join(root, "website/docs/toolhive", page);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, "");
    }

    expect((await listPages(root)).filter((page) => page.startsWith("website/docs/"))).toEqual([
      "website/docs/toolhive/guides-cli/run.mdx",
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
