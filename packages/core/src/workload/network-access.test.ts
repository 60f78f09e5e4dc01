import { describe, expect, test } from "vitest";
import { describeUnenforcedRules } from "./network-access.ts";

const HOSTS = { network: { outbound: { allow_host: ["a.test"], allow_port: [443] } } };

describe("rules that nobody enforces are said to be so", () => {
  test.each([
    ["hosts without isolation", { permission_profile: HOSTS }, "hosts (a.test)"],
    [
      "ports without isolation",
      { permission_profile: { network: { outbound: { allow_port: [80, 443] } } } },
      "ports (80, 443)",
    ],
  ])("%s", (_what, config, said) => {
    const warning = describeUnenforcedRules({ transport: "stdio", ...config });
    expect(warning).toContain(`lists ${said}, and that is not enforced`);
    expect(warning).toContain("--isolate-network");
  });

  test("many hosts are counted and not listed", () => {
    const allow_host = Array.from({ length: 500 }, (_, index) => `host-${index}.test`);
    const config = { transport: "stdio" as const, permission_profile: { network: { outbound: { allow_host } } } };
    expect(describeUnenforcedRules(config)).toContain("host-4.test, 495 more)");
  });
});

describe("nothing is said of", () => {
  test.each([
    ["hosts with isolation", { permission_profile: HOSTS, isolate_network: true }],
    ["no profile", {}],
    ["a profile that says nothing of the network", { permission_profile: { read: ["/a"] } }],
    [
      "a profile that allows everything",
      { permission_profile: { network: { outbound: { insecure_allow_all: true, allow_host: ["a.test"] } } } },
    ],
    [
      "a profile that forbids the network, which needs no isolation",
      { permission_profile: { network: { outbound: {} } } },
    ],
  ])("%s", (_what, config) => {
    expect(describeUnenforcedRules({ transport: "stdio", ...config })).toBeUndefined();
  });
});
