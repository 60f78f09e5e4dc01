import { beforeAll, describe, expect, test } from "vitest";
import { openTestLibrary } from "../testing/index.ts";
import { splitBlocks } from "./blocks.ts";
import { describeCommand } from "./describe-command.ts";
import { distillMessage, isPasted } from "./distill-message.ts";
import type { DocsLibrary } from "./docs-library.ts";
import { cutAtWord, excerptSection } from "./excerpt.ts";
import { explainError } from "./explain-error.ts";
import { readPiece } from "./read-page.ts";
import { ANSWER_TOKENS, DEFAULT_SECTIONS, searchSections } from "./search-sections.ts";
import { SectionIndex } from "./section-index.ts";
import { estimateTokens } from "./tokens.ts";

let library: DocsLibrary;
beforeAll(async () => {
  library = await openTestLibrary();
});

describe("a page is found", () => {
  test.each([
    "/toolhive/guides-cli/custom-permissions",
    "toolhive/guides-cli/custom-permissions/",
    "guides-cli/custom-permissions",
    "guides-cli/custom-permissions.md",
    "https://docs.example.org/toolhive/guides-cli/custom-permissions#check-it",
    "/toolhive/guides-cli/custom-permissions/index.html",
  ])("as %s", (asked) => {
    expect(library.findPage(asked)?.path).toBe("/toolhive/guides-cli/custom-permissions");
  });

  test("and a mistyped path names the nearest", () => {
    expect(library.findPage("guides-cli/custom-permision")).toBeUndefined();
    expect(library.findNearestPaths("guides-cli/custom-permision")[0]).toBe("/toolhive/guides-cli/custom-permissions");
  });

  test.each(["../../etc/passwd", "%", "//", "x".repeat(100_000), "\u0000"])("nothing is found as %j", (asked) => {
    expect(library.findPage(asked.slice(0, 2_000))).toBeUndefined();
    expect(library.findNearestPaths(asked)).toHaveLength(3);
  });
});

describe("a question", () => {
  test("is answered by sections with their text, the best first", async () => {
    const { sections } = await searchSections(library, { question: "which hosts does the permission profile allow" });

    expect(sections[0]).toMatchObject({
      titles: ["Limit permissions", "Allow only some hosts"],
      path: "/toolhive/guides-cli/custom-permissions#allow-only-some-hosts",
      address: "https://docs.example.org/toolhive/guides-cli/custom-permissions#allow-only-some-hosts",
      isWhole: true,
    });
    expect(sections[0]?.text).toContain("thv run --isolate-network");
    // A tenth of a text would be the site's own address.
    expect(sections[0]?.text).toContain("](/toolhive/guides-cli/custom-permissions#review-the-defaults)");
  });

  test.each(["cli", "ui"] as const)("about the form %s has no page of another", async (form) => {
    const { sections } = await searchSections(library, { question: "network", form });

    const other = form === "cli" ? "guides-ui" : "guides-cli";
    expect(sections.length).toBeGreaterThan(0);
    expect(sections.filter(({ path }) => path.includes(other))).toEqual([]);
  });

  test("has further sections where the first ones leave room, and no more than its number where it names one", async () => {
    const question = "hosts network server program listens port permission profile browser defaults common answers";

    const { sections } = await searchSections(library, { question });
    const { sections: numbered } = await searchSections(library, { question, limit: DEFAULT_SECTIONS });

    expect(sections.length).toBeGreaterThan(DEFAULT_SECTIONS);
    expect(sections.slice(0, DEFAULT_SECTIONS)).toEqual(numbered);
    expect(numbered).toHaveLength(DEFAULT_SECTIONS);
  });

  test("that says a section's question among much else finds the section", () => {
    const page = library.content.pages[0];
    const [beginning] = page?.sections ?? [];
    if (page === undefined || beginning === undefined) throw new Error("The test library is empty.");
    const asked = new Map([
      ["defaults", ["How do I forbid a server to phone home?"]],
      ["hosts", ["Which hosts may a server reach?"]],
    ]);
    const sections = [...asked].map(([anchor, questions]) => ({
      ...beginning,
      anchor,
      title: anchor,
      questions,
      endOfAll: 0,
      end: 0,
    }));
    const index = new SectionIndex({
      content: { pages: [page] },
      listSections: () => sections,
    } as unknown as DocsLibrary);

    const found = index.rankByQuestions(
      "My user has an editor on a laptop with forty tools, which hosts are known to be fine. They want to forbid that a server can phone home.",
    );

    expect(found.map(({ section }) => section.anchor)[0]).toBe("defaults");
    expect(index.rankByQuestions("My editor is slow.")).toEqual([]);
  });

  test("is answered by the one row of a long table that it asks for", async () => {
    const { sections } = await searchSections(library, { question: "--flag-77", limit: 1, maxTokens: 300 });

    expect(sections[0]?.text).toContain("| Option | Meaning |");
    expect(sections[0]?.text).toContain("`--flag-77`");
    expect(sections[0]?.isWhole).toBe(false);
  });

  test("about an error has the way out, in whichever section the words are", async () => {
    const { sections } = await searchSections(library, { question: "Another program listens on the port" });

    expect(sections[0]?.text).toContain("Choose another port.");
  });

  test.each([
    ["of 64 kB", "network ".repeat(8_192)],
    ["of one word of 64 kB", "x".repeat(65_536)],
    ["of control characters", "\u0000\u0007\u001b[2J\u0008"],
    ["in another script", "ネットワークを分離する"],
    ["in Arabic, which runs the other way", "كيف أعزل الشبكة"],
    ["of emoji", "🙈🙉🙊"],
    ["of half a character", "\ud83d network"],
  ])("%s gets an answer within the budget", async (_kind, question) => {
    const { sections, searched } = await searchSections(library, { question });

    expect(searched.length).toBeLessThanOrEqual(400);
    expect(estimateTokens(JSON.stringify(sections.map(({ text }) => text)))).toBeLessThan(ANSWER_TOKENS);
  });

  test("may be a log: its lines that say what failed are searched", async () => {
    const log = [
      "2026-11-01T10:00:00Z INFO starting",
      '{"level":"error","time":1,"msg":"Port 8080 on 127.0.0.1 is in use by another program."}',
      "    at Server.listen (node:net:1:1)",
      "2026-11-01T10:00:02Z INFO bye",
    ].join("\n");

    const { searched } = await searchSections(library, { question: log });

    expect(searched).toBe("error: Port 8080 on 127.0.0.1 is in use by another program.");
  });
});

