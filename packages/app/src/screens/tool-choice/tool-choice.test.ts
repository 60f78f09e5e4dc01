import { describe, expect, test } from "vitest";
import {
  allowAllTools,
  allowTool,
  type ChosenTools,
  denyTool,
  describeRename,
  findOwnName,
  findRegistryTools,
  isSameChoice,
  listChoices,
  renameTool,
  withTools,
} from "./tool-choice.ts";

const SOME: ChosenTools = { tools: ["add", "echo"], tools_override: { sum: { name: "add" } } };
const SAME = { name: "", description: "" };

describe("the tools of a server", () => {
  test("are offered, chosen and missing, or hidden; the hidden ones under the names that clients would see", () => {
    const known = ["sum", "echo", "get-env"];
    expect(listChoices(["add"], known, SOME)).toEqual([
      { name: "add", state: "offered" },
      { name: "echo", state: "absent" },
      { name: "get-env", state: "hidden" },
    ]);
    expect(listChoices([], ["sum"], { ...SOME, tools: ["echo"] })).toContainEqual({ name: "add", state: "hidden" });
  });

  test("are none of them hidden where nothing was chosen, as an empty list says, too", () => {
    for (const chosen of [{}, { tools: [] }]) {
      expect(listChoices(["echo"], ["echo", "gone"], chosen)).toEqual([{ name: "echo", state: "offered" }]);
    }
  });

  test("are known to the registry by the image, whatever its tag, or by the address", () => {
    const entries = [
      { image: "ghcr.io:443/a/echo:1", tools: ["echo"] },
      { url: "https://mcp.example.com/mcp", tools: ["search"] },
    ];
    expect(findRegistryTools(entries, "ghcr.io:443/a/echo@sha256:00")).toEqual(["echo"]);
    expect(findRegistryTools(entries, "https://mcp.example.com/mcp")).toEqual(["search"]);
    expect(findRegistryTools(entries, "ghcr.io:443/b/echo:1")).toEqual([]);
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
    expect(listChoices([], ["toString"], { tools: ["x"] })).toContainEqual({ name: "toString", state: "hidden" });
  });
});
