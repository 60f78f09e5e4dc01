/** What every engine behind the wire must do, whatever it is made of. */
import { expect, test } from "vitest";
import type { EngineAnswer, EngineQuery, SearchEngine } from "../engine/search-engine.ts";
import { PLAIN_QUERY } from "./plain-query.ts";

/** @param getEngine The engine, filled with the records of the fixture site. */
export function describeSearchEngineContract(getEngine: () => SearchEngine): void {
  const ask = async (text: string, changes: Partial<EngineQuery> = {}): Promise<EngineAnswer> =>
    getEngine().search({ ...PLAIN_QUERY, text, ...changes });
  const pagesFor = async (text: string): Promise<string[]> => {
    const { hits } = await ask(text);
    return [...new Set(hits.map(({ record }) => record.url_without_anchor.replace(/^https?:\/\/[^/]+\/toolhive/, "")))];
  };

  test.each([
    ["secrets management", /\/secrets-management$/],
    ["thv run", /\/thv_run$/],
    ["secr", /secret/],
    ["netwrok isolation", /\/network-isolation$/],
    ["set-ca-cert", /thv_config_set-ca-cert$/],
    ["thv stp", /\/thv_stop$/],
    ["podTemplateSpec", /mcpserver$|run-mcp-k8s$/],
  ])("%j has the page among the first three", async (query, page) => {
    expect((await pagesFor(query)).slice(0, 3).some((found) => page.test(found))).toBe(true);
  });

  test("hits of an answer have different urls, and pages of answers do not overlap", async () => {
    const first = await ask("server", { limit: 10 });
    const second = await ask("server", { limit: 10, offset: 10 });
    const urls = [...first.hits, ...second.hits].map(({ record }) => record.url);

    expect(new Set(urls).size).toBe(20);
    expect(first.total).toBeGreaterThanOrEqual(20);
    expect(second.total).toBe(first.total);
  });

  test("filters are kept", async () => {
    const term = (value: string, isNegated = false) => ({ attribute: "language", value, isNegated });

    expect((await ask("server", { filter: [[term("de")]] })).total).toBe(0);
    expect((await ask("server", { filter: [[term("de"), term("en")]] })).total).toBeGreaterThan(0);
    expect((await ask("server", { filter: [[term("en", true)]] })).total).toBe(0);
  });

  test("facets are counted", async () => {
    const { facets } = await ask("server", { facets: ["language"], limit: 0 });

    expect(facets.language?.en).toBeGreaterThan(0);
  });

  test("nonsense and symbols find nothing and do no harm", async () => {
    expect((await ask("🙂")).total).toBe(0);
    expect((await ask("qqqqzzzzxxxx")).total).toBe(0);
    expect((await ask('"(*) AND \\ ~ ^ : /')).total).toBeGreaterThanOrEqual(0);
  });

  test("what matched can be marked in a text", async () => {
    const { matchTerm, words } = await ask("secrets manag");

    expect(words).toEqual(["secrets", "manag"]);
    expect(matchTerm("secrets")).toMatchObject({ word: 0 });
    expect(matchTerm("management")?.word).toBe(1);
    expect(matchTerm("unrelated")).toBeUndefined();
  });
}
