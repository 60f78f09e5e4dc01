import { describe, expect, test } from "vitest";
import { EMPTY_HIERARCHY, type SearchRecord } from "../../records/search-record.ts";
import { buildIndexData } from "../index/build-index-data.ts";
import { decodeIndex, encodeIndex } from "../index/index-format.ts";
import type { EngineAnswer, EngineQuery } from "../search-engine.ts";
import { OwnEngine } from "./memory-engine.ts";

interface Section {
  heading?: string;
  /** Of the heading. */
  questions?: string[];
  text?: string;
  more?: string;
}

interface Page {
  path: string;
  title: string;
  keywords?: string[];
  questions?: string[];
  pageRank?: number;
  tag?: string;
  sections?: Section[];
}

function createRecords(page: Page): SearchRecord[] {
  const { path, title, keywords = [], questions = [], pageRank = 0, tag = "docs", sections = [] } = page;
  const base = { ...EMPTY_HIERARCHY, lvl0: "Docs", lvl1: title };
  const url = `https://x.test${path}`;
  const drafts: Partial<SearchRecord>[] = [
    { type: "lvl1", content: null, hierarchy: base, anchor: null, keywords, questions },
  ];
  for (const [number, { heading, questions: asked = [], text, more }] of sections.entries()) {
    const anchor = `s${number}`;
    const hierarchy = heading === undefined ? base : { ...base, lvl2: heading };
    if (heading !== undefined) drafts.push({ type: "lvl2", content: null, hierarchy, anchor, questions: asked });
    for (const content of [text, more])
      if (content !== undefined) drafts.push({ type: "content", content, hierarchy, anchor });
  }
  return drafts.map((draft, position) => ({
    objectID: `${position}-${url}`,
    url: draft.anchor === null ? url : `${url}#${draft.anchor}`,
    url_without_anchor: url,
    weight: { pageRank, level: 0, position },
    language: "en",
    tag,
    ...draft,
  })) as SearchRecord[];
}

function createEngine(pages: Page[], settings: Record<string, unknown> = {}): OwnEngine {
  const data = buildIndexData({ indexName: "docs", records: pages.flatMap(createRecords), settings });
  const file = Buffer.concat(encodeIndex(data));
  return new OwnEngine({ data: decodeIndex(file) });
}

function ask(engine: OwnEngine, text: string, changes: Partial<EngineQuery> = {}): EngineAnswer {
  const query: EngineQuery = {
    text,
    filter: [],
    facets: [],
    offset: 0,
    limit: 20,
    typoTolerance: true,
    queryType: "prefixLast",
  };
  return engine.search({ ...query, ...changes });
}

const urls = ({ hits }: EngineAnswer): string[] => hits.map(({ record }) => record.url.replace("https://x.test", ""));

