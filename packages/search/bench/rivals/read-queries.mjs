/** What every rival is asked: the queries of a graded set, `relevance-queries.json` unless another file is named. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PUBLIC_SET = fileURLToPath(new URL("../../src/testing/relevance-queries.json", import.meta.url));

/** @param {string | undefined} file @returns {Promise<string[]>} */
export async function readQueries(file) {
  const { queries } = JSON.parse(await readFile(file === undefined ? PUBLIC_SET : path.resolve(file), "utf8"));
  return queries.map(({ query }) => query);
}
