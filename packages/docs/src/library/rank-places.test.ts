import { describe, expect, test } from "vitest";
import { openTestLibrary } from "../testing/index.ts";
import type { DocsLibrary } from "./docs-library.ts";
import { isLong, joinOrders, listSentences, readForm } from "./rank-places.ts";
import { SectionIndex } from "./section-index.ts";

const place = (path: string, title: string, start = 0) => ({ path: `/toolhive/${path}`, title, start });
const join = (question: string, ...orders: ReturnType<typeof place>[][]): string[] =>
  joinOrders(
    question,
    orders.map((places) => ({ weight: 1, places })),
    5,
  ).map(({ path, title }) => `${path.replace("/toolhive/", "")}: ${title}`);

describe("a question in sentences", () => {
  test("differs from keywords by how many of its words are about something", () => {
    expect(isLong("sleep idle server")).toBe(false);
    expect(isLong("how do I use it")).toBe(false);
    expect(isLong("remove the group work with its servers, no prompt")).toBe(true);
    expect(isLong("My editor shows sixty tools, and the model only needs six of them")).toBe(true);
  });

  test("has its sentences read by themselves, when there are several", () => {
    expect(listSentences("The image is in a private registry. How can I pull it with my login data?")).toEqual([
      "The image is in a private registry",
      "How can I pull it with my login data?",
    ]);
    expect(listSentences("How can I pull an image of a private registry?")).toEqual([]);
  });

  test.each([
    ["Restrict the egress of an MCPServer to one host", "kubernetes"],
    ["Deploy it with Helm", "kubernetes"],
    ["Which endpoint of the REST API stops a server?", "api"],
    ["Where do I click to stop a server?", "ui"],
    ["Stop a server from a script", "cli"],
  ] as const)("names a form of the product: %s", (question, form) => {
    expect(readForm(question)).toBe(form);
  });
});

describe("sections", () => {
  test("of the form that the words name come before the same of another", () => {
    const order = [place("guides-k8s/run", "Set limits"), place("guides-cli/run", "Set limits")];

    expect(join("limit the memory of a server", order)[0]).toBe("guides-cli/run: Set limits");
    expect(join("limit the memory of a pod", order)[0]).toBe("guides-k8s/run: Set limits");
  });

  test("that define something are first only when a definition is asked for", () => {
    const order = [place("faq", "What is MCP?"), place("guides-cli/run", "Run a package")];

    expect(join("run an MCP package", order)[0]).toBe("guides-cli/run: Run a package");
    expect(join("what is MCP", order)[0]).toBe("faq: What is MCP?");
  });

  test("for problems are first only when somebody has one", () => {
    const order = [place("guides-cli/groups", "Troubleshooting"), place("guides-cli/tools", "Choose tools")];

    expect(join("choose the tools of a group", order)[0]).toBe("guides-cli/tools: Choose tools");
    expect(join("the tools of a group are missing", order)[0]).toBe("guides-cli/groups: Troubleshooting");
  });

  test("that say something come before introductions of pages", () => {
    const order = [place("reference/api/workloads", "Workloads"), place("reference/api/usage", "Count calls", 90)];

    expect(join("restart one server by its name", order)[0]).toBe("reference/api/usage: Count calls");
  });

  test("of five pages are given rather than five of one page", () => {
    const many = ["One", "Two", "Three", "Four", "Five"].map((title, start) => place("guides-cli/run", title, start));
    const others = ["a", "b", "c", "d"].map((name) => place(`guides-cli/${name}`, "Other"));

    const pages = join("any words", many, others).map((each) => each.split(":")[0]);

    expect(new Set(pages).size).toBeGreaterThanOrEqual(4);
  });

  test("that several orders have come before those that one has", () => {
    const both = place("guides-cli/b", "Both");

    expect(join("any words", [place("guides-cli/a", "A"), both], [place("guides-cli/c", "C"), both])[0]).toBe(
      "guides-cli/b: Both",
    );
  });
});

test("an order that counts less puts its first place behind that of another", () => {
  const [light, full] = [place("guides-cli/a", "A"), place("guides-cli/b", "B")];
  const orders = [
    { weight: 0.5, places: [light] },
    { weight: 1, places: [full] },
  ];

  expect(joinOrders("any words", orders, 2)).toEqual([full, light]);
});

test("a section with many questions does not win by their number over one whose text has the words", () => {
  const asked = {
    title: "Watch it",
    questions: Array.from({ length: 4 }, () => "How do I freeze definitions?"),
    body: "See the list.",
  };
  const said = {
    title: "Keep it",
    questions: [],
    body: "Freeze the definitions: the definitions of tools stay frozen.",
  };
  const others = Array.from({ length: 20 }, (_, at) => ({
    title: `Other ${at}`,
    questions: [],
    body: "Some other words.",
  }));
  const sections = [asked, said, ...others];
  const markdown = sections.map(({ body }) => body).join("\n");
  let start = 0;
  const texts = sections.map(({ title, questions, body }) => {
    const [begin, end] = [start, start + body.length];
    start = end + 1;
    return { anchor: title, title, level: 2, start: begin, end, endOfAll: end, questions };
  });
  const page = { path: "/toolhive/a", title: "Guide", description: "", markdown };
  const library = { content: { pages: [page] }, listSections: () => texts } as unknown as DocsLibrary;

  const [first] = new SectionIndex(library).rank("definitions that we freeze");

  expect(first?.section.title).toBe("Keep it");
});

test("a section is found by its own words, whatever its page says", async () => {
  const index = new SectionIndex(await openTestLibrary());

  const [first] = index.rank("Which of the connections that my server opened were refused, and where is that written?");

  expect(first?.section.title).toBe("Check it");
  expect(index.rank("")).toEqual([]);
});