const SITE: Page[] = [
  {
    path: "/run",
    title: "thv run",
    sections: [{ heading: "Options", text: "--permission-profile limits what a server reaches" }],
  },
  { path: "/list", title: "thv list", sections: [{ text: "Lists servers. See list-registered for clients." }] },
  { path: "/registered", title: "thv client list-registered" },
  {
    path: "/secrets",
    title: "Secrets management",
    keywords: ["vault"],
    sections: [{ heading: "Store a secret", text: "Keep keys encrypted." }],
  },
  {
    path: "/network",
    title: "Network isolation",
    sections: [{ text: "Permission profiles allow hosts on port 8080." }],
  },
  { path: "/crd", title: "Reference", sections: [{ heading: "Fields", text: "podTemplateSpec and MCPServerSpec" }] },
];

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
    expect(urls(ask(engine, query))[0]).toBe(url);
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

    expect(urls(ask(named, "registry"))[0]).toBe("/short");
    expect(urls(ask(named, "port forward"))[0]).toBe("/short");
  });

  test("a heading that is the query word for word, stop words too, comes before others with the same subject", () => {
    const asked = createEngine([
      { path: "/when", title: "Uses", sections: [{ heading: "When is MCP?", text: "A protocol." }] },
      { path: "/what", title: "Terms", sections: [{ heading: "What is MCP?", text: "A protocol." }] },
      { path: "/why", title: "Goals", sections: [{ heading: "Why is MCP?", text: "A protocol." }] },
    ]);

    expect(urls(ask(asked, "what is mcp"))[0]).toMatch(/^\/what/);
    expect(urls(ask(asked, "why is mcp"))[0]).toMatch(/^\/why/);
  });

  test("words that stand in one section answer more than words far apart on a page", () => {
    const kept = createEngine([
      { path: "/apart", title: "One", sections: [{ text: "Move a folder." }, { text: "A backup helps." }] },
      { path: "/together", title: "Two", sections: [{ text: "Move a folder.", more: "A backup helps." }] },
    ]);

    expect(urls(ask(kept, "folder backup"))[0]).toMatch(/^\/together/);
  });

  test("how a question asks decides less than what it asks for, and as words alone the same words count fully", () => {
    const asked = createEngine([
      { path: "/make", title: "Make a way" },
      { path: "/backup", title: "Nightly copies", sections: [{ text: "A backup." }] },
    ]);

    expect(urls(ask(asked, "how do I make a backup"))[0]).toMatch(/^\/backup/);
    expect(urls(ask(asked, "make backup"))[0]).toBe("/make");
  });

  test("words that must all occur keep pages without them out", () => {
    expect(urls(ask(engine, "permission profiles")).every((url) => /^\/(?:run|network)/.test(url))).toBe(true);
  });

  test("numbers are never taken for typing mistakes", () => {
    expect(urls(ask(engine, "8080"))).toEqual(["/network#s0"]);
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
    expect(urls(ask(engine, "secrets zzzzz"))[0]).toBe("/secrets");
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
    expect(urls(ask(engine, '"permission profiles"'))).toEqual(["/network#s0"]);
  });

  test("one url is one hit", () => {
    const found = urls(ask(engine, "store secret"));

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
    const pages = urls(answer).map((url) => url.split("#")[0]);

    expect(new Set(pages).size).toBe(13);
    expect(pages.filter((page) => page === "/long").length).toBeLessThanOrEqual(8);
    expect(answer.total).toBe(41 + 12);
  });

  test("pages of an answer do not overlap and hold everything together", () => {
    const many = createEngine(
      Array.from({ length: 30 }, (_, at) => ({ path: `/p${at}`, title: `Topic ${at}`, sections: [{ text: "topic" }] })),
    );
    const all = urls(ask(many, "topic", { limit: 1000 }));
    const paged = [0, 7, 14, 21, 28, 35, 42, 49, 56].flatMap((offset) =>
      urls(ask(many, "topic", { offset, limit: 7 })),
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
    const found = (filter: EngineQuery["filter"]): string[] => urls(ask(tagged, "topic", { filter })).sort();

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
    const before = urls(ask(fresh, "permission"));
    for (const query of ["secr", "thv", "netwrok isolation", "zzzz", "list-registered secrets network"])
      ask(fresh, query);

    expect(urls(ask(fresh, "permission"))).toEqual(before);
  });

  test("an empty index answers", () => {
    expect(ask(createEngine([]), "anything")).toMatchObject({ hits: [], total: 0 });
  });

  test("very long queries are answered by their beginning", () => {
    expect(urls(ask(engine, `secrets ${"x".repeat(10_000)}`))[0]).toBe("/secrets");
    expect(() => ask(engine, "a b c d e f g h i j k l m n o p q r s t u v w x y z ".repeat(200))).not.toThrow();
  });
});

describe("decodeIndex", () => {
  const file = Buffer.concat(encodeIndex(buildIndexData({ indexName: "docs", records: SITE.flatMap(createRecords) })));

  test("reads from any offset of a larger buffer", () => {
    const shifted = Buffer.concat([Buffer.alloc(3), file]).subarray(3);

    expect(decodeIndex(shifted).meta.recordCount).toBe(SITE.flatMap(createRecords).length);
  });

  test.each([
    ["empty", Buffer.alloc(0)],
    ["something else", Buffer.from("<!doctype html><html></html>")],
    ["cut", file.subarray(0, file.length - 100)],
    ["damaged", Buffer.concat([file.subarray(0, 500), Buffer.from([1, 2, 3]), file.subarray(503)])],
    ["another version", Buffer.concat([file.subarray(0, 7), Buffer.from([99]), file.subarray(8)])],
  ])("refuses a file that is %s", (_, bytes) => {
    expect(() => decodeIndex(bytes)).toThrow(expect.objectContaining({ name: "IndexFormatError" }));
  });

  test("equal records give an equal version, other records another", () => {
    const buildVersion = (pages: Page[]): string =>
      buildIndexData({ indexName: "docs", records: pages.flatMap(createRecords) }).meta.version;

    expect(buildVersion(SITE)).toBe(buildVersion(SITE));
    expect(buildVersion(SITE)).not.toBe(buildVersion(SITE.slice(1)));
  });
});

