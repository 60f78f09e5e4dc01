import type { GroupMemberStatus } from "@toolhive/core";
import { describe, expect, test } from "vitest";
import { createGroupContext, createServer } from "../../../testing/servers.ts";
import type { Observation } from "../../status/observation.ts";
import { computeStatus, isSameStatus } from "../compute-status.ts";

const NOW = "2026-01-01T00:00:00Z";
const SERVED = { want: 1, ready: 1, updated: 1, total: 1, isObserved: true };
const ALPHA = createServer({}, { name: "alpha" });
const GUARDED = createServer({ oidcConfig: { type: "kubernetes" } }, { name: "guarded" });

function look(servers: readonly (typeof ALPHA)[], members?: GroupMemberStatus[], rest: Partial<Observation> = {}) {
  const { server, members: planned = [] } = createGroupContext({}, servers);
  const report = members && { version: "1", members };
  const group = { members: planned, version: "1", report };
  const observation = { server, problems: [], serverPods: [], proxyPods: [], deployment: SERVED, group, ...rest };
  const status = computeStatus(observation, NOW);
  const conditions = (status.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]);
  return { status, conditions: Object.fromEntries(conditions) };
}

describe("the status of an MCPGroup", () => {
  test("has its address, its servers, and how each of them is", () => {
    const { status, conditions } = look([GUARDED, ALPHA], [{ name: "alpha", state: "ready", tools: 3 }]);

    expect(status).toMatchObject({
      phase: "Ready",
      url: "http://mcp-work-group.tools.svc.cluster.local:8080",
      serverCount: 2,
      servers: ["alpha", "guarded"],
      members: [
        { name: "alpha", kind: "MCPServer", state: "Ready", tools: 3 },
        { name: "guarded", state: "NotJoined", message: expect.stringContaining("need a token"), tools: 0 },
      ],
    });
    expect(status.endpoints?.map(({ url }) => url.slice(-4))).toEqual(["/mcp", "/sse"]);
    expect(conditions).toEqual({
      Ready: "True Running",
      ProxyReady: "True Running",
      ServersReady: "False ServersUnavailable",
      Authenticated: "False NoAuthentication",
    });
  });

  test("is Ready also while a server is down, and names it", () => {
    const { status, conditions } = look(
      [ALPHA],
      [{ name: "alpha", state: "unavailable", reason: "no route", tools: 0 }],
    );

    expect(conditions).toMatchObject({ Ready: "True Running", ServersReady: "False ServersUnavailable" });
    expect(status.conditions?.find(({ type }) => type === "ServersReady")?.message).toContain("alpha (Unavailable)");
    expect(status.members).toMatchObject([{ state: "Unavailable", message: "no route" }]);
  });

  test.each([
    ["no server names it", [], undefined, "False NoServers"],
    ["its endpoint has not said yet", [ALPHA], undefined, "Unknown NotAsked"],
    ["all answer", [ALPHA], [{ name: "alpha", state: "ready" as const, tools: 1 }], "True ServersReady"],
  ])("says when %s", (_what, servers, members, expected) => {
    expect(look(servers, members).conditions.ServersReady).toBe(expected);
  });

  test("says that its endpoint does not know of a change yet", () => {
    const members = createGroupContext({}, [ALPHA]).members ?? [];
    const group = { members, version: "2", report: { version: "1", members: [] } };

    expect(look([ALPHA], [], { group }).conditions.ServersReady).toBe("Unknown Updating");
  });

  test("is not another one because a server that is down fails in another way", () => {
    const of = (reason: string, state: "unavailable" | "ready" = "unavailable") =>
      look([ALPHA], [{ name: "alpha", state, reason, tools: 0 }]).status;

    expect(isSameStatus(of("refused"), of("no answer within 5 s"))).toBe(true);
    expect(isSameStatus(of("refused"), of("", "ready"))).toBe(false);
  });
});

test.each([
  ["is not there", { isThere: false }, "False GroupMissing"],
  ["does not have it", { isThere: true, refusal: "its callers need a token" }, "False NotJoined"],
  ["has it", { isThere: true }, "True Joined"],
])("a server whose group %s says so", (_what, joined, expected) => {
  const server = createServer({ groupRef: { name: "work" } });
  const { conditions = [] } = computeStatus({ server, problems: [], serverPods: [], proxyPods: [], joined }, NOW);

  expect(
    conditions.filter(({ type }) => type === "GroupJoined").map(({ status, reason }) => `${status} ${reason}`),
  ).toEqual([expected]);
});
