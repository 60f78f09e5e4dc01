/**
 * What Orama 3 finds over the same records as ours: every field searched, with the boosts that MiniSearch has, and its tolerance
 * of mistakes. Install it here first (`npm install --prefix packages/search/bench/rivals`), then:
 *
 *   node bench/rivals/orama.mjs RECORDS_FILE OUT_FILE [SET_FILE]
 *
 * RECORDS_FILE is what `search:relevance --write-records FILE` wrote.
 */
import { readFile, writeFile } from "node:fs/promises";
import { create, insertMultiple, search } from "@orama/orama";
import { readQueries } from "./read-queries.mjs";

const [recordsFile, outFile, setFile] = process.argv.slice(2);
if (recordsFile === undefined || outFile === undefined) {
  console.error("Usage: orama.mjs RECORDS_FILE OUT_FILE [SET_FILE]");
  process.exit(64);
}
const db = create({
  schema: {
    url: "string",
    title: "string",
    heading: "string",
    content: "string",
    keywords: "string",
    category: "string",
  },
  components: { tokenizer: { language: "english", stemming: true } },
});
const records = JSON.parse(await readFile(recordsFile, "utf8"));
await insertMultiple(
  db,
  records.map(({ hierarchy, type, content, keywords, url }) => ({
    url,
    title: hierarchy.lvl1 ?? "",
    heading: type === "lvl1" || type === "content" ? "" : (hierarchy[type] ?? ""),
    content: content ?? "",
    keywords: keywords?.join(" ") ?? "",
    category: hierarchy.lvl0 ?? "",
  })),
);
const answers = {};
for (const query of await readQueries(setFile)) {
  const ask = (rest) =>
    search(db, {
      term: query,
      properties: ["title", "heading", "keywords", "content", "category"],
      boost: { title: 6, heading: 4, keywords: 4, content: 1, category: 0.5 },
      limit: 20,
      ...rest,
    });
  // All words first, then any, then with mistakes, as its documentation advises.
  let found = await ask({ threshold: 0 });
  if (found.count === 0) found = await ask({ threshold: 1 });
  if (found.count === 0) found = await ask({ threshold: 1, tolerance: 1 });
  answers[query] = found.hits.map(({ document }) => document.url);
}
await writeFile(outFile, `${JSON.stringify({ engine: "Orama 3.1.18", answers })}\n`);
console.log(`${records.length} records, ${Object.keys(answers).length} queries`);
