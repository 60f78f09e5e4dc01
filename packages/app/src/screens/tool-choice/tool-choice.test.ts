import { describe, expect, test } from "vitest";
import {
  allowAllTools,
  allowTool,
  type ChosenTools,
  countChoices,
  denyTool,
  describeRename,
  findOwnName,
  isSameChoice,
  listChoices,
  renameTool,
  withTools,
} from "./tool-choice.ts";

const SOME: ChosenTools = { tools: ["add", "echo"], tools_override: { sum: { name: "add" } } };
const SAME = { name: "", description: "" };

describe("the tools of a server", () => {
  test("are offered, chosen and missing, or hidden, as the API lists them", () => {
    const rows = listChoices([
      { name: "add", own_name: "sum", server: "everything", state: "offered" },
      { name: "get-env10", own_name: "get-env10", state: "hidden" },
      { name: "get-env2", own_name: "get-env2", state: "hidden" },
      { name: "echo", own_name: "echo", state: "missing" },
    ]);
    expect(rows).toEqual([
      { name: "add", server: "everything", state: "offered" },
      { name: "echo", state: "absent" },
      { name: "get-env2", state: "hidden" },
      { name: "get-env10", state: "hidden" },
    ]);
    // What nobody has is no tool.
    expect(countChoices(rows)).toEqual({ count: 1, total: 3 });
  });
});

describe("a choice of tools", () => {
  test("gets one more, or all, and is as it was where all are offered already", () => {
    expect(allowTool(SOME, "get-env").tools).toEqual(["add", "echo", "get-env"]);
    expect(allowTool(SOME, "echo").tools).toEqual(["add", "echo"]);
    expect(allowTool({}, "echo")).toEqual({});
    expect(allowAllTools(SOME)).toEqual({ tools_override: SOME.tools_override });
  });

  test("loses one: without a list, the others are named; the last one stays", () => {
    expect(denyTool(SOME, ["add", "echo"], "echo")?.tools).toEqual(["add"]);
    expect(denyTool({}, ["a", "b", "c"], "b")?.tools).toEqual(["a", "c"]);
    expect(denyTool({ tools: ["a"] }, ["a"], "a")).toBeUndefined();
    expect(denyTool({}, ["a"], "a")).toBeUndefined();
  });

  test("has another name for a tool, in the list too, and takes it back", () => {
    const renamed = renameTool(SOME, "add", { name: "plus", description: "Adds." });
    expect(renamed).toEqual({
      tools: ["plus", "echo"],
      tools_override: { sum: { name: "plus", description: "Adds." } },
    });
    expect(describeRename(renamed, "plus")).toEqual({ name: "plus", description: "Adds." });
    expect(findOwnName("plus", renamed)).toBe("sum");
    expect(renameTool(renamed, "plus", SAME)).toEqual({ tools: ["sum", "echo"], tools_override: {} });
    expect(renameTool({}, "echo", { name: "echo", description: "" })).toEqual({ tools_override: {} });
  });

  test("is saved with everything else of the request, and again only when it is another", () => {
    const request = { image: "mcp/echo", limits: { cpus: 1 }, ...SOME };
    expect(withTools(request, {})).toEqual({ image: "mcp/echo", limits: { cpus: 1 }, tools: [], tools_override: {} });
    expect(isSameChoice(request, SOME)).toBe(true);
    expect(isSameChoice({}, { tools: [], tools_override: {} })).toBe(true);
    expect(isSameChoice(SOME, { ...SOME, tools: ["add"] })).toBe(false);
  });

  test("knows names that every object has a member for", () => {
    expect(describeRename({}, "constructor")).toEqual(SAME);
    expect(findOwnName("toString", {})).toBe("toString");
  });
});
