/** What is open to a server, by its profile and its isolation, and how each row is tried. */
import type { EgressHosts } from "./egress-hosts.ts";

/** What a server may reach, by who lets it: nobody, its profile with hosts or with ports, everything through the sidecar, the engine. */
const TRUTH = {
  "allowed host, allowed port": {
    closed: "closed",
    hosts: "http allowed.test",
    ports: "http allowed.test",
    all: "http allowed.test",
    engine: "http allowed.test",
  },
  "the same through the proxy": {
    closed: "closed",
    hosts: "connected",
    ports: "connected",
    all: "connected",
    engine: "closed",
  },
  "allowed host, other port": {
    closed: "closed",
    hosts: "closed",
    ports: "closed",
    all: "http allowed.test",
    engine: "http allowed.test",
  },
  "other host": {
    closed: "closed",
    hosts: "closed",
    ports: "http other.test",
    all: "http other.test",
    engine: "http other.test",
  },
  "other host through the proxy": {
    closed: "closed",
    hosts: "closed",
    ports: "connected",
    all: "connected",
    engine: "closed",
  },
  "other host's address under the allowed name": {
    closed: "closed",
    hosts: "http allowed.test",
    ports: "http allowed.test",
    all: "http allowed.test",
    engine: "http allowed.test",
  },
  "IP literal": {
    closed: "closed",
    hosts: "closed",
    ports: "http ADDRESS",
    all: "http ADDRESS",
    engine: "http ADDRESS",
  },
  "redirect to another host": {
    closed: "closed",
    hosts: "closed",
    ports: "http other.test",
    all: "http other.test",
    engine: "http other.test",
  },
  IPv6: { closed: "closed", hosts: "closed", ports: "closed", all: "closed", engine: "closed" },
  "DNS of the allowed name": { closed: "closed", hosts: "ADDRESS", ports: "ADDRESS", all: "ADDRESS", engine: "closed" },
  "DNS of another name": { closed: "closed", hosts: "closed", ports: "ADDRESS", all: "ADDRESS", engine: "closed" },
  "DNS tunnel below another name": {
    closed: "closed",
    hosts: "closed",
    ports: "closed",
    all: "closed",
    engine: "closed",
  },
  "DNS of another type": { closed: "closed", hosts: "closed", ports: "closed", all: "closed", engine: "closed" },
  "raw TCP": { closed: "closed", hosts: "closed", ports: "closed", all: "raw", engine: "raw" },
  UDP: { closed: "closed", hosts: "closed", ports: "closed", all: "closed", engine: "udp" },
  "service of the host": { closed: "closed", hosts: "closed", ports: "closed", all: "closed", engine: "http HOST" },
  "allowed name that leads to the host": {
    closed: "closed",
    hosts: "closed",
    ports: "closed",
    all: "closed",
    engine: "http rebound.test",
  },
  "service of the host at its address on another network": {
    closed: "closed",
    hosts: "closed",
    ports: "closed",
    all: "closed",
    engine: "http OTHER",
  },
  "allowed name that leads to the host's other address": {
    closed: "closed",
    hosts: "closed",
    ports: "closed",
    all: "closed",
    engine: "http other-rebound.test",
  },
  "metadata address": { closed: "closed", hosts: "closed", ports: "closed", all: "closed", engine: "closed" },
} as const;

export const EGRESS_COLUMNS = [
  ["none", false, "closed"],
  ["none", true, "closed"],
  ["hosts", false, "engine"],
  ["hosts", true, "hosts"],
  ["ports", true, "ports"],
  ["network", false, "engine"],
  ["network", true, "all"],
  ["allow-all", false, "engine"],
  ["allow-all", true, "all"],
] as const;

/** @returns How each row is tried. @param isFiltered Names are known behind a sidecar only; otherwise the addresses they stand for are taken. */
export function listAttempts(hosts: EgressHosts, isFiltered: boolean): Record<keyof typeof TRUTH, readonly unknown[]> {
  const { address, hostAddress, otherHostAddress, httpPort, otherPort, tcpPort, udpPort } = hosts;
  const named = (name: string, at: string) => (isFiltered ? name : at);
  return {
    "allowed host, allowed port": ["http", named("allowed.test", address), httpPort, "allowed.test"],
    "the same through the proxy": ["proxy", "allowed.test", httpPort],
    "allowed host, other port": ["http", named("allowed.test", address), otherPort, "allowed.test"],
    "other host": ["http", address, httpPort, "other.test"],
    "other host through the proxy": ["proxy", "other.test", httpPort],
    "other host's address under the allowed name": ["http", address, httpPort, "allowed.test"],
    "IP literal": ["http", address, httpPort],
    "redirect to another host": ["redirect", named("allowed.test", address), httpPort, "allowed.test"],
    IPv6: ["tcp", "fd00::1", httpPort],
    "DNS of the allowed name": ["dns", "allowed.test"],
    "DNS of another name": ["dns", "other.test"],
    "DNS tunnel below another name": ["txt", "c2VjcmV0.tunnel.test"],
    "DNS of another type": ["txt", "allowed.test"],
    "raw TCP": ["tcp", address, tcpPort],
    UDP: ["udp", address, udpPort],
    "service of the host": ["http", hostAddress, httpPort],
    "allowed name that leads to the host": ["http", named("rebound.test", hostAddress), httpPort, "rebound.test"],
    "service of the host at its address on another network": ["http", otherHostAddress, httpPort],
    "allowed name that leads to the host's other address": [
      "http",
      named("other-rebound.test", otherHostAddress),
      httpPort,
      "other-rebound.test",
    ],
    "metadata address": ["http", "169.254.169.254", 80],
  };
}

/** @returns What each row gives where this one decides. */
export function readExpected(who: (typeof EGRESS_COLUMNS)[number][2], hosts: EgressHosts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(TRUTH).map(([row, cells]) => [
      row,
      cells[who]
        .replace("ADDRESS", hosts.address)
        .replace("HOST", hosts.hostAddress)
        .replace("OTHER", hosts.otherHostAddress),
    ]),
  );
}
