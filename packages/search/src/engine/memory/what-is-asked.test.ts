import { describe, expect, test } from "vitest";
import { ask, createEngine, listUrls, SITE } from "../../testing/small-engine.ts";

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

    expect(listUrls(ask(engine, "where to put an api key"))[0]).toBe("/a");
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

    expect(listUrls(ask(engine, "proxy_port"))[0]).toBe("/json#s0");
    expect(listUrls(ask(engine, "proxy_port"))).toContain("/flag#s0");
    expect(listUrls(ask(engine, "--proxy-port"))[0]).toBe("/flag#s0");
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

    expect(listUrls(ask(engine, "choose the port"))[0]).toBe("/run#s0");
    expect(listUrls(ask(engine, "chose the prot"))[0]).toBe("/run#s0");
    expect(listUrls(ask(engine, "run servers"))[0]).toBe("/run");
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

    expect(listUrls(ask(engine, "share documents with a server"))[0]).toBe("/run#s1");
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

    expect(listUrls(ask(engine, "server rotation"))[0]).toBe("/secrets#s1");
    expect(listUrls(ask(engine, "server storage"))[0]).toBe("/secrets#s2");
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
    const findSection = (query: string) => listUrls(ask(engine, query)).filter((url) => url.includes("#"))[0];

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
    const findSection = (query: string) => listUrls(ask(engine, query)).filter((url) => url.includes("#"))[0];

    expect(findSection("Error: Bind for 0.0.0.0:8080 failed: port is already allocated.")).toBe("/run#s1");
    expect(findSection("port allocated")).toBe("/run#s0");
  });

  test("a path of fields that no text has is found by its last field", () => {
    const engine = createEngine([
      { path: "/crd", title: "Resource", sections: [{ heading: "Fields", text: "targetPort is the port." }] },
      { path: "/ports", title: "Ports", sections: [{ text: "A spec, a target, and a port." }] },
    ]);

    expect(listUrls(ask(engine, "spec.targetPort"))[0]).toBe("/crd#s0");
  });

  test("a path of fields that a text quotes is found by its last field as well, and a file's name is not", () => {
    const engine = createEngine([
      { path: "/message", title: "Messages", sections: [{ text: "Set spec.targetPort." }] },
      { path: "/crd", title: "Resource", sections: [{ heading: "Fields", text: "targetPort is the port." }] },
      { path: "/file", title: "Files", sections: [{ text: "Edit mcp.json." }] },
      { path: "/json", title: "JSON", sections: [{ text: "It is json." }] },
    ]);

    expect(listUrls(ask(engine, "spec.targetPort")).some((url) => url.startsWith("/crd"))).toBe(true);
    expect(listUrls(ask(engine, "mcp.json")).some((url) => url.startsWith("/json"))).toBe(false);
  });

  test("a page with a word comes before one with what the thesaurus says for it, which is found as well", () => {
    const engine = createEngine(
      [
        { path: "/erase", title: "Erase disks", sections: [{ text: "Disks." }] },
        { path: "/remove", title: "Remove disks", sections: [{ text: "Disks. Remove, remove." }] },
      ],
      { synonyms: [["erase", "remove"]] },
    );

    expect(listUrls(ask(engine, "erase disks")).map((url) => url.replace(/#.*/, ""))).toEqual([
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

    expect(listUrls(ask(engine, message))[0]).toBe("/errors/engine#s0");
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

    expect(listUrls(ask(engine, "autocomplete"))[0]).toBe("/completion");
    expect(ask(engine, "autocomplete").unknown).toEqual([]);
  });
});