describe("a pasted text", () => {
  test("of one line as a person types it is none", () => {
    expect(isPasted("how do I stop a server")).toBe(false);
    expect(isPasted("one\ntwo")).toBe(true);
    expect(isPasted("one\n \n")).toBe(false);
  });

  test("loses times, levels, ids and colours", () => {
    const line =
      "[2026-11-01 10:00:00,123] [worker-1] \u001b[31mERROR\u001b[0m: cannot open 550e8400-e29b-41d4-a716-446655440000\n";

    expect(distillMessage(line)).toBe("ERROR : cannot open");
  });
});

describe("an error", () => {
  test.each([
    ["its code", "PORT_IN_USE"],
    ["its code as people write it", "port in use"],
    ["its code in a text", "thv: exit 7 (PORT_IN_USE)"],
    ["its address", "https://docs.example.org/toolhive/reference/errors/port-in-use"],
    ["its message", "Error: Port 8080 on 127.0.0.1 is in use by another program.\nHint: choose another"],
  ])("is explained by %s", (_by, given) => {
    expect(explainError(library, given)).toMatchObject({
      name: "PORT_IN_USE: the port is in use",
      exitCode: 7,
      path: "/toolhive/reference/errors/port-in-use",
    });
  });

  test("of another program leads to ours that comes with it", () => {
    const found = explainError(
      library,
      "docker: Cannot connect to the Docker daemon at unix:///run/docker.sock. Is the docker daemon running?",
    );

    expect(found?.name).toBe("Docker, with ENGINE_UNREACHABLE: no container engine answers");
    expect(found?.remedies.map(({ say }) => say)).toEqual(["Start Docker Desktop.", "Start Docker."]);
  });

  test.each(["hello", "how do I run a server in a port of mine", "", "spawn"])("nothing explains %j", (given) => {
    expect(explainError(library, given)).toBeUndefined();
  });
});

