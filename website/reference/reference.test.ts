import { readFileSync } from "node:fs";
import path from "node:path";
import { openApiDocument } from "@toolhive/api";
import { COMMANDS, isShown, listFlags } from "@toolhive/cli/commands";
import { describe, expect, test } from "vitest";
import { apiPages } from "./api-pages.ts";
import { cliPages } from "./cli-pages.ts";
import { clientsPage } from "./clients-page.ts";
import { configurationPage, settingPaths } from "./configuration-page.ts";
import { type ConformanceRun, conformancePage } from "./conformance-page.ts";
import { crdPages } from "./crd-pages.ts";
import { SETTING_GUIDE } from "./data/settings.ts";
import { errorPages } from "./errors-page.ts";
import { manifestsPage } from "./manifests-page.ts";
import { text } from "./markdown.ts";
import { measurementsPage } from "./measurements/measurements-page.ts";
import type { OpenApi } from "./openapi-types.ts";
import { PAGE_QUESTIONS, SECTION_QUESTIONS, withQuestions } from "./page-questions.ts";
import { projectPages, toPage } from "./project-pages.ts";
import { type RecoveryResults, recoveryPage } from "./recovery-page.ts";
import { seenMessagesPage } from "./seen-messages-page.ts";
import { serversPage } from "./servers-page.ts";
import { readSession } from "./session.ts";

const document = openApiDocument("v1.2.3") as unknown as OpenApi;
const pages = [
  ...apiPages(document),
  ...crdPages(),
  manifestsPage(),
  clientsPage(),
  ...errorPages(path.join(import.meta.dirname, "../..")),
  configurationPage(),
  conformancePage(),
  serversPage(),
  recoveryPage(),
  measurementsPage(),
  ...projectPages(path.join(import.meta.dirname, "../..")),
  ...cliPages(),
];

