import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { writeFileAtomically } from "../support/atomic-write.ts";
import { createTestFolder, encodeTinyIndex, modalRequest, startTestServer } from "../testing/search-server.ts";

describe("the index file", () => {
  test("a missing file is 503 it is there", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    await using waiting = await startTestServer({ indexFile: file, watchIntervalMs: 10 });
    const early = await waiting.post("/1/indexes/*/queries", JSON.stringify({ requests: [modalRequest("hello")] }));
    await writeFileAtomically(file, encodeTinyIndex("Hello world"));
    await vi.waitFor(async () => expect((await waiting.search([modalRequest("hello")])).status).toBe(200), 10_000);

    expect(early.status).toBe(503);
    expect(early.headers.get("retry-after")).toBe("1");
    expect((await waiting.search([modalRequest("hello")])).body.results[0].nbHits).toBe(2);
  });

  test("a replaced file is served, never a mixture, also while it is searched", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    const titles = ["Alpha topic", "Beta topic"];
    await writeFileAtomically(file, encodeTinyIndex("Alpha topic", "alpha text of the topic"));
    await using busy = await startTestServer({ indexFile: file });
    const seen = new Set<string>();
    let isDone = false;
    const load = async (): Promise<void> => {
      while (!isDone) {
        const { status, body } = await busy.search([modalRequest("topic")]);
        if (status !== 200) throw new Error(`status ${status}`);
        const words = new Set(body.results[0].hits.map((hit: { hierarchy: { lvl1: string } }) => hit.hierarchy.lvl1));
        if (words.size !== 1) throw new Error("a mixture was served");
        seen.add([...words][0] as string);
      }
    };
    const clients = [load(), load(), load()];
    for (let turn = 0; turn < 20; turn++) {
      const title = titles[turn % 2] as string;
      await writeFileAtomically(file, encodeTinyIndex(title, `${title.toLowerCase()} text of the topic`));
      await busy.service.reload();
    }
    isDone = true;
    await Promise.all(clients);

    expect([...seen].sort()).toEqual(titles);
  });

  test("a damaged or deleted file leaves the old index serving", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    const warnings: string[] = [];
    const log = { info: () => {}, error: () => {}, warn: (_: unknown, message: string) => warnings.push(message) };
    await writeFileAtomically(file, encodeTinyIndex("Hello world"));
    await using steady = await startTestServer({ indexFile: file, log });
    expect((await steady.search([modalRequest("hello")])).status).toBe(200);

    await writeFile(file, "garbage");
    expect(await steady.service.reload()).toBe(false);
    await rm(file);
    expect(await steady.service.reload()).toBe(false);

    expect((await steady.search([modalRequest("hello")])).body.results[0].nbHits).toBe(2);
    expect(warnings).toEqual(["search index not loaded", "search index not loaded"]);
  });

  test("answers of an old index are not given once a new one is served", async () => {
    await using own = await createTestFolder();
    const file = join(own.path, "index");
    await writeFileAtomically(file, encodeTinyIndex("Topic before"));
    await using changing = await startTestServer({ indexFile: file });
    await changing.search([modalRequest("topic")]);
    await writeFileAtomically(file, encodeTinyIndex("Topic after"));
    await changing.service.reload();

    const { body } = await changing.search([modalRequest("topic")]);

    expect(body.results[0].hits[0].hierarchy.lvl1).toBe("Topic after");
  });
});
