import type { SidecarRules } from "@toolhive/core/sidecar-rules";
import { describe, expect, test } from "vitest";
import { EgressPolicy } from "./egress-policy.ts";

const policy = (rules: Partial<SidecarRules>, own: readonly string[] = []) =>
  new EgressPolicy({ allowAll: false, hosts: [], ports: [], closed: [], ...rules }, own);

test("rules that are replaced count from then on, and closed networks stay closed", () => {
  const replaced = policy({ hosts: ["a.test"], closed: ["192.0.2.0/24"] });
  replaced.replace({ allowAll: false, hosts: ["b.test"], ports: [443] });

  expect([replaced.allows("a.test", 443), replaced.allows("b.test", 443), replaced.allows("b.test", 80)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(replaced.allowsAddress("192.0.2.7")).toBe(false);
});

test("the line for a port that is refused on every host names no host, which would close all others", () => {
  expect(policy({ ports: [443] }).formatRefusal("a.test", 80)).toBe('"allow_host": [], "allow_port": [443,80]');
});

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
    expect(policy({ allowAll: true }, ["172.17.0.1"]).allowsAddress(address)).toBe(isAllowed);
  });

  test.each(["169.254.169.254", "172.17.0.1"])("%s is open once it is listed itself", (address) => {
    expect(policy({ hosts: [address] }, ["172.17.0.1"]).allowsAddress(address)).toBe(true);
  });

  const CLOSED = ["172.17.0.0/16", "192.0.2.2", "10.246.0.0/24"];
  const ROWS = [
    ["a sibling", "172.17.0.32", false],
    ["a container on another of the engine's networks", "10.246.0.7", false],
    ["the machine on another of the engine's networks", "10.246.0.1", false],
    ["the machine on its own network", "192.0.2.2", false],
    ["a neighbour of the machine", "192.0.2.3", true],
    ["the outside", "198.51.100.1", true],
  ] as const;
  const PROFILES = [
    ["everything", { allowAll: true }],
    ["a port", { ports: [8080] }],
    ["a name", { hosts: ["a.test"] }],
    ["a name and a port", { hosts: ["a.test"], ports: [8080] }],
  ] as const;
  const TABLE = PROFILES.flatMap(([what, rules]) => ROWS.map((row) => [what, rules, ...row] as const));
  test.each(TABLE)("with %s allowed (%j), the address of %s, %s, is %s", (_what, rules, _who, address, isAllowed) => {
    expect(policy({ ...rules, closed: CLOSED }).allowsAddress(address)).toBe(isAllowed);
  });

  test.each(PROFILES)("with %s and the address listed (%j) a sibling is open, and its neighbour is not", (_, rules) => {
    const hosts = [...("hosts" in rules ? rules.hosts : []), "172.17.0.32"];
    const listed = policy({ ...rules, hosts, closed: CLOSED });
    expect(listed.allowsAddress("172.17.0.32")).toBe(true);
    expect(listed.allowsAddress("172.17.0.33")).toBe(false);
  });

  test("a new list takes the place of the old one, and the container's own networks stay closed", () => {
    const changing = policy({ allowAll: true, closed: ["10.1.0.0/16"] }, ["172.17.0.0/16"]);
    changing.close(["10.2.0.0/16"]);
    expect(["10.1.0.9", "10.2.0.9", "172.17.0.9"].map((address) => changing.allowsAddress(address))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("the line that would allow it", () => {
  test("adds the host to those that are listed", () => {
    expect(policy({ hosts: ["a.test"] }).formatRefusal("b.test", 443)).toBe('"allow_host": ["a.test","b.test"]');
  });

  test("adds the port where ports are listed", () => {
    expect(policy({ hosts: ["a.test"], ports: [443] }).formatRefusal("a.test", 80)).toBe(
      '"allow_host": ["a.test"], "allow_port": [443,80]',
    );
  });

  test("does allow it", () => {
    const before = { allowAll: false, hosts: ["a.test"], ports: [443] };
    const { allow_host, allow_port } = JSON.parse(`{${policy(before).formatRefusal("b.test", 80)}}`);

    expect(policy(before).allows("b.test", 80)).toBe(false);
    expect(policy({ hosts: allow_host, ports: allow_port }).allows("b.test", 80)).toBe(true);
  });
});