describe("what is asked for", () => {
  test("a page is found by a question that it answers, in words that it does not use", () => {
    const engine = createEngine([
      {
        path: "/a",
        title: "Manage secrets",
        questions: ["Where do I put my API key?"],
        sections: [{ text: "A store." }],
      },
      { path: "/b", title: "Install", sections: [{ text: "Put the program into a folder." }] },
    ]);

    expect(urls(ask(engine, "where to put an api key"))[0]).toBe("/a");
  });

  test("an identifier is found as it is written before its words in another form", () => {
    const engine = createEngine([
      {
        path: "/flag",
        title: "thv run",
        sections: [{ heading: "--proxy-port", text: "--proxy-port is the proxy port" }],
      },
      { path: "/json", title: "Run configuration", sections: [{ text: "The member proxy_port is a number." }] },
    ]);

    expect(urls(ask(engine, "proxy_port"))[0]).toBe("/json#s0");
    expect(urls(ask(engine, "proxy_port"))).toContain("/flag#s0");
    expect(urls(ask(engine, "--proxy-port"))[0]).toBe("/flag#s0");
  });

  test("a section that answers comes before its page, and a page before its sections when it is named", () => {
    const engine = createEngine([
      {
        path: "/run",
        title: "Run servers",
        sections: [
          { heading: "Choose the port", text: "The proxy listens on a port." },
          { heading: "Mount a folder", text: "A folder of this machine." },
        ],
      },
      { path: "/other", title: "Other", sections: [{ text: "A port is a number." }] },
    ]);

    expect(urls(ask(engine, "choose the port"))[0]).toBe("/run#s0");
    expect(urls(ask(engine, "chose the prot"))[0]).toBe("/run#s0");
    expect(urls(ask(engine, "run servers"))[0]).toBe("/run");
  });

  test("a section is found by a question that it answers, in words that the page does not use", () => {
    const engine = createEngine([
      {
        path: "/run",
        title: "Run servers",
        sections: [
          { heading: "Choose the port", text: "The proxy listens there. Share nothing else." },
          {
            heading: "Mount a folder",
            questions: ["How do I share my documents?"],
            text: "A directory of this machine.",
          },
        ],
      },
      { path: "/other", title: "Other", sections: [{ text: "Share a screen." }] },
    ]);

    expect(urls(ask(engine, "share documents with a server"))[0]).toBe("/run#s1");
  });

  test("what tells the sections of a page apart decides between them, not what all of them say", () => {
    const engine = createEngine([
      {
        path: "/secrets",
        title: "Keys",
        sections: [
          { heading: "Server keys of a server", text: "A server reads the keys of the server." },
          { heading: "Rotation", text: "Replace a value of a server." },
          { heading: "Storage", text: "Where a server has them." },
        ],
      },
      { path: "/other", title: "Other", sections: [{ text: "A server." }] },
    ]);

    expect(urls(ask(engine, "server rotation"))[0]).toBe("/secrets#s1");
    expect(urls(ask(engine, "server storage"))[0]).toBe("/secrets#s2");
  });

  test("a section for problems comes behind those whose words it repeats, unless the query says that something fails", () => {
    const engine = createEngine([
      {
        path: "/groups",
        title: "Groups",
        sections: [
          { heading: "Choose its tools", text: "Clients of a group see all tools, until you choose." },
          {
            heading: "Troubleshooting",
            text: "Tools of a group are missing: the tools of the group are hidden from clients.",
          },
        ],
      },
    ]);
    const findSection = (query: string) => urls(ask(engine, query)).filter((url) => url.includes("#"))[0];

    expect(findSection("group tools")).toBe("/groups#s0");
    expect(findSection("tools of a group are missing")).toBe("/groups#s1");
  });

  test("of two sections with the words of a message as a program prints it, the one for problems comes first", () => {
    const text = "Bind failed: port is already allocated.";
    const sections = [
      { heading: "Notes", text },
      { heading: "Troubleshooting", text },
    ];
    const engine = createEngine([{ path: "/run", title: "Run servers", sections }]);
    const findSection = (query: string) => urls(ask(engine, query)).filter((url) => url.includes("#"))[0];

    expect(findSection("Error: Bind for 0.0.0.0:8080 failed: port is already allocated.")).toBe("/run#s1");
    expect(findSection("port allocated")).toBe("/run#s0");
  });

  test("a path of fields that no text has is found by its last field", () => {
    const engine = createEngine([
      { path: "/crd", title: "Resource", sections: [{ heading: "Fields", text: "targetPort is the port." }] },
      { path: "/ports", title: "Ports", sections: [{ text: "A spec, a target, and a port." }] },
    ]);

    expect(urls(ask(engine, "spec.targetPort"))[0]).toBe("/crd#s0");
  });

  test("a path of fields that a text quotes is found by its last field as well, and a file's name is not", () => {
    const engine = createEngine([
      { path: "/message", title: "Messages", sections: [{ text: "Set spec.targetPort." }] },
      { path: "/crd", title: "Resource", sections: [{ heading: "Fields", text: "targetPort is the port." }] },
      { path: "/file", title: "Files", sections: [{ text: "Edit mcp.json." }] },
      { path: "/json", title: "JSON", sections: [{ text: "It is json." }] },
    ]);

    expect(urls(ask(engine, "spec.targetPort")).some((url) => url.startsWith("/crd"))).toBe(true);
    expect(urls(ask(engine, "mcp.json")).some((url) => url.startsWith("/json"))).toBe(false);
  });

  test("a page with a word comes before one with what the thesaurus says for it, which is found as well", () => {
    const engine = createEngine(
      [
        { path: "/erase", title: "Erase disks", sections: [{ text: "Disks." }] },
        { path: "/remove", title: "Remove disks", sections: [{ text: "Disks. Remove, remove." }] },
      ],
      { synonyms: [["erase", "remove"]] },
    );

    expect(urls(ask(engine, "erase disks")).map((url) => url.replace(/#.*/, ""))).toEqual([
      "/erase",
      "/erase",
      "/remove",
      "/remove",
    ]);
  });

  test.each([
    'Cannot connect to the daemon at "unix:///var/run/engine.sock"',
    "connect ECONNREFUSED 127.0.0.1:8080",
    "daemon socket exited with code 1",
  ])("%j has no preference for guides", (message) => {
    const engine = createEngine([
      {
        path: "/guide",
        title: "Start the daemon",
        pageRank: 1,
        sections: [{ text: "Connect a socket. Code 1 and 127." }],
      },
      {
        path: "/errors/engine",
        title: "Engine errors",
        pageRank: -1,
        sections: [
          { text: "cannot connect to the daemon socket at var run engine sock ECONNREFUSED exited with code 1" },
        ],
      },
    ]);

    expect(urls(ask(engine, message))[0]).toBe("/errors/engine#s0");
  });

  test("words that no page has are named, with the nearest that some have", () => {
    const engine = createEngine(SITE);

    expect(ask(engine, "secrets frobnicate").unknown).toEqual([{ word: "frobnicate", nearest: [] }]);
    expect(ask(engine, "kes list", { typoTolerance: false }).unknown).toEqual([{ word: "kes", nearest: ["keys"] }]);
    expect(ask(engine, "secrets").unknown).toEqual([]);
  });

  test("nothing is found by words of asking alone, when the other words are on no page", () => {
    const engine = createEngine([{ path: "/a", title: "Use it", sections: [{ text: "How to use this thing." }] }]);

    const answer = ask(engine, "how to use frobnication");
    expect(answer).toMatchObject({ total: 0, hits: [] });
    expect(answer.unknown.map(({ word }) => word)).toEqual(["frobnication"]);
    expect(ask(engine, "use").total).toBeGreaterThan(0);
  });

  test("a word of the thesaurus finds what texts say for it", () => {
    const engine = createEngine([
      { path: "/completion", title: "Set up completion", sections: [{ text: "For your shell." }] },
      { path: "/other", title: "Other", sections: [{ text: "Something else." }] },
    ]);

    expect(urls(ask(engine, "autocomplete"))[0]).toBe("/completion");
    expect(ask(engine, "autocomplete").unknown).toEqual([]);
  });
});
