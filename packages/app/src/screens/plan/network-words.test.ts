import { describe, expect, it } from "vitest";
import { describeNetwork } from "./network-words.ts";

const filtered = (hosts: string[], ports: number[], isAll = false) =>
  describeNetwork({ access: "filtered", outbound: { allow_all: isAll, hosts, ports } });

describe("the network in a sentence", () => {
  it("names the hosts and the ports", () => {
    expect(filtered(["a.example", "b.example"], [443])).toBe("Only a.example and b.example, on port 443.");
    expect(filtered(["a.example"], [80, 443, 8443])).toBe("Only a.example, on ports 80, 443, and 8443.");
  });

  it("says when every host or every port is open", () => {
    expect(filtered([], [443], true)).toBe("Any host, on port 443.");
    expect(filtered(["a.example"], [])).toBe("Only a.example, on every port.");
  });

  it("says when there is nothing, and when nothing is limited", () => {
    expect(filtered([], [443])).toBe("No host.");
    const outbound = { allow_all: true, hosts: [], ports: [] };
    expect(describeNetwork({ access: "none", outbound })).toBe("Nothing. It has no network.");
    expect(describeNetwork({ access: "open", outbound })).toContain("not limited");
  });
});
