import { describe, expect, test } from "vitest";
import type { JsonObject } from "../contract/index.ts";
import { createContext, createGroupContext, createRemoteContext, createServer } from "../testing/servers.ts";
import { buildGroupFile, buildPart, checkName, type DesiredContext, PARTS, type Part, planMembers } from "./index.ts";

const build = (part: Part, context: DesiredContext): JsonObject => {
  const object = buildPart(part, context);
  if (object === undefined) throw new Error(`there is no ${part}`);
  return object;
};
const listParts = (context: DesiredContext) => PARTS.filter((part) => buildPart(part, context) !== undefined);
const planOne = (...[spec, metadata]: Parameters<typeof createServer>) =>
  planMembers([{ server: createServer(spec, metadata), run: "1" }])[0];
const ALPHA = createServer({}, { name: "alpha" });

describe("an MCPGroup", () => {
  test("has an endpoint and no server, and the endpoint no rights", () => {
    const context = createGroupContext({}, [ALPHA]);

    expect(listParts(context)).toEqual(["account", "runnerConfig", "deployment", "proxyService"]);
    expect(build("proxyService", context).metadata.name).toBe("mcp-work-group");
    const { spec } = build("deployment", context);
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: "mcp-work-group-runner",
    });
    expect(spec).toMatchObject({ replicas: 1, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
  });

  test("belongs to its object, and shares no name and no selector with other kinds of the same name", () => {
    const group = createGroupContext();
    const others = [
      createContext({ transport: "sse" }, { metadata: { name: "work" } }),
      createRemoteContext({}, {}, "work"),
    ];
    const buildSelector = (context: DesiredContext) => JSON.stringify(build("deployment", context).spec.selector);

    for (const other of others) {
      expect(buildSelector(group)).not.toBe(buildSelector(other));
      for (const part of listParts(group)) {
        expect(build(part, group).metadata.name, part).not.toBe(build(part, other).metadata.name);
      }
    }
    expect(build("deployment", group).metadata.ownerReferences).toMatchObject([{ kind: "MCPGroup", name: "work" }]);
  });

  test("passes servers, tools and their naming to its endpoint in a file, and makes no new pod when these change", () => {
    const spec = { toolConfigRef: { name: "few" } };
    const toolConfig = { toolsFilter: ["say"], toolsOverride: { alpha__echo: { name: "say" } } };
    const [before, after] = [
      createGroupContext(spec),
      createGroupContext({ ...spec, naming: "always" }, [ALPHA], { toolConfig }),
    ];
    const { data } = build("runnerConfig", after);

    expect(JSON.parse(data["runner.json"])).toMatchObject({ name: "work", group: {} });
    expect(JSON.parse(data["group.json"])).toEqual({
      version: expect.any(String),
      members: [{ name: "alpha", url: "http://mcp-alpha-proxy.tools.svc:8080/mcp", run: "1", isRunning: true }],
      choice: { tools: [{ name: "say" }], overrides: [{ name: "alpha__echo", override: { name: "say" } }] },
      naming: "always",
    });
    expect(build("deployment", before)).toEqual(build("deployment", after));
    expect(buildGroupFile(before)?.version).not.toBe(buildGroupFile(after)?.version);
    const [auto, never] = [createGroupContext({}, [ALPHA]), createGroupContext({ naming: "never" }, [ALPHA])];
    expect(buildGroupFile(auto)).toMatchObject({ naming: "auto" });
    expect(buildGroupFile(auto)?.version).not.toBe(buildGroupFile(never)?.version);
    expect(build("deployment", auto)).toEqual(build("deployment", never));
    expect(build("deployment", after).spec.template.spec.volumes[0].configMap.items).toContainEqual({
      key: "group.json",
      path: "group.json",
    });
  });

  test("shows no tools while its MCPToolConfig is missing", () => {
    expect(buildGroupFile(createGroupContext({ toolConfigRef: { name: "few" } }))?.choice).toEqual({ tools: [] });
  });

  test("has a name that fits its Service", () => {
    const named = (length: number) => ({
      ...createGroupContext().server,
      metadata: { ...ALPHA.metadata, name: "a".repeat(length) },
    });

    expect(checkName(named(53))).toBeUndefined();
    expect(checkName(named(54))).toContain("MCPGroup");
  });
});

describe("a server of a group", () => {
  test("is reached at its proxy, by what it speaks", () => {
    expect(planOne({ transport: "sse", port: 9000 })?.url).toBe("http://mcp-weather-proxy.tools.svc:9000/sse");
    const { server } = createRemoteContext({ proxyPort: 9090 });
    expect(planMembers([{ server, run: "1" }])[0]?.url).toBe("http://mcp-forecast-remote-proxy.tools.svc:9090/mcp");
  });

  test("whose callers need a token is not asked, and the group says why", () => {
    const server = createServer({ oidcConfig: { type: "kubernetes" } });
    const context = createGroupContext({}, [server]);

    expect(context.members?.[0]?.refusal).toContain("spec.oidcConfig");
    expect(buildGroupFile(context)?.members).toEqual([]);
  });

  test("that has no pods is stopped, and not a failure", () => {
    expect(planOne({ replicas: 0, transport: "sse" })?.stopped).toBe("spec.replicas is 0");
    expect(planOne({ proxyReplicas: 0 })?.stopped).toBe("spec.proxyReplicas is 0");
    const { server } = createRemoteContext({ replicas: 0 });
    expect(planMembers([{ server, run: "1" }])[0]?.stopped).toBe("spec.replicas is 0");
    expect(buildGroupFile(createGroupContext({}, [createServer({ proxyReplicas: 0 })]))?.members).toMatchObject([
      { isRunning: false, reason: "spec.proxyReplicas is 0" },
    ]);
  });

  test("is one of its name: an MCPServer goes before an MCPRemoteProxy, whoever came first", () => {
    const { server: remote } = createRemoteContext({}, {}, "weather");
    const both = [remote, createServer()].map((server) => ({ server, run: "1" }));

    for (const candidates of [both, both.toReversed()]) {
      expect(planMembers(candidates).map(({ kind, refusal }) => [kind, refusal !== undefined])).toEqual([
        ["MCPServer", false],
        ["MCPRemoteProxy", true],
      ]);
    }
  });

  test("is one of 200 at most", () => {
    const many = Array.from({ length: 201 }, (_, index) => ({
      server: createServer({}, { name: `s${index}` }),
      run: "",
    }));

    expect(planMembers(many).filter(({ refusal }) => refusal !== undefined)).toMatchObject([
      { refusal: "the group has 200 servers" },
    ]);
  });
});
