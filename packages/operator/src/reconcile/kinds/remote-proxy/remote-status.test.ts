import { describe, expect, test } from "vitest";
import type { RemoteFailure } from "../../../contract/index.ts";
import { createRemoteContext } from "../../../testing/servers.ts";
import type { Observation } from "../../status/observation.ts";
import { computeStatus } from "../compute-status.ts";

const NOW = "2026-01-01T00:00:00Z";
const SERVED = { want: 1, ready: 1, updated: 1, total: 1, isObserved: true };
const AUTH = { type: "bearer", bearerToken: { name: "remote", key: "token" } } as const;

function look(rest: Partial<Observation> = {}, spec: Parameters<typeof createRemoteContext>[0] = { auth: AUTH }) {
  const { server } = createRemoteContext(spec);
  const status = computeStatus(
    { server, problems: [], serverPods: [], proxyPods: [], deployment: SERVED, ...rest },
    NOW,
  );
  const conditions = (status.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]);
  return { status, conditions: Object.fromEntries(conditions) };
}
const failing = (reason: RemoteFailure) => ({
  remoteReports: [{ isReady: false, problem: { reason, message: "https://mcp.example.test/mcp does not run." } }],
});

describe("the status of an MCPRemoteProxy", () => {
  test("is Ready while the server lists its tools, with its address", () => {
    const { status, conditions } = look();

    expect(conditions).toEqual({
      Ready: "True Running",
      ProxyReady: "True Running",
      RemoteReachable: "True ToolsListed",
      SignedIn: "True SignedIn",
      Authenticated: "False NoAuthentication",
    });
    expect(status).toMatchObject({
      phase: "Ready",
      endpoints: [{ url: "http://mcp-forecast-remote-proxy.tools.svc.cluster.local:8080/mcp" }],
    });
    expect(look({}, {}).conditions.SignedIn).toBe("True NotNeeded");
  });

  test.each([
    ["RemoteUnreachable", "False RemoteUnreachable", "Unknown RemoteUnreachable"],
    ["SignInRefused", "Unknown SignInRefused", "False SignInRefused"],
    ["TokensUnavailable", "Unknown TokensUnavailable", "False TokensUnavailable"],
  ] as const)("is Failed with the reason %s that the proxy gives", (reason, reachable, signedIn) => {
    const { status, conditions } = look({ ...failing(reason), deployment: { ...SERVED, ready: 0 } });

    expect(status.phase).toBe("Failed");
    expect(conditions).toMatchObject({
      Ready: `False ${reason}`,
      RemoteReachable: reachable,
      SignedIn: signedIn,
    });
  });

  test("stays ready while a newer proxy is refused and the one before serves", () => {
    const { conditions } = look({ ...failing("SignInRefused"), deployment: { ...SERVED, total: 2 } });

    expect(conditions).toMatchObject({ Ready: "True Updating", SignedIn: "False SignInRefused" });
  });

  test("names what is missing", () => {
    const problem = {
      reason: "SecretMissing",
      about: "remote",
      message: 'The Secret "remote" does not exist.',
    } as const;
    const { conditions } = look({ problems: [problem] });

    expect(conditions).toMatchObject({ Ready: "False SecretMissing", SignedIn: "False SecretMissing" });
  });

  test("is Pending while it starts and when it declares no pods", () => {
    expect(look({ deployment: undefined }).status.phase).toBe("Pending");
    const { status, conditions } = look({ deployment: { ...SERVED, want: 0, ready: 0 } });
    expect([status.phase, conditions.Ready]).toEqual(["Pending", "False ScaledToZero"]);
  });
});
