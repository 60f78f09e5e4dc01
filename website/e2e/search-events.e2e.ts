/** What the site's server keeps of searches, by its own process with a file of the test. */
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { endOwnServers, startServer } from "./support/own-server.ts";

test.afterEach(endOwnServers);

async function searchFor(origin: string, query: string): Promise<number> {
  const answer = await fetch(`${origin}/1/indexes/*/queries`, {
    method: "POST",
    body: JSON.stringify({ requests: [{ indexName: "toolhive", query }] }),
  });
  await answer.text();
  return answer.status;
}

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern.
test("a search is written to the events file when the server stops, and the log names the index", async ({}, info) => {
  const eventsFile = info.outputPath("kept/search-events.ndjson");
  const server = await startServer({ SEARCH_EVENTS_FILE: eventsFile });

  expect(await searchFor(server.origin, "secrets")).toBe(200);
  const log = await server.stop();

  expect(
    (await readFile(eventsFile, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { at: expect.any(String), kind: "search", index: "toolhive", query: "secrets", hits: expect.any(Number) },
  ]);
  expect(log).toMatch(/^\S+ info search index loaded \{"index":"toolhive",/m);
});

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern.
test("an events file that cannot be written is reported in the log, and searches go on", async ({}, info) => {
  await writeFile(info.outputPath("no-folder"), "");
  const server = await startServer({ SEARCH_EVENTS_FILE: info.outputPath("no-folder/search-events.ndjson") });

  expect(await searchFor(server.origin, "secrets")).toBe(200);
  const log = await server.stop();

  expect(log).toMatch(/^\S+ warn search events not written \{.*"lines":1/m);
});

test("the words of the page's own buttons and of its feedback line are not in the search index", async () => {
  const server = await startServer({ SEARCH_EVENTS_FILE: "off" });
  const excerpts: string[] = [];
  for (const query of ["Copy page Markdown", "Wrong or missing? Say so"]) {
    const answer = await fetch(`${server.origin}/1/indexes/*/queries`, {
      method: "POST",
      body: JSON.stringify({ requests: [{ indexName: "toolhive", query, hitsPerPage: 20 }] }),
    });
    const { results } = (await answer.json()) as { results: { hits: { content: string | null }[] }[] };
    excerpts.push(...(results[0]?.hits ?? []).map(({ content }) => content ?? ""));
  }
  await server.stop();

  // A guide writes about the button; the button's own words would be a text by themselves.
  expect(excerpts.filter((text) => /Wrong or missing\?|^\s*Copy page\s*$/.test(text))).toEqual([]);
});
