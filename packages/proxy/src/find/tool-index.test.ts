/** Which tools are found, in which order, and what is bounded. */
import { describe, expect, test } from "vitest";
import servers from "../../bench/find-tools/servers.json" with { type: "json" };
import tasks from "../../bench/find-tools/tasks.json" with { type: "json" };
import tuning from "../../bench/find-tools/tuning-tasks.json" with { type: "json" };
import wideServers from "../../bench/find-tools/wide-servers.json" with { type: "json" };
import wideTasks from "../../bench/find-tools/wide-tasks.json" with { type: "json" };
import wideTuning from "../../bench/find-tools/wide-tuning-tasks.json" with { type: "json" };
import { listFixtureTools, measureFinding } from "../testing/measure-finding.ts";
import { type FindableTool, ToolIndex } from "./tool-index.ts";

const tool = (name: string, description: string, more: Readonly<Record<string, unknown>> = {}): FindableTool => ({
  name,
  text: JSON.stringify({ name, description, inputSchema: { type: "object" }, ...more }),
});

const listEnum = (values: readonly string[]) => ({
  type: "object",
  properties: { kind: { type: "string", enum: values } },
});

const TOOLS = [
  tool("createIssue", "Creates a ticket"),
  tool("delete_issue", "Deletes a ticket"),
  tool("list-issues", "Lists tickets"),
  tool("weather", "Tells what the sky does", {
    inputSchema: { type: "object", properties: { city: { type: "string", description: "Name of a municipality" } } },
  }),
  tool("x1", "Anything", { annotations: { title: "Brew coffee" } }),
];
const index = new ToolIndex(TOOLS);
const find = (query: string, limit = 5) => index.search(query, limit).map(({ name }) => name);

test.each([
  ["create issue", "createIssue"],
  ["creating issues", "createIssue"],
  ["remove a ticket", "delete_issue"],
  ["which tickets are there", "list-issues"],
  ["isue creat", "createIssue"],
  ["municipality", "weather"],
  ["CITY", "weather"],
  ["coffee", "x1"],
  ["wéather", "weather"],
])("%j finds %s first", (query, name) => {
  expect(find(query)[0]).toBe(name);
});

describe("what people say", () => {
  const tools = [
    tool("count_rows", "Counts rows of a table"),
    tool("delete_rows", "Deletes rows of a table"),
    tool("add_rows", "Adds rows to a table"),
    tool("list_tables", "Lists tables", { inputSchema: listEnum(["views", "sequences"]) }),
    tool("get_table", "Reads one table"),
    tool("purpose", "Purpose:\n  1. Sharpens a pencil.\nGuardrails: none"),
  ];
  const findFirst = (query: string) => new ToolIndex(tools).search(query, 1)[0]?.name;

  test.each([
    ["a phrase stands for what tools call it", "How many rows are there?", "count_rows"],
    ["a phrase is found whole, and in its order", "Get rid of the rows", "delete_rows"],
    ["a word of the tool precedes a phrase for another", "Add how many rows?", "add_rows"],
    ["a value of a parameter is found", "Show the sequences", "list_tables"],
    ["who asks for several things gets what lists them", "Which tables do we have?", "list_tables"],
    ["a heading is not the opening of a description", "sharpen pencil", "purpose"],
  ])("%s", (_title, query, name) => {
    expect(findFirst(query)).toBe(name);
  });

  test("words of people stand for those of tools, and not the other way round", () => {
    expect(new ToolIndex([tool("pricing", "Pricing")]).search("cheap", 1)).toHaveLength(1);
    expect(new ToolIndex([tool("cheap", "Cheap")]).search("pricing", 1)).toEqual([]);
  });

  test("a description of headings alone is read in bounded time, and still found", () => {
    const headings = tool("headings", "a:\n".repeat(3_000));

    expect(new ToolIndex([headings]).search("headings", 1)).toEqual([headings]);
  });
});

test("nothing is found by words that say nothing, or that no tool has", () => {
  for (const query of ["", "of the", "!!!", "zzzzzz"]) expect(find(query)).toEqual([]);
});

test("equals come by their names, whatever the order of the list", () => {
  const equals = ["b", "c", "a"].map((name) => tool(name, "Paints a wall"));

  for (const tools of [equals, equals.toReversed()]) {
    expect(new ToolIndex(tools).search("paint wall", 3).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  }
});

test("names that were meant come nearest first", () => {
  expect(index.listNearNames("createisue", 2)).toEqual(["createIssue"]);
  expect(index.listNearNames("list_issues", 3)[0]).toBe("list-issues");
  expect(index.listNearNames("w".repeat(10_000), 3)).toEqual([]);
});

test("no more of a tool is searched than is bounded, and an odd definition is no error", () => {
  const long = tool("long", `${"word ".repeat(4_000)} needle`);
  const deep = {
    properties: { a: { properties: { b: { properties: { c: { properties: { d: { properties: { e: {} } } } } } } } } },
  };
  const odd = [
    tool("odd", "", { description: 7, inputSchema: "none", annotations: [] }),
    tool("deep", "Deep", { inputSchema: deep }),
  ];
  const bounded = new ToolIndex([long, ...odd]);

  expect(bounded.search("needle", 5)).toEqual([]);
  expect(bounded.search("word", 5)).toEqual([long]);
  expect(new ToolIndex([]).search("word", 5)).toEqual([]);
});

// What was measured, less two: npm run bench:find shows what is missed.
describe.each([
  { count: 215, servers, tasks, first: 40, firstThree: 52, firstFive: 55 },
  { count: 215, servers, tasks: tuning, first: 39, firstThree: 63, firstFive: 66 },
  { count: 799, servers: wideServers, tasks: wideTasks, first: 36, firstThree: 52, firstFive: 57 },
  { count: 799, servers: wideServers, tasks: wideTuning, first: 39, firstThree: 55, firstFive: 56 },
])("of $count tools of real servers", ({ count, servers, tasks, ...floor }) => {
  test("every one is there, and the tasks name tools that are", () => {
    const keys = new Set(listFixtureTools(servers).map(({ key }) => key));

    expect(keys.size).toBe(count);
    for (const { tools } of tasks) for (const key of tools) expect(keys).toContain(key);
  });

  test("the right one is among those that are shown, as often as when it was measured", () => {
    const { first, firstThree, firstFive, bytes } = measureFinding(servers, tasks);

    expect(first).toBeGreaterThanOrEqual(floor.first);
    expect(firstThree).toBeGreaterThanOrEqual(floor.firstThree);
    expect(firstFive).toBeGreaterThanOrEqual(floor.firstFive);
    expect((bytes.twoTools + bytes.answer) * 20).toBeLessThan(bytes.list);
  });
});
