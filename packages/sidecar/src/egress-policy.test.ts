import type { SidecarRules } from "@toolhive/core/sidecar-rules";
import { describe, expect, test } from "vitest";
import { EgressPolicy } from "./egress-policy.ts";

const policy = (rules: Partial<SidecarRules>, gateway?: string) =>
  new EgressPolicy({ allowAll: false, hosts: [], ports: [], ...rules }, gateway);

describe("hosts and ports", () => {
  test.each([
    ["nothing listed", {}, "a.test", 443, false],
    ["everything", { allowAll: true }, "a.test", 1, true],
    ["the host", { hosts: ["a.test"] }, "a.test", 8080, true],
    ["another host", { hosts: ["a.test"] }, "b.test", 443, false],
    ["the port", { ports: [443] }, "any.test", 443, true],
    ["another port", { ports: [443] }, "any.test", 80, false],
    ["host and port", { hosts: ["a.test"], ports: [443] }, "a.test", 443, true],
    ["host, not port", { hosts: ["a.test"], ports: [443] }, "a.test", 80, false],
    ["port, not host", { hosts: ["a.test"], ports: [443] }, "b.test", 443, false],
    ["an address", { hosts: ["192.0.2.7"] }, "192.0.2.7", 5432, true],
  ] as const)("%s: %j for %s:%i is %s", (_what, rules, host, port, isAllowed) => {
    expect(policy(rules).allows(host, port)).toBe(isAllowed);
  });

  test.each([
    ["a.test", "a.test", true],
    ["a.test", "A.TEST.", true],
    ["a.test", "x.a.test", false],
    [".a.test", "a.test", true],
    [".a.test", "x.y.a.test", true],
    [".a.test", "nota.test", false],
    ["*.a.test", "a.test", false],
    ["*.a.test", "x.a.test", true],
    ["*.a.test", "x.y.a.test", true],
    ["*.a.test", ".a.test", false],
    ["*.a.test", "x.a.test.evil.test", false],
  ])("the entry %s for %s is %s", (entry, host, isAllowed) => {
    expect(policy({ hosts: [entry] }).allowsName(host)).toBe(isAllowed);
  });
});

describe("addresses", () => {
  test.each([
    ["127.0.0.1", false],
    ["127.8.8.8", false],
    ["0.0.0.0", false],
    ["169.254.169.254", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["172.17.0.1", false],
    ["172.17.0.2", true],
    ["10.1.2.3", true],
    ["198.51.100.1", true],
    ["::1", false],
    ["fd00::1", false],
  ])("%s behind an allowed name is %s", (address, isAllowed) => {
    expect(policy({ allowAll: true }, "172.17.0.1").allowsAddress(address)).toBe(isAllowed);
  });

  test.each(["169.254.169.254", "172.17.0.1"])("%s is open once it is listed itself", (address) => {
    expect(policy({ hosts: [address] }, "172.17.0.1").allowsAddress(address)).toBe(true);
  });
});

describe("the line that would allow it", () => {
  test("adds the host to those that are listed", () => {
    expect(policy({ hosts: ["a.test"] }).lineFor("b.test", 443)).toBe('"allow_host": ["a.test","b.test"]');
  });

  test("adds the port where ports are listed", () => {
    expect(policy({ hosts: ["a.test"], ports: [443] }).lineFor("a.test", 80)).toBe(
      '"allow_host": ["a.test"], "allow_port": [443,80]',
    );
  });

  test("does allow it", () => {
    const before = { allowAll: false, hosts: ["a.test"], ports: [443] };
    const { allow_host, allow_port } = JSON.parse(`{${policy(before).lineFor("b.test", 80)}}`);

    expect(policy(before).allows("b.test", 80)).toBe(false);
    expect(policy({ hosts: allow_host, ports: allow_port }).allows("b.test", 80)).toBe(true);
  });
});