describe("a command", () => {
  test.each([
    ["thv run", "thv run"],
    ["run", "thv run"],
    ["thv ls", "thv list"],
    ["thv run fetch -- --verbose-server", "thv run"],
    ["thv", "thv"],
  ])("%j is %s", (asked, name) => {
    const found = describeCommand(library, asked.split(" -- ")[0] ?? "");

    expect(found.kind === "command" && found.command.name).toBe(name);
  });

  test("with a flag is that flag of it", () => {
    const found = describeCommand(library, "thv run --isolate-network=true fetch");

    expect(found.kind === "command" && found.flags.map(({ name }) => name)).toEqual(["isolate-network"]);
  });

  test("a flag alone is every command that has it", () => {
    const found = describeCommand(library, "--debug");

    expect(found.kind === "flag" && found.uses.map(({ command }) => command.name)).toEqual([
      "thv",
      "thv run",
      "thv list",
    ]);
  });

  test.each(["POST /api/v1beta/workloads", "createWorkload", "post http://127.0.0.1:8080/api/v1beta/workloads?x=1"])(
    "%j is an operation",
    (asked) => {
      const found = describeCommand(library, asked);

      expect(found.kind === "operation" && found.operation.id).toBe("createWorkload");
    },
  );

  test.each(["GET /api/v1beta/workloads/everything", "GET /api/v1beta/workloads/{name}"])(
    "%j is a template's",
    (asked) => {
      const found = describeCommand(library, asked);

      expect(found.kind === "operation" && found.operation.id).toBe("getWorkload");
    },
  );

  test.each([
    ["POST /api/v1beta/workloads limits", ["limits", "limits.cpus"]],
    ["POST /api/v1beta/workloads limits.cpus", ["limits.cpus"]],
    ["GET /api/v1beta/workloads/everything name", ["name"]],
    ["POST /api/v1beta/workloads", []],
    ["POST /api/v1beta/workloads limit", []],
  ])("%j asks for the fields %j", (asked, fields) => {
    const found = describeCommand(library, asked);

    expect(found.kind === "operation" && found.fields).toEqual(fields);
  });

  test.each([
    ["thv rum", ["thv run"]],
    ["--isolate-netwrk", ["--isolate-network"]],
    ["thv run --transprt", ["thv run --transport"]],
    ["\u0000", []],
  ])("%j is none, and the nearest is named", (asked, nearest) => {
    const found = describeCommand(library, asked);

    expect(found.kind === "unknown" && found.nearest).toEqual(nearest);
  });
});

describe("a page in pieces", () => {
  test("is whole when its pieces are put together, each within its budget", () => {
    const page = library.findPage("reference/cli/thv_run");
    if (page === undefined) throw new Error("the page is missing");
    const rows: string[] = [];
    let pieces = 0;
    for (let from: number | undefined = 0; from !== undefined; pieces++) {
      const { text, next } = readPiece(library, page, { section: undefined, from, maxTokens: 400 });
      expect(estimateTokens(text)).toBeLessThanOrEqual(420);
      rows.push(...text.split("\n").filter((line) => line.startsWith("| `--flag")));
      // A piece that begins inside a table has its head.
      if (from > 0) expect(text).toMatch(/^\| Option \| Meaning \|/);
      from = next;
    }

    expect(pieces).toBeGreaterThan(3);
    expect(rows).toHaveLength(120);
  });

  test("is one section with those below it", () => {
    const page = library.findPage("guides-cli/custom-permissions");
    if (page === undefined) throw new Error("the page is missing");
    const section = library.findSection(page, "allow-only-some-hosts");

    const { text, next } = readPiece(library, page, { section, from: 0, maxTokens: 4_000 });

    expect(text).toContain("### Check it");
    expect(text).not.toContain("Review the defaults\n");
    expect(next).toBeUndefined();
  });
});

describe("blocks", () => {
  test("joined are the text again", () => {
    const text = library.content.pages.map(({ markdown }) => markdown).join("\n\n");

    expect(
      splitBlocks(text)
        .map((block) => block.text)
        .join(""),
    ).toBe(text);
  });

  test("a listing with blank lines is one", () => {
    expect(splitBlocks("A\n\n```\nb\n\nc\n```\n\nD").map(({ text }) => text)).toEqual([
      "A\n\n",
      "```\nb\n\nc\n```\n\n",
      "D",
    ]);
  });
});

test("an excerpt of a single long word is cut", () => {
  const { text } = excerptSection("x".repeat(100_000), 50, () => undefined);

  expect(estimateTokens(text)).toBeLessThanOrEqual(51);
  expect(text.endsWith("…")).toBe(true);
  expect(cutAtWord("one two", 50)).toBe("one two");
});
