/**
 * What people read that a server may reach is what its sidecar lets out. The test reads the sentence as a person does, and
 * compares each decision with that of the sidecar's own policy.
 */
import { describeReach, resolveNetworkAccess, resolveOutgoing } from "@toolhive/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EgressPolicy } from "./egress-policy.ts";

/** Of this machine and of the engine's networks, where other containers are. */
const CLOSED = ["172.17.0.0/16", "198.51.100.4"];
const HOSTS = ["a.test", "b.test", ".c.test", "*.d.test", "192.0.2.7", "172.17.0.3", "198.51.100.4"];
const TARGETS = [
  ...["a.test", "A.Test.", "x.a.test", "b.test", "c.test", "x.c.test", "d.test", "x.d.test", "other.test"],
  ...["192.0.2.7", "192.0.2.8", "172.17.0.3", "172.17.0.9", "198.51.100.4"],
];
const PORTS = [80, 443, 8443];
const isNear = (host: string) => /^172\.17\.|^198\.51\.100\.4$/.test(host);

/** The profile of a request, also with members left out. */
const profiles = fc.option(
  fc.record(
    {
      name: fc.constantFrom("none", "network", "mine"),
      network: fc.record(
        {
          outbound: fc.record(
            {
              insecure_allow_all: fc.boolean(),
              allow_host: fc.subarray(HOSTS),
              allow_port: fc.subarray(PORTS),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const configs = fc.record({
  permission_profile: profiles,
  isolate_network: fc.option(fc.boolean(), { nil: undefined }),
  learn_network: fc.option(fc.boolean(), { nil: undefined }),
  transport: fc.constantFrom("stdio" as const, "streamable-http" as const, "sse" as const),
});

/** What somebody expects who has read the sentence and nothing else. */
function expects(sentence: string, host: string, port: number): boolean {
  const [, who = "", ports = "", rest = ""] =
    /^(Nothing|Every host|Only .+?)(?:, on (every port|ports? [\d, and]+?))?(, (?:because|except) .+?)?\.(?: Its network rules are being learned\.)?$/.exec(
      sentence,
    ) ?? [];
  if (who === "") throw new Error(`Nobody can read this: ${sentence}`);
  if (who === "Nothing") return false;
  if (ports !== "every port" && ![...ports.matchAll(/\d+/g)].some(([each]) => each === String(port))) return false;
  if (who === "Every host") {
    return !rest.includes("except this machine") || !isNear(host) || splitList(rest).includes(host);
  }
  const name = host.toLowerCase().replace(/\.$/, "");
  return splitList(who.replace(/^Only /, "")).some((each) =>
    /^\*?\./.test(each)
      ? name.endsWith(each.replace(/^\*/, "")) || (each.startsWith(".") && name === each.slice(1))
      : each === name,
  );
}

function splitList(text: string): string[] {
  return text.split(/, and | and |, | other than /);
}

/** What happens: without a network nothing, without a sidecar everything, else as the sidecar's policy decides. */
function enforces(config: Parameters<typeof describeReach>[0], host: string, port: number): boolean {
  const access = resolveNetworkAccess(config);
  if (access !== "filtered") return access === "open";
  const policy = new EgressPolicy({ ...resolveOutgoing(config), closed: CLOSED });
  const isAddress = /^[\d.]+$/.test(host);
  return policy.allows(host, port) && (!isAddress || policy.allowsAddress(host));
}

test("of every profile, the sentence lets out what the sidecar lets out, and nothing else", () => {
  fc.assert(
    fc.property(configs, (config) => {
      const sentence = describeReach(config);
      const listAllowed = (decide: (host: string, port: number) => boolean) =>
        TARGETS.flatMap((host) => PORTS.filter((port) => decide(host, port)).map((port) => `${host}:${port}`));

      expect([sentence, ...listAllowed((host, port) => enforces(config, host, port))]).toEqual([
        sentence,
        ...listAllowed((host, port) => expects(sentence, host, port)),
      ]);
    }),
    { numRuns: 300 },
  );
});

test.each([
  [
    "ports, and no host, which is every host",
    { allow_port: [443] },
    "Every host, on port 443, except this machine and its containers.",
  ],
  ["neither hosts nor ports", {}, "Nothing, because every connection is refused."],
  [
    "everything, whatever ports are listed beside it",
    { insecure_allow_all: true, allow_port: [443] },
    "Every host, on every port, except this machine and its containers.",
  ],
  [
    "hosts and ports",
    { allow_host: ["a.test", "b.test"], allow_port: [80, 443] },
    "Only a.test and b.test, on ports 80 and 443.",
  ],
] as const)("a profile with %s", (_what, outbound, sentence) => {
  const permission_profile = {
    network: { outbound: JSON.parse(JSON.stringify(outbound)) as { insecure_allow_all?: boolean } },
  };

  expect(describeReach({ isolate_network: true, permission_profile, transport: "stdio" })).toBe(sentence);
});

test("a server that runs elsewhere is not said to be limited", () => {
  expect(describeReach({ remote_url: "https://mcp.example.com/mcp", transport: "streamable-http" })).toBe(
    "It runs elsewhere, where nothing here limits its network.",
  );
});
