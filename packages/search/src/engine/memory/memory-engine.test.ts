import { describe, expect, test } from "vitest";
import { ask, createEngine, listUrls, type Page, SITE } from "../../testing/small-engine.ts";
import type { EngineQuery } from "../search-engine.ts";

describe("OwnEngine", () => {
  const engine = createEngine(SITE);

  test.each([
    ["secrets", "/secrets"],
    ["secr", "/secrets"],
    ["storing secret", "/secrets#s0"],
    ["vault", "/secrets"],
    ["thv run", "/run"],
    ["thv_run", "/run"],
    ["list-registered", "/registered"],
    ["list registered", "/registered"],
    ["listRegistered", "/registered"],
    ["--permission-profile", "/run#s0"],
    ["--perm", "/run#s0"],
    ["podTemplateSpec", "/crd#s0"],
    ["mcpserverspec", "/crd#s0"],
    ["pod template", "/crd#s0"],
    ["networkisolation", "/network"],
    ["net work isolation", "/network"],
    ["netwrok isolation", "/network"],
    ["netw iso", "/network"],
    ["isolaiton", "/network"],
    ["how do I store a secret", "/secrets#s0"],
  ])("%j finds %s first", (query, url) => {
    expect(listUrls(ask(engine, query))[0]).toBe(url);
  });

  test("a page whose name the query says nearly whole comes before one with a longer name, titles and aliases alike", () => {
    const named = createEngine([
      {
        path: "/long",
        title: "Registry of tools, prompts and resources",
        keywords: ["port forward from another host"],
      },
      { path: "/short", title: "Registry criteria", keywords: ["port forward"] },
    ]);

    expect(listUrls(ask(named, "registry"))[0]).toBe("/short");
    expect(listUrls(ask(named, "port forward"))[0]).toBe("/short");
  });

  test("a heading that is the query word for word, stop words too, comes before others with the same subject", () => {
    const asked = createEngine([
      { path: "/when", title: "Uses", sections: [{ heading: "When is MCP?", text: "A protocol." }] },
      { path: "/what", title: "Terms", sections: [{ heading: "What is MCP?", text: "A protocol." }] },
      { path: "/why", title: "Goals", sections: [{ heading: "Why is MCP?", text: "A protocol." }] },
    ]);

    expect(listUrls(ask(asked, "what is mcp"))[0]).toMatch(/^\/what/);
    expect(listUrls(ask(asked, "why is mcp"))[0]).toMatch(/^\/why/);
  });

  test("words that stand in one section answer more than words far apart on a page", () => {
    const kept = createEngine([
      { path: "/apart", title: "One", sections: [{ text: "Move a folder." }, { text: "A backup helps." }] },
      { path: "/together", title: "Two", sections: [{ text: "Move a folder.", more: "A backup helps." }] },
    ]);

    expect(listUrls(ask(kept, "folder backup"))[0]).toMatch(/^\/together/);
  });

  test("how a question asks decides less than what it asks for, and as words alone the same words count fully", () => {
    const asked = createEngine([
      { path: "/make", title: "Make a way" },
      { path: "/backup", title: "Nightly copies", sections: [{ text: "A backup." }] },
    ]);

    expect(listUrls(ask(asked, "how do I make a backup"))[0]).toMatch(/^\/backup/);
    expect(listUrls(ask(asked, "make backup"))[0]).toBe("/make");
  });

  test("words that must all occur keep pages without them out", () => {
    expect(listUrls(ask(engine, "permission profiles")).every((url) => /^\/(?:run|network)/.test(url))).toBe(true);
  });

  test("numbers are never taken for typing mistakes", () => {
    expect(listUrls(ask(engine, "8080"))).toEqual(["/network#s0"]);
    expect(ask(engine, "8081").total).toBe(0);
  });

  test("mistakes are not forgiven when the client forbids it", () => {
    expect(ask(engine, "isolaiton", { typoTolerance: false }).total).toBe(0);
  });

  test("without prefixes a word must be whole", () => {
    expect(ask(engine, "netw", { queryType: "prefixNone", typoTolerance: false }).total).toBe(0);
    expect(ask(engine, "netw ", { typoTolerance: false }).total).toBeGreaterThan(0);
  });

  test("a word that is nowhere leaves what the others find", () => {
    expect(listUrls(ask(engine, "secrets zzzzz"))[0]).toBe("/secrets");
  });

  test.each(["run_secrets", "--unheard-of-permission", "zzz set-network"])(
    "%j, which nobody wrote, finds its parts",
    (query) => {
      expect(ask(engine, query).total).toBeGreaterThan(0);
    },
  );

  test("only stop words are searched as words", () => {
    expect(ask(engine, "what a").total).toBeGreaterThan(0);
  });

  test("a quoted phrase must stand together", () => {
    expect(listUrls(ask(engine, '"permission profiles"'))).toEqual(["/network#s0"]);
  });

  test("one url is one hit", () => {
    const found = listUrls(ask(engine, "store secret"));

    expect(new Set(found).size).toBe(found.length);
  });

  test("blanks give every page, no letters give nothing", () => {
    expect(ask(engine, "  ").total).toBe(SITE.length);
    expect(ask(engine, "🙂").total).toBe(0);
    expect(ask(engine, "--").total).toBe(0);
  });

  test("one long page does not fill the answer", () => {
    const long: Page = {
      path: "/long",
      title: "Topic",
      sections: Array.from({ length: 40 }, (_, at) => ({ heading: `Topic ${at}` })),
    };
    const others = Array.from(
      { length: 12 },
      (_, at): Page => ({ path: `/other${at}`, title: `Page ${at}`, sections: [{ text: "On the topic." }] }),
    );
    const answer = ask(createEngine([long, ...others]), "topic");
    const pages = listUrls(answer).map((url) => url.split("#")[0]);

    expect(new Set(pages).size).toBe(13);
    expect(pages.filter((page) => page === "/long").length).toBeLessThanOrEqual(8);
    expect(answer.total).toBe(41 + 12);
  });

  test("pages of an answer do not overlap and hold everything together", () => {
    const many = createEngine(
      Array.from({ length: 30 }, (_, at) => ({ path: `/p${at}`, title: `Topic ${at}`, sections: [{ text: "topic" }] })),
    );
    const all = listUrls(ask(many, "topic", { limit: 1000 }));
    const paged = [0, 7, 14, 21, 28, 35, 42, 49, 56].flatMap((offset) =>
      listUrls(ask(many, "topic", { offset, limit: 7 })),
    );

    expect(all.length).toBe(60);
    expect(paged).toEqual(all);
    expect(ask(many, "topic", { offset: 1_000_000, limit: 20 }).hits).toEqual([]);
  });

  test("filters with and, or and not", () => {
    const tagged = createEngine(
      ["old", "new", "next"].map((tag) => ({ path: `/${tag}`, title: "Topic", tag })),
      { attributesForFaceting: ["tag", "filterOnly(language)"] },
    );
    const term = (value: string, isNegated = false) => ({ attribute: "tag", value, isNegated });
    const found = (filter: EngineQuery["filter"]): string[] => listUrls(ask(tagged, "topic", { filter })).sort();

    expect(found([[term("old"), term("new")]])).toEqual(["/new", "/old"]);
    expect(found([[term("old")], [term("new")]])).toEqual([]);
    expect(found([[term("old", true)]])).toEqual(["/new", "/next"]);
    expect(found([[{ attribute: "language", value: "en", isNegated: false }]])).toHaveLength(3);
    expect(found([[{ attribute: "unknown", value: "x", isNegated: false }]])).toEqual([]);
  });

  test("facets are counted over the hits", () => {
    const tagged = createEngine(
      ["old", "new", "new"].map((tag, at) => ({ path: `/${at}`, title: "Topic", tag })),
      { attributesForFaceting: ["tag"] },
    );

    expect(ask(tagged, "topic", { facets: ["tag"] }).facets).toEqual({ tag: { new: 2, old: 1 } });
    expect(ask(tagged, "topic", { facets: ["*"], limit: 0 }).facets).toEqual({ tag: { new: 2, old: 1 } });
    expect(ask(tagged, "absent", { facets: ["tag"] }).facets).toEqual({});
  });

  test("searching leaves no trace in the next search", () => {
    const fresh = createEngine(SITE);
    const before = listUrls(ask(fresh, "permission"));
    for (const query of ["secr", "thv", "netwrok isolation", "zzzz", "list-registered secrets network"])
      ask(fresh, query);

    expect(listUrls(ask(fresh, "permission"))).toEqual(before);
  });

  test("an empty index answers", () => {
    expect(ask(createEngine([]), "anything")).toMatchObject({ hits: [], total: 0 });
  });

  test("very long queries are answered by their beginning", () => {
    expect(listUrls(ask(engine, `secrets ${"x".repeat(10_000)}`))[0]).toBe("/secrets");
    expect(() => ask(engine, "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(200))).not.toThrow();
  });
});
