import { describe, expect, test } from "vitest";
import { parseFences, parseMeta, parsePage } from "./parse-page.ts";

const page = (...lines: string[]) => lines.join("\n");

describe("parseFences", () => {
  test("a fence's language, meta, content and line are read", () => {
    const [fence] = parseFences(page("Text.", "", "```bash run exit=3", "thv list", "thv stop a", "```"));

    expect(fence).toEqual({
      language: "bash",
      meta: "run exit=3",
      content: "thv list\nthv stop a",
      line: 3,
      indent: "",
      contentLines: [3, 5],
    });
  });

  test("a fence in a list loses the list's indentation, deeper lines keep theirs", () => {
    const [fence] = parseFences(
      page("1. Do:", "", "   ```bash run", "   if true; then", "     date", "   fi", "   ```"),
    );

    expect(fence?.content).toBe("if true; then\n  date\nfi");
  });

  test("a fence within a longer fence is content", () => {
    const fences = parseFences(page("````mdx", "```bash", "date", "```", "````", "```text output", "```"));

    expect(fences.map(({ language }) => language)).toEqual(["mdx", "text"]);
  });

  test("inline code with three backticks opens no fence", () => {
    expect(parseFences("Write ```bash``` here.\n``` a `b` ```")).toEqual([]);
  });
});

test("meta is words and values, quoted or not", () => {
  expect([...parseMeta('run exit=3 title="Try it" norun=""')]).toEqual([
    ["run", true],
    ["exit", "3"],
    ["title", "Try it"],
    ["norun", ""],
  ]);
});

describe("parsePage", () => {
  const listProblems = (...lines: string[]) => parsePage(page(...lines)).problems;

  test("a command has the output block that follows it, and another command in between takes it", () => {
    const source = page(
      "```bash run",
      "a",
      "```",
      "```bash run exit=2",
      "b",
      "```",
      "So:",
      "```text output",
      "B",
      "```",
    );

    expect(parsePage(source).steps).toEqual([
      { command: "a", line: 1, exitCode: 0, place: "engine" },
      {
        command: "b",
        line: 4,
        exitCode: 2,
        place: "engine",
        output: expect.objectContaining({ content: "B", line: 8 }),
      },
    ]);
  });

  test("a block with a reason is neither run nor a problem", () => {
    expect(parsePage(page('```powershell norun="Another operating system"', "dir", "```"))).toEqual({
      steps: [],
      problems: [],
      files: [],
    });
  });

  test("a block for a cluster says so, what it waits for, and which files it finds", () => {
    const source = page(
      '```yaml title="a.yaml" schema="MCPServer"',
      "kind: MCPServer",
      "```",
      '```yaml title="spec"',
      "image: a",
      "```",
      '```bash run=cluster until="Forwarding from"',
      "kubectl port-forward service/a 1:1",
      "```",
    );

    expect(parsePage(source)).toEqual({
      steps: [expect.objectContaining({ place: "cluster", until: "Forwarding from", line: 7 })],
      problems: [],
      files: [{ name: "a.yaml", content: "kind: MCPServer", line: 1 }],
    });
  });

  test.each([
    ["```bash", "neither run nor norun"],
    ["```bash run=moon", "run=moon"],
    ['```bash run until="x"', "until without run=cluster"],
    ["```powershell", "neither run nor norun"],
    ["```bash norun", "without a reason"],
    ['```bash norun=""', "without a reason"],
    ['```bash norun="  "', "without a reason"],
    ['```bash run norun="Takes long"', "both run and norun"],
    ["```bash run unshown", "unshown without a reason"],
    ["```powershell run", "only bash is executed"],
    ["```bash run exit=no", "exit code that is none"],
  ])("%s is a problem: %s", (opening, message) => {
    expect(listProblems(opening, "date", "```")).toEqual([{ line: 1, message: expect.stringContaining(message) }]);
  });

  test("an output block without a command is a problem", () => {
    const problem = { message: expect.stringContaining("does not follow") };

    expect(listProblems("```text output", "a", "```")).toEqual([{ line: 1, ...problem }]);
    expect(listProblems('```bash norun="Slow"', "a", "```", "```text output", "a", "```")).toEqual([
      { line: 4, ...problem },
    ]);
  });

  test("a second output block for one command is a problem", () => {
    expect(listProblems("```bash run", "a", "```", "```text output", "```", "```text output", "```")).toHaveLength(1);
  });

  test("other languages need not say anything", () => {
    expect(listProblems("```json", "{}", "```", "```text", "a", "```")).toEqual([]);
  });
});
