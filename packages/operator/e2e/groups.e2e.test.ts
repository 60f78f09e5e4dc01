/** What several servers share on a real cluster: a choice of tools, and one address. */
import { describeCluster, type TestNamespace, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Condition, MCPGroup } from "../src/contract/index.ts";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";
import { createServerManifest, installCrd, TestOperator, untilCondition } from "../src/testing/test-operator.ts";

/** Without the operator's annotation, the kubelet updates the ConfigMap of a pod once in a minute, or somewhat more. */
const FOLLOWED = { timeout: 240_000 };
/** Definitions that came later than the others. */
const LATER = ["mcptoolconfigs.toolhive.stacklok.dev", "mcpgroups.toolhive.stacklok.dev"];
const API = "toolhive.stacklok.dev/v1alpha1";

describeCluster("servers that share something", (cluster) => {
  let space: TestNamespace;
  let operator: TestOperator;
  beforeAll(async () => {
    await installCrd(cluster);
    // As a cluster is whose definitions are of an older version.
    await cluster.kubectl(["delete", "customresourcedefinition", ...LATER, "--ignore-not-found"]);
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
  /** The status of the server whose image cannot be pulled changes each time that the node tries again. */
  const untilAtRestWithout = async (change: () => Promise<unknown>) => {
    await operator.untilAtRest();
    const before = operator.written.length;
    await change();
    await operator.untilAtRest();
    const written = operator.written.slice(before).filter((request) => !request.endsWith("/mcpservers/dead/status"));
    expect(written).toEqual([]);
  };

  test("are served without the definitions of what they share, which may come later", async () => {
    await space.apply(createServerManifest("plain"));
    await untilCondition(space, "plain", "Ready", "Running");
    await space.kubectl("delete", "mcpserver/plain");

    await installCrd(cluster);
  });

  describe("an MCPToolConfig", () => {
    const untilTools = async (url: URL, tools: readonly string[]) =>
      await waitFor(
        async () => JSON.stringify(await listTools(url).catch(() => [])) === JSON.stringify([...tools].sort()),
        { what: `the tools to be ${tools}`, deadlineMs: 90_000, intervalMs: 300 },
      );

    test("that is missing keeps every tool hidden, and the server says so", async () => {
      await space.apply(createServerManifest("few", { toolConfigRef: { name: "one" } }));

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
        conditions: [
          { type: "Valid", status: "True" },
          { type: "Ready", status: "True" },
        ],
      });
      expect(await space.kubectl("get", "tc")).toMatch(/^NAME\s+VALID\s+SERVERS\s+AGE\none\s+True/);
    });

    test("that changes reaches the proxy without other pods and in open sessions, and one that is wrong hides everything", async () => {
      const url = await findUrl("mcp-few-proxy");
      const listPods = async () => await space.kubectl("get", "pods", "--selector=app=mcpserver", "--output=name");
      const pods = await listPods();
      await using before = await McpCaller.open(url);
      expect(await before.listTools()).toEqual(["repeat"]);
      await applyToolConfig("one", {
        toolsFilter: ["echo", "sleep"],
        toolsOverride: { sleep: { description: "Waits." } },
      });
      await untilTools(url, ["echo", "sleep"]);
      expect((await before.listTools()).sort()).toEqual(["echo", "sleep"]);
      expect(await before.call("echo", { text: "d" })).toBe("d");
      await expect(before.call("repeat", { text: "e" })).rejects.toThrow("not offered here");
      await untilCondition(space, "few", "ProxyReady", "Running");

      await applyToolConfig("one", { toolsOverride: { echo: { name: "x" }, sleep: { name: "x" } } });
      await untilTools(url, []);
      expect(await before.listTools()).toEqual([]);
      expect(await listPods()).toBe(pods);
      await untilCondition(space, "few", "Ready", "ToolConfigInvalid");
      const wrong = {
        status: "False",
        reason: "Invalid",
        message: expect.stringContaining('would both be called "x"'),
      };
      const { status } = await untilCondition(space, "one", "Valid", "Invalid", { plural: "mcptoolconfig" });
      expect(status?.conditions).toMatchObject([
        { ...wrong, type: "Valid" },
        { ...wrong, type: "Ready" },
      ]);
    });

    test("causes no write while nothing changes", async () => {
      await applyToolConfig("one", { toolsFilter: ["echo"] });
      await untilCondition(space, "few", "Ready", "Running");

      await untilAtRestWithout(async () => {
        const { reconciles } = operator.reconciler.counts;
        await space.kubectl("annotate", "--overwrite", "mcptoolconfig/one", `test.example/change=${reconciles}`);
        await space.kubectl("annotate", "--overwrite", "mcpserver/few", `test.example/change=${reconciles}`);
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
      ["nothing in it", "MCPToolConfig", {}, "spec.toolsFilter or spec.toolsOverride must be set"],
      ["an empty list", "MCPToolConfig", { toolsFilter: [] }, "should have at least 1 items"],
      [
        "two choices",
        "MCPServer",
        { image: "a", tools: ["b"], toolConfigRef: { name: "c" } },
        "spec.tools must not be set together with spec.toolConfigRef",
      ],
    ])("with %s is refused by the API server", async (_what, kind, spec, message) => {
      const object = { apiVersion: API, kind, metadata: { name: "it" }, spec };
      const create = ["create", "--dry-run=server", "--namespace", "default", "-f", "-"];
      const { code, stderr } = await cluster.kubectl(create, { input: JSON.stringify(object) });

      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    });
  });

  describe("an MCPGroup", () => {
    const NAME = "work";
    const SERVICE = `mcp-${NAME}-group`;
    const OBJECTS = "deployments,replicasets,pods,services,configmaps,serviceaccounts";
    const join = { groupRef: { name: NAME } };
    const applyGroup = async (spec: object = {}) =>
      await space.apply({ apiVersion: API, kind: "MCPGroup", metadata: { name: NAME }, spec });
    const applyAlpha = async (spec: object = join) =>
      await space.apply(createServerManifest("alpha", { toolConfigRef: { name: "echo-only" }, ...spec }));
    const applyBeta = async (spec: object = join) =>
      await space.apply(createServerManifest("beta", { toolConfigRef: { name: "two" }, ...spec }));
    const until = async (type: Condition["type"], reason: string) =>
      await untilCondition(space, NAME, type, reason, { plural: "mcpgroup", deployment: SERVICE });
    const readMembers = async (): Promise<Record<string, string>> => {
      const { status }: MCPGroup = await space.get(`mcpgroup/${NAME}`);
      return Object.fromEntries((status?.members ?? []).map(({ name, state, tools }) => [name, `${state} ${tools}`]));
    };
    const untilMembers = async (members: Record<string, string>) => {
      let last: unknown;
      try {
        await waitFor(
          async () => {
            last = await readMembers();
            return JSON.stringify(last) === JSON.stringify(members);
          },
          { what: `the members to be ${JSON.stringify(members)}`, deadlineMs: 180_000, intervalMs: 300 },
        );
      } catch (error) {
        throw new Error(`they are ${JSON.stringify(last)}`, { cause: error });
      }
    };
    let client: McpCaller;
    afterAll(async () => await client?.[Symbol.asyncDispose]());

    test("that is not there is missed by the server that names it", async () => {
      await applyToolConfig("echo-only", { toolsFilter: ["echo"] });
      await applyToolConfig("two", { toolsFilter: ["echo", "repeat"], toolsOverride: { say: { name: "repeat" } } });
      await applyAlpha();

      await untilCondition(space, "alpha", "GroupJoined", "GroupMissing");
      await untilCondition(space, "alpha", "Ready", "Running");
    });

    test("has one address for its servers, whose tools have the names of the rule, and goes on without one that is down", async () => {
      await applyBeta();
      await space.apply(createServerManifest("dead", { image: "docker.io/toolhive-test/nothing:none", ...join }));
      await applyGroup();

      const { status } = await until("Ready", "Running");
      await until("ServersReady", "ServersUnavailable");
      await untilMembers({ alpha: "Ready 1", beta: "Ready 2", dead: "Unavailable 0" });

      expect(status).toMatchObject({
        phase: "Ready",
        url: `http://${SERVICE}.${space.name}.svc.cluster.local:8080`,
        serverCount: 3,
        servers: ["alpha", "beta", "dead"],
      });
      client = await McpCaller.open(await findUrl(SERVICE));
      expect((await client.listTools()).sort()).toEqual(["alpha__echo", "beta__echo", "repeat"]);
      expect(await client.call("alpha__echo", { text: "a" })).toBe("a");
      expect(await client.call("beta__echo", { text: "b" })).toBe("b");
      await expect(client.call("alpha__say", { text: "c" })).rejects.toThrow();
      await untilCondition(space, "alpha", "GroupJoined", "Joined");
      const [head = ""] = (await space.kubectl("get", "mcpg")).split("\n");
      expect(head.split(/\s+/).filter(Boolean)).toEqual(["NAME", "STATUS", "SERVERS", "URL", "AGE"]);
    });

    test("writes nothing while nothing changes", async () => {
      await untilAtRestWithout(async () => {
        const { reconciles } = operator.reconciler.counts;
        await space.kubectl("annotate", "--overwrite", `mcpgroup/${NAME}`, `test.example/change=${reconciles}`);
        await waitFor(() => operator.reconciler.counts.reconciles > reconciles, { what: "another look" });
      });
    });

    test("loses a server that leaves, and keeps its clients' sessions", FOLLOWED, async () => {
      const { uid } = (await space.get(`deployment/${SERVICE}`)).metadata;
      const pods = await space.kubectl("get", "pods", "--selector=app=mcpgroup", "--output=name");
      await applyBeta({});
      await space.kubectl("delete", "mcpserver/dead");

      await untilMembers({ alpha: "Ready 1" });

      await until("ServersReady", "ServersReady");
      expect(await client.listTools()).toEqual(["echo"]);
      expect(await client.call("echo", { text: "d" })).toBe("d");
      expect((await space.get(`deployment/${SERVICE}`)).metadata.uid).toBe(uid);
      expect(await space.kubectl("get", "pods", "--selector=app=mcpgroup", "--output=name")).toBe(pods);
    });

    test("names its tools by another rule in the same session and the same pod", FOLLOWED, async () => {
      const pods = await space.kubectl("get", "pods", "--selector=app=mcpgroup", "--output=name");
      await applyGroup({ naming: "always" });
      await waitFor(async () => (await client.listTools()).join() === "alpha__echo", { what: "the new name" });
      await until("ServersReady", "ServersReady");
      expect(await client.call("alpha__echo", { text: "named" })).toBe("named");

      await applyGroup();
      await waitFor(async () => (await client.listTools()).join() === "echo", { what: "the name before" });
      await until("ServersReady", "ServersReady");
      expect(await space.kubectl("get", "pods", "--selector=app=mcpgroup", "--output=name")).toBe(pods);
    });

    test("does not ask a server whose callers need a token, and both say so", async () => {
      await applyBeta({ ...join, oidcConfig: { type: "kubernetes" } });

      await untilMembers({ alpha: "Ready 1", beta: "NotJoined 0" });
      const { status } = await untilCondition(space, "beta", "GroupJoined", "NotJoined");

      expect(status?.conditions?.find(({ type }) => type === "GroupJoined")?.message).toContain("spec.oidcConfig");
      expect(await client.listTools()).toEqual(["echo"]);
      await space.kubectl("delete", "mcpserver/beta");
    });

    test("shows nothing while its MCPToolConfig is missing, without an end of sessions", FOLLOWED, async () => {
      await applyGroup({ toolConfigRef: { name: "of-the-group" } });
      await until("Ready", "ToolConfigMissing");
      await untilMembers({ alpha: "Ready 0" });
      expect(await client.listTools()).toEqual([]);
      await expect(client.call("echo", { text: "e" })).rejects.toThrow("not offered here");
    });

    test("shows what its MCPToolConfig says, in the same session", FOLLOWED, async () => {
      await applyToolConfig("of-the-group", {
        toolsFilter: ["speak"],
        toolsOverride: { alpha__echo: { name: "speak", description: "Speaks." } },
      });
      await until("Ready", "Running");
      await untilMembers({ alpha: "Ready 1" });
      expect(await client.listTools()).toEqual(["speak"]);
      expect(await client.call("speak", { text: "f" })).toBe("f");
      await expect(client.call("echo", { text: "g" })).rejects.toThrow("not offered here");
    });

    test("leaves nothing behind when it is deleted, and its servers stay", async () => {
      await space.kubectl("delete", `mcpgroup/${NAME}`);

      await waitFor(async () => !(await space.kubectl("get", OBJECTS, "--output=name")).includes(SERVICE), {
        what: "its objects to be gone",
        deadlineMs: 90_000,
        intervalMs: 500,
      });
      await untilCondition(space, "alpha", "GroupJoined", "GroupMissing");
      expect(await callTool(await findUrl("mcp-alpha-proxy"), "echo", { text: "h" })).toBe("h");
    });
  });
});
