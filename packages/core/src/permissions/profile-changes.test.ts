import { describe, expect, test } from "vitest";
import { addTarget, buildSmallestProfile } from "./profile-changes.ts";

describe("one more target", () => {
  test.each([
    ["nothing allowed", [[], []], "a.test", 443, [["a.test"], [443]]],
    ["nothing allowed, any port", [[], []], "a.test", undefined, [["a.test"], []]],
    ["another host on every port", [["b.test"], []], "a.test", 443, [["b.test", "a.test"], []]],
    [
      "another host and port",
      [["b.test"], [80]],
      "a.test",
      443,
      [
        ["b.test", "a.test"],
        [80, 443],
      ],
    ],
    ["every host on another port", [[], [80]], "a.test", 443, [[], [80, 443]]],
    ["it is there", [["a.test"], [443]], "A.test.", 443, [["a.test"], [443]]],
  ] as const)("where %s", (_what, [hosts, ports], host, port, [allHosts, allPorts]) => {
    expect(addTarget({ allowAll: false, hosts, ports }, { host, port })).toEqual({
      allowAll: false,
      hosts: allHosts,
      ports: allPorts,
    });
  });
});

describe("the smallest profile", () => {
  test("of nothing allows nothing", () => {
    expect(buildSmallestProfile(undefined, [])).toEqual({
      network: { outbound: { insecure_allow_all: false, allow_host: [], allow_port: [] } },
    });
  });

  test("keeps folders and gives up the name of the profile before", () => {
    const profile = { name: "network", read: ["/a:/a"], network: { outbound: { insecure_allow_all: true } } };
    const learned = [
      { host: "b.test", port: 443 },
      { host: "a.test", port: 443 },
      { host: "a.test", port: 80 },
    ];
    expect(buildSmallestProfile(profile, learned)).toEqual({
      read: ["/a:/a"],
      network: { outbound: { insecure_allow_all: false, allow_host: ["a.test", "b.test"], allow_port: [80, 443] } },
    });
  });
});
