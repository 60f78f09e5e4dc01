/** What an MCPToolConfig does to the objects of whatever names it. */
import { describe, expect, test } from "vitest";
import type { MCPToolConfigSpec } from "../contract/index.ts";
import { createContext, createRemoteContext } from "../testing/servers.ts";
import { buildPart, type DesiredContext, findToolConfigProblem } from "./index.ts";

const REF = { toolConfigRef: { name: "few" } };
const CONFIG: MCPToolConfigSpec = { toolsFilter: ["say"], toolsOverride: { echo: { name: "say" } } };

const readConfig = (context: DesiredContext) =>
  JSON.parse(buildPart("runnerConfig", context)?.data["runner.json"] ?? "{}");
const buildReferences = (context: DesiredContext): unknown =>
  buildPart("deployment", context)?.spec.template.metadata.annotations["toolhive.stacklok.dev/references"];
const withConfig = (toolConfig: MCPToolConfigSpec | undefined) => ({ ...createContext(REF), toolConfig });

describe("an MCPToolConfig", () => {
  test.each([
    ["MCPServer", createContext(REF)],
    ["MCPRemoteProxy", createRemoteContext(REF)],
  ])("is the choice of tools of the proxy of an %s", (_kind, context) => {
    expect(readConfig({ ...context, toolConfig: CONFIG })).toMatchObject({
      tools: ["say"],
      tools_override: { echo: { name: "say" } },
    });
  });

  test("that changes leaves the proxy's pods, whose settings name another choice", () => {
    const [before, after] = [withConfig(CONFIG), withConfig({ ...CONFIG, toolsFilter: ["other"] })];

    expect(buildReferences(after)).toBe(buildReferences(before));
    expect(readConfig(withConfig({ ...CONFIG })).tools_version).toBe(readConfig(before).tools_version);
    expect(readConfig(after).tools_version).not.toBe(readConfig(before).tools_version);
  });

  test("that comes or goes leaves the proxy's pods, too", () => {
    expect(buildReferences(withConfig(undefined))).toBe(buildReferences(withConfig(CONFIG)));
    expect(buildReferences(createContext())).toBe(buildReferences(createContext({ tools: ["echo"] })));
  });

  test("that is followed gives the proxy no right and no token", () => {
    const http = { ...createContext({ ...REF, transport: "streamable-http" }), toolConfig: CONFIG };

    expect([buildPart("role", http), buildPart("roleBinding", http)]).toEqual([undefined, undefined]);
    expect(buildPart("deployment", http)?.spec.template.spec.automountServiceAccountToken).toBe(false);
    expect(buildPart("role", withConfig(CONFIG))?.rules).toEqual(buildPart("role", createContext())?.rules);
  });

  test("puts a wall around the server, which clients could ask without its proxy otherwise", () => {
    expect(buildPart("networkPolicy", createContext())).toBeUndefined();
    expect(buildPart("networkPolicy", withConfig(CONFIG))?.spec.policyTypes).toEqual(["Ingress"]);
  });

  test.each<[string, MCPToolConfigSpec | undefined, string, string]>([
    ["that is not there", undefined, "ToolConfigMissing", 'The MCPToolConfig "few" does not exist in namespace tools'],
    ["that is empty", {}, "ToolConfigInvalid", "neither toolsFilter nor toolsOverride"],
    [
      "that gives two tools one name",
      { toolsOverride: { a: { name: "c" }, b: { name: "c" } } },
      "ToolConfigInvalid",
      'would both be called "c"',
    ],
    ["that changes nothing", { toolsOverride: { a: {} } }, "ToolConfigInvalid", "neither another name"],
  ])("%s shows no tools, and says why", (_what, toolConfig, reason, words) => {
    const context = withConfig(toolConfig);

    expect(readConfig(context).tools).toEqual([]);
    expect(readConfig(context).tools_override).toBeUndefined();
    expect(findToolConfigProblem(context.server, toolConfig)).toMatchObject({
      reason,
      message: expect.stringContaining(words),
    });
  });

  test("that nobody names changes nothing", () => {
    expect(findToolConfigProblem(createContext().server, undefined)).toBeUndefined();
    expect(readConfig(createContext({ tools: ["echo"] })).tools).toEqual(["echo"]);
  });
});
