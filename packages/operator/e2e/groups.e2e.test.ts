/** What several servers share on a real cluster: a choice of tools, and one address. */
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";
import { installCrd, manifestOf, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

const API = "toolhive.stacklok.dev/v1alpha1";

describeCluster("servers that share something", (cluster) => {
  let space: TestNamespace;
  let operator: TestOperator;
  beforeAll(async () => {
    await installCrd(cluster);
    space = await cluster.createNamespace("shared");
    operator = await TestOperator.start(cluster, [space.name]);
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await space?.[Symbol.asyncDispose]();
  });

  const findUrl = async (service: string): Promise<URL> => {
    const { clusterIP, ports } = (await space.get(`service/${service}`)).spec;
    return new URL(`http://${clusterIP}:${ports[0].port}/mcp`);
  };
  const listTools = async (url: URL): Promise<string[]> => {
    await using caller = await McpCaller.open(url);
    return (await caller.listTools()).sort();
  };
  const applyToolConfig = async (name: string, spec: object) =>
    await space.apply({ apiVersion: API, kind: "MCPToolConfig", metadata: { name }, spec });
  const untilAtRestWithout = async (change: () => Promise<unknown>) => {
    await operator.untilAtRest();
    const { writes } = operator.client.counts;
    await change();
    await operator.untilAtRest();
    expect(operator.client.counts.writes).toBe(writes);
  };

  describe("an MCPToolConfig", () => {
    const untilTools = async (url: URL, tools: readonly string[]) =>
      await waitFor(
        async () => JSON.stringify(await listTools(url).catch(() => [])) === JSON.stringify([...tools].sort()),
        { what: `the tools to be ${tools}`, deadlineMs: 90_000, intervalMs: 300 },
      );

    test("that is missing keeps every tool hidden, and the server says so", async () => {
      await space.apply(manifestOf("few", { toolConfigRef: { name: "one" } }));

      const { status } = await untilCondition(space, "few", "Ready", "ToolConfigMissing");

      expect(status?.conditions?.find(({ type }) => type === "Ready")?.message).toContain(
        `"one" does not exist in namespace ${space.name}`,
      );
      await untilCondition(space, "few", "ProxyReady", "Running");
      const url = await findUrl("mcp-few-proxy");
      expect(await listTools(url)).toEqual([]);
      await expect(callTool(url, "echo", { text: "a" })).rejects.toThrow("not offered here");
    });

    test("that comes is the choice of the proxy: what it hides is neither seen nor called", async () => {
      await applyToolConfig("one", { toolsFilter: ["repeat"], toolsOverride: { echo: { name: "repeat" } } });

      await untilCondition(space, "few", "Ready", "Running");

      const url = await findUrl("mcp-few-proxy");
      await untilTools(url, ["repeat"]);
      expect(await callTool(url, "repeat", { text: "b" })).toBe("b");
      await expect(callTool(url, "echo", { text: "c" })).rejects.toThrow("not offered here");
      const { status } = await waitFor(
        async () => {
          const config = await space.get("mcptoolconfig/one");
          return config.status?.referencingServers?.length === 1 ? config : undefined;
        },
        { what: "the choice to say who uses it" },
      );
      expect(status).toMatchObject({
        observedGeneration: 1,
        referencingServers: ["MCPServer/few"],
        conditions: [{ type: "Valid", status: "True" }],
      });
      expect(await space.kubectl("get", "tc")).toMatch(/^NAME\s+VALID\s+SERVERS\s+AGE\none\s+True/);
    });

    test("that changes reaches the proxy, and one that is wrong hides everything", async () => {
      const url = await findUrl("mcp-few-proxy");
      await applyToolConfig("one", {
        toolsFilter: ["echo", "sleep"],
        toolsOverride: { sleep: { description: "Waits." } },
      });
      await untilTools(url, ["echo", "sleep"]);

      await applyToolConfig("one", { toolsOverride: { echo: { name: "x" }, sleep: { name: "x" } } });
      await untilTools(url, []);
      await untilCondition(space, "few", "Ready", "ToolConfigInvalid");
      expect((await space.get("mcptoolconfig/one")).status.conditions).toMatchObject([
        { status: "False", reason: "Invalid", message: expect.stringContaining('would both be called "x"') },
      ]);
    });

    test("causes no write while nothing changes", async () => {
      await applyToolConfig("one", { toolsFilter: ["echo"] });
      await untilCondition(space, "few", "Ready", "Running");

      await untilAtRestWithout(async () => {
        await space.kubectl("annotate", "mcptoolconfig/one", "test.example/looked-at=yes");
        const { reconciles } = operator.reconciler.counts;
        await space.kubectl("annotate", "mcpserver/few", "test.example/looked-at=yes");
        await waitFor(() => operator.reconciler.counts.reconciles > reconciles, { what: "another look" });
      });
    });

    test("that is deleted hides everything again", async () => {
      const url = await findUrl("mcp-few-proxy");
      await space.kubectl("delete", "mcptoolconfig/one");

      await untilTools(url, []);
      await untilCondition(space, "few", "Ready", "ToolConfigMissing");
    });

    test.each([
      ["nothing in it", "MCPToolConfig", {}, "spec.toolsFilter or spec.toolsOverride must be there"],
      ["an empty list", "MCPToolConfig", { toolsFilter: [] }, "should have at least 1 items"],
      [
        "two choices",
        "MCPServer",
        { image: "a", tools: ["b"], toolConfigRef: { name: "c" } },
        "spec.tools must not be there together with spec.toolConfigRef",
      ],
    ])("with %s is refused by the API server", async (_what, kind, spec, message) => {
      const object = { apiVersion: API, kind, metadata: { name: "it" }, spec };
      const create = ["create", "--dry-run=server", "--namespace", "default", "-f", "-"];
      const { code, stderr } = await cluster.kubectl(create, { input: JSON.stringify(object) });

      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    });
  });
});
