/** What the site's server keeps of searches, by its own process with a file of the test. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { expect, test } from "@playwright/test";

interface OwnServer {
  readonly origin: string;
  /** @returns What it wrote to stderr over its whole life. */
  stop(): Promise<string>;
}

const running = new Set<ChildProcessByStdio<null, Readable, Readable>>();

test.afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
});

async function startServer(eventsFile: string): Promise<OwnServer> {
  const websiteDir = path.join(__dirname, "..");
  const child = spawn(process.execPath, ["dist/server.mjs"], {
    cwd: websiteDir,
    env: { ...process.env, PORT: "0", HOST: "127.0.0.1", ACCESS_LOG: "off", SEARCH_EVENTS_FILE: eventsFile },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const ended = once(child, "close").then(() => running.delete(child));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const address = /http:\S+/.exec(line)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once("close", () => reject(new Error(`The site's server ended before it listened: ${stderr}`)));
  });
  return {
    origin,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      return stderr;
    },
  };
}

async function searchFor(origin: string, query: string): Promise<number> {
  const answer = await fetch(`${origin}/1/indexes/*/queries`, {
    method: "POST",
    body: JSON.stringify({ requests: [{ indexName: "toolhive", query }] }),
  });
  await answer.text();
  return answer.status;
}

// biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern.
test("a search is written to the events file when the server stops, and the log tells of the index", async ({}, info) => {
  const eventsFile = info.outputPath("kept/search-events.ndjson");
  const server = await startServer(eventsFile);

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
test("an events file that cannot be written is told in the log, and searches go on", async ({}, info) => {
  await writeFile(info.outputPath("no-folder"), "");
  const server = await startServer(info.outputPath("no-folder/search-events.ndjson"));

  expect(await searchFor(server.origin, "secrets")).toBe(200);
  const log = await server.stop();

  expect(log).toMatch(/^\S+ warn search events not written \{.*"lines":1/m);
});

test("the words of the page's own buttons and of its feedback line are not in the search index", async () => {
  const server = await startServer("off");
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

  expect(excerpts.filter((text) => /Wrong or missing\?|Copy page/.test(text))).toEqual([]);
});
