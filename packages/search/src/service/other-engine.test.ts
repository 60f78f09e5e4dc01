import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withDefaults } from "../engine/index-settings.ts";
import { EngineError, type SearchEngine } from "../engine/search-engine.ts";
import {
  buildFixtureIndex,
  createTestFolder,
  modalRequest,
  startTestServer,
  type TestFolder,
} from "../testing/search-server.ts";

let folder: TestFolder;
let indexFile: string;

beforeAll(async () => {
  folder = await createTestFolder();
  indexFile = await buildFixtureIndex(folder.path);
});

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
});

describe("another engine behind the wire", () => {
  const described = { name: "broken", version: "1", settings: withDefaults({}).settings };
  const broken = (error: Error): SearchEngine => ({ ...described, search: () => Promise.reject(error) });
  const listProblems = () => {
    const problems: unknown[] = [];
    const note = (fields: unknown) => void problems.push(fields);
    return { problems, log: { info: () => {}, warn: note, error: note } };
  };

  test.each([
    ["that is defective", new TypeError("secret reason"), { message: "Internal error", status: 500 }],
    ["that is out", new EngineError("secret reason"), { message: "The search engine does not answer", status: 503 }],
  ])("an engine %s, without an index of our own, is an error without its reason", async (_, error, expected) => {
    const { problems, log } = listProblems();
    await using folder = await createTestFolder();
    const missing = join(folder.path, "none");
    await using server = await startTestServer({ indexFile: missing, engine: broken(error), log });
    const response = await server.post("/1/indexes/*/queries", JSON.stringify({ requests: [modalRequest("x")] }));

    expect(response.status).toBe(expected.status);
    expect(await response.json()).toEqual(expected);
    expect(JSON.stringify(problems)).toContain("secret reason");
  });

  test("while an engine is out, our own index answers and says so, and nothing of it is remembered", async () => {
    const { log } = listProblems();
    await using server = await startTestServer({ indexFile, engine: broken(new EngineError("no answer")), log });
    await using own = await startTestServer({ indexFile });
    const expected = await own.search([modalRequest("server")]);

    const first = await server.search([modalRequest("server")]);
    const again = await server.search([modalRequest("server")]);

    expect(first.body.results[0].hits).toEqual(expected.body.results[0].hits);
    expect([first.body.results[0].fallback, again.body.results[0].fallback]).toEqual([true, true]);
    expect(expected.body.results[0].fallback).toBeUndefined();
  });

  test("a new version of an engine is not answered from what is remembered of the old one", async () => {
    const state = { version: "1", total: 1 };
    const answer = { hits: [], facets: {}, words: [], unknown: [], matchTerm: () => undefined };
    const engine: SearchEngine = {
      ...described,
      get version() {
        return state.version;
      },
      search: () => ({ ...answer, total: state.total }),
    };
    await using server = await startTestServer({ indexFile, engine });
    const countHits = async () => (await server.search([modalRequest("server")])).body.results[0].nbHits;

    const before = await countHits();
    state.total = 2;
    const remembered = await countHits();
    state.version = "2";

    expect([before, remembered, await countHits()]).toEqual([1, 1, 2]);
  });

  test("numbers that are estimated are not called exhaustive", async () => {
    const answer = { hits: [], facets: { language: { en: 9 } }, words: [], unknown: [], matchTerm: () => undefined };
    const engine: SearchEngine = { ...described, search: () => ({ ...answer, total: 9, isEstimate: true }) };
    await using server = await startTestServer({ indexFile, engine });

    const { body } = await server.search([{ ...modalRequest("server"), facets: ["language"] }]);

    expect(body.results[0]).toMatchObject({
      exhaustiveNbHits: false,
      exhaustiveFacetsCount: false,
      exhaustive: { nbHits: false, facetsCount: false },
    });
  });
});
