import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listPages, ROOT } from "./pages.ts";
import { parsePage } from "./parse-page.ts";

test.each(await listPages())("%s says of every command block whether it is run, or why not", async (page) => {
  const source = await readFile(join(ROOT, page), "utf8");

  expect(parsePage(source).problems).toEqual([]);
});