/** Anchors that a page sets and those that its own links lead to. */
function anchors(content: string): { set: Set<string>; wanted: string[] } {
  return {
    set: new Set([
      ...[...content.matchAll(/\{#([\w-]+)\}|<span id="([^"]+)"/g)].map(([, name, id]) => name ?? id ?? ""),
      // A heading without an anchor of its own gets one of its words.
      ...[...content.matchAll(/^##+ ([^{\n]+)$/gm)].map(([, title = ""]) =>
        title
          .toLowerCase()
          .replaceAll(" ", "-")
          .replace(/[^\w-]/g, ""),
      ),
    ]),
    wanted: [...content.matchAll(/\]\(#([\w-]+)\)/g)].map(([, name = ""]) => name),
  };
}

describe("generated pages", () => {
  test("a link in a text stays a link, and no page shows the marks of one", () => {
    expect(text("Is [`FILE_FAILED`](./file-failed.mdx) instead, or [that](x).")).toBe(
      "Is [`FILE_FAILED`](./file-failed.mdx) instead, or \\[that\\](x).",
    );
    const marks = /\\\[[^\n[\]]{1,100}\\\]\(|^description: .*\]\(/m;

    expect(
      [...pages, seenMessagesPage()].flatMap(({ path: file, content }) =>
        marks.exec(content)?.[0] ? [`${file}: ${marks.exec(content)?.[0]}`] : [],
      ),
    ).toEqual([]);
  });

  test("those that are named have their questions in the front matter, and every named page is there", () => {
    const asked = [...pages, seenMessagesPage()].map(withQuestions);
    const named = Object.entries(PAGE_QUESTIONS).map(([page, questions]) => [`${page}.mdx`, questions] as const);

    for (const [path, questions] of named) {
      const content = asked.find((page) => page.path === path)?.content ?? "";
      expect(content.split("---")[1], path).toContain(`questions: ${JSON.stringify(questions)}`);
    }
    const all = named.flatMap(([, questions]) => questions);
    expect(all.filter((question) => question.length > 80 || !/^[A-Z][^?]+\?$/.test(question))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  test("of commands and errors have a question each, from what they are about or by hand, and no question twice", () => {
    const asked = pages.filter(({ path }) => /^(?:cli|errors)\//.test(path));
    const questions = asked.map(({ path, questions: made = [] }) => PAGE_QUESTIONS[path.replace(/\.mdx$/, "")] ?? made);

    // The program itself is the subject of all of them.
    expect(asked.filter((_, at) => questions[at]?.length === 0).map(({ path }) => path)).toEqual(["cli/thv.mdx"]);
    expect(questions.flat().filter((question, at, all) => all.indexOf(question) !== at)).toEqual([]);
    expect(questions.flat().filter((question) => question.length > 80 || !/^[A-Z][^?]+\?$/.test(question))).toEqual([]);
  });

  test("say which questions their sections answer: of operations, resources, settings and clients, from what they are about", () => {
    const asked = [...pages, seenMessagesPage()].map((page) => ({
      ...page,
      head: withQuestions(page).content.split("---")[1] ?? "",
    }));
    const sections = asked.flatMap(({ path: file, content, sectionQuestions = {} }) => {
      const { set } = anchors(content);
      const known = { ...SECTION_QUESTIONS[file.replace(/\.mdx$/, "")], ...sectionQuestions };
      return Object.entries(known).map(([anchor, questions]) => ({
        file,
        anchor,
        questions,
        isThere: set.has(anchor),
      }));
    });
    const questions = sections.flatMap((section) => section.questions);
    const find = (file: string): string => asked.find((page) => page.path === file)?.head ?? "";

    expect(sections.filter(({ isThere }) => !isThere)).toEqual([]);
    expect(Object.keys(SECTION_QUESTIONS).filter((name) => find(`${name}.mdx`) === "")).toEqual([]);
    expect(questions.filter((question) => question.length > 90 || !/^[A-Z][^?]+\?$/.test(question))).toEqual([]);
    expect(find("api/permissions.mdx")).toContain('"What does getToolPins do?"');
    expect(find("crd-spec/mcpserver.mdx")).toContain('"What does MCPServer spec.podTemplateSpec do?"');
    expect(find("configuration.mdx")).toContain('"What does the setting sleep_after_seconds do?"');
    expect(find("configuration.mdx")).toContain('"How large may a request to the proxy be?"');
    expect(find("client-compatibility.mdx")).toContain('"Which file and which JSON does Visual Studio Code read?"');
  });

  test.each(pages.map((page) => [page.path, page.content] as const))(
    "%s has no link to an anchor it does not set",
    (_path, content) => {
      const { set, wanted } = anchors(content);

      expect(wanted.filter((name) => !set.has(name))).toEqual([]);
    },
  );

  test("have no link to an anchor that another generated page does not set", () => {
    const set = new Map(pages.map(({ path: at, content }) => [at, anchors(content).set]));
    const links = pages.flatMap(({ path: at, content }) =>
      [...content.matchAll(/\]\((\.[\w./-]+\.mdx)#([\w-]+)\)/g)].map(([, target = "", anchor = ""]) => ({
        at,
        target: path.posix.join(path.posix.dirname(at), target),
        anchor,
      })),
    );

    expect(links.length).toBeGreaterThan(300);
    expect(links.filter(({ target, anchor }) => set.has(target) && !set.get(target)?.has(anchor))).toEqual([]);
  });

  test.each(pages.map((page) => [page.path, page.content] as const))(
    "%s has a title of at most 60 and a description of at most 155 characters",
    (_path, content) => {
      const title = JSON.parse(/^title: (.*)$/m.exec(content)?.[1] ?? '""') as string;
      const description = JSON.parse(/^description: (.*)$/m.exec(content)?.[1] ?? '""') as string;

      expect(title.length).toBeGreaterThan(0);
      expect(title.length).toBeLessThanOrEqual(60);
      expect(description.length).toBeGreaterThan(70);
      expect(description.length).toBeLessThanOrEqual(155);
    },
  );

  test("every command has a page with each of its visible options, and no hidden one", () => {
    const byPath = new Map(cliPages().map((page) => [page.path, page.content]));
    for (const command of COMMANDS.filter(isShown)) {
      const content = byPath.get(`cli/${["thv", ...command.path].join("_")}.mdx`) ?? "";
      for (const flag of listFlags(command))
        expect(content.includes(`id="option-${flag.name}"`), flag.name).toBe(!flag.hidden);
    }
  });
});

describe("conformancePage", () => {
  const run: ConformanceRun = {
    version: "9.9.9",
    revision: "2026-07-28",
    server: "modern",
    way: "stdio",
    engines: ["docker", "podman"],
    passed: 3,
    failed: 0,
    scenarios: [{ scenario: "tools-list", passed: 3, failed: 0 }],
  };

  test("shows each run with its version, revisions and checks, and each scenario with its score", () => {
    const { content } = conformancePage([run]);

    expect(content).toContain(
      "| 1 | 9.9.9 | 2026-07-28 | 2026-07-28, stateless | Proxy, stdio container | Docker, Podman | 1 | 3 | 0 |",
    );
    expect(content).toContain("| `tools-list` | 3 of 3 |");
  });

  test("shows what servers may choose, and where a client gets something else than directly", () => {
    const { content } = conformancePage([run]);

    expect(content).toMatch(/Of \d+ choices on \d+ ways, \d+ give the client what it gets directly/);
    expect(content).toContain("| The server answers GET with 405 and nothing. | Works, GET 405 | The same |");
    expect(content).toMatch(/Retry-After\. \| Error 503 \| The same, except with a group\./);
  });

  test.each([
    { what: "a check fails", passed: 2, failed: 1 },
    { what: "a scenario has no checks", passed: 0, failed: 0 },
  ])("cannot be made when $what and no reason is given", ({ passed, failed }) => {
    const scenarios = [{ scenario: "tools-list", passed, failed }];

    expect(() => conformancePage([{ ...run, passed, failed, scenarios }])).toThrow(
      `Conformance 9.9.9, 2026-07-28, modern server, stdio: results and reasons differ at tools-list: ${failed}.`,
    );
  });

  test("cannot be made when a check is made directly and not through the proxy, and no reason is given", () => {
    const scenarios = [{ scenario: "tools-list", passed: 4, failed: 0 }];
    const proxied = { ...run, revision: "2025-06-18" };

    expect(() => conformancePage([{ ...proxied, way: "direct", scenarios }, proxied])).toThrow(
      "Conformance 9.9.9, 2025-06-18, modern server, stdio: results and reasons differ at tools-list: 1.",
    );
  });

  test("cannot be made when a reason is given for what passes", () => {
    expect(() => conformancePage([{ ...run, server: "session" }])).toThrow(
      "differ at input-required-result-basic-elicitation: 1",
    );
  });
});

describe("recoveryPage", () => {
  const row = {
    fault: "The moon falls",
    engine: "podman",
    server: "stdio",
    inFlight: ["disconnected", "kept"],
    lostCalls: 3,
    hungCalls: 0,
    sessionsOpened: 1,
    answeredMs: 1542,
  };
  const results: RecoveryResults = {
    machine: { cpu: "Abacus", cores: 2, node: "v20.0.0", load: "0.1" },
    rounds: 3,
    awayMs: 1000,
    rows: [row, { ...row, server: "isolated", lostCalls: 0, sessionsOpened: 2, answeredMs: 14_176 }],
  };

  test("shows each fault with the time to the next answer and the lost calls of each server", () => {
    const { content } = recoveryPage(results);

    expect(content).toContain(
      "| The moon falls | Podman | 1.5 s, 3 lost | – | 14 s, 0 lost, new session | Connection lost, Kept |",
    );
    expect(content).toContain("3 times, of which the median is shown, on 2 cores (Abacus, Node v20.0.0)");
  });

  test("cannot be made when a call has hung, because it says that none has", () => {
    expect(() => recoveryPage({ ...results, rows: [{ ...row, hungCalls: 1 }] })).toThrow(
      "The moon falls, podman, stdio: a call has hung.",
    );
  });
});

describe("configurationPage", () => {
  test("explains every setting of the schema, and none that is gone", () => {
    expect(Object.keys(SETTING_GUIDE).sort()).toEqual(settingPaths().sort());
  });
});

describe("projectPages", () => {
  test("keep the words of links that lead to files of the repository, and links that lead elsewhere", () => {
    expect(toPage("# Title\n\nSee [this](docs/a.md) and [that](https://example.com).")).toBe(
      "\nSee this and [that](https://example.com).",
    );
  });

  test("are no code of the page where the text holds braces or angle brackets", () => {
    expect(toPage("a {b} <c> `{d}`")).toBe("a \\{b\\} \\<c> `{d}`");
  });
});

describe("text", () => {
  test("keeps braces, brackets and stars from being read as code of the page", () => {
    expect(text("a {b} <c> *d* `{e}`")).toBe("a \\{b\\} \\<c\\> \\*d\\* `{e}`");
  });

  test("keeps the name of a button or a menu emphasized", () => {
    expect(text("Open *File sharing*, then a*b*c")).toBe("Open *File sharing*, then a\\*b\\*c");
  });
});

describe("readSession", () => {
  test("takes the home page's session from the quickstart", () => {
    const quickstart = readFileSync(
      path.join(import.meta.dirname, "../docs/toolhive/tutorials/quickstart-cli.mdx"),
      "utf8",
    );

    const session = readSession(quickstart);

    expect(session.map(({ command }) => command.split(" ").slice(0, 2).join(" "))).toEqual([
      "thv run",
      "thv list",
      "thv logs",
      "thv stop",
    ]);
    for (const { output } of session) expect(output.join("")).not.toBe("");
  });

  test("fails when the quickstart lost a block", () => {
    expect(() => readSession("nothing")).toThrow('no block "thv run"');
  });
});

test("an address in a description becomes code, so that a placeholder in it cannot fail the build", () => {
  expect(text("Listens at http://localhost:PORT/callback, and <here>.")).toBe(
    "Listens at `http://localhost:PORT/callback`, and \\<here\\>.",
  );
});
