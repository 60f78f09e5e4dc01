import { expect, test } from "vitest";
import { PLAIN_QUERY } from "../testing/plain-query.ts";
import { FallbackEngine } from "./fallback-engine.ts";
import { DEFAULT_SETTINGS } from "./index-settings.ts";
import { type EngineAnswer, EngineError, type EngineQuery, type SearchEngine } from "./search-engine.ts";

const QUERY: EngineQuery = { ...PLAIN_QUERY, text: "server", limit: 1 };

function createAnswer(total: number): EngineAnswer {
  return { hits: [], total, facets: {}, words: [], unknown: [], matchTerm: () => undefined };
}

/** Answers of the first engine say 1, those of the fallback 2. */
function createEngines() {
  const state = { now: 0, asked: 0, isBroken: false, hasFallback: true };
  const messages: string[] = [];
  const described = { version: "1", settings: DEFAULT_SETTINGS };
  const first: SearchEngine = {
    ...described,
    name: "first",
    search: async () => {
      state.asked += 1;
      if (state.isBroken) throw new EngineError("no answer");
      return createAnswer(1);
    },
  };
  const own: SearchEngine = { ...described, name: "own", search: () => createAnswer(2) };
  const note = (_fields: unknown, message: string) => void messages.push(message);
  const engine = new FallbackEngine({
    engine: first,
    findFallback: () => (state.hasFallback ? own : undefined),
    log: { info: note, warn: note, error: note },
    now: () => state.now,
  });
  const ask = async () => {
    const { total, isFallback = false } = await engine.search(QUERY);
    return [total, isFallback];
  };
  return { state, messages, ask, engine };
}

test("answers are the first engine's while it answers", async () => {
  const { ask, messages } = createEngines();

  expect([await ask(), messages]).toEqual([[1, false], []]);
});

test("while it fails, our own index answers, says so, and it is asked again later and later", async () => {
  const { state, ask, messages } = createEngines();
  state.isBroken = true;

  const together = await Promise.all([ask(), ask(), ask()]);
  expect(together).toEqual([
    [2, true],
    [2, true],
    [2, true],
  ]);
  expect(await ask()).toEqual([2, true]);
  expect(state.asked).toBe(3);
  state.now += 1_000;
  await Promise.all([ask(), ask(), ask()]);
  expect(state.asked).toBe(4);
  state.now += 1_000;
  await ask();
  expect(state.asked).toBe(4);
  state.now += 1_000;
  await ask();
  expect(state.asked).toBe(5);

  state.isBroken = false;
  state.now += 30_000;
  expect([await ask(), await ask()]).toEqual([
    [1, false],
    [1, false],
  ]);
  expect(messages).toEqual(["search engine does not answer, our own index does", "search engine answers again"]);
});

test("without an index of our own its error reaches the reader", async () => {
  const { state, ask } = createEngines();
  state.isBroken = true;
  state.hasFallback = false;

  await expect(ask()).rejects.toThrow("no answer");
});
