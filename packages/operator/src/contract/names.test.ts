import { expect, test } from "vitest";
import { PART_DEFINITIONS, PARTS } from "../desired/index.ts";
import { listNamesakes, nameObjects, PROXY_KINDS, type ProxyKind } from "./names.ts";

const NAMES = [
  ...new Set(
    ["a", "mcp", "proxy", "remote", "group", "runner"].flatMap((name) => [
      name,
      ...["-remote", "-remote-proxy", "-proxy", "-runner", "-server", "-group"].map((end) => `${name}${end}`),
      `mcp-${name}-group`,
      `mcp-${name}-proxy`,
    ]),
  ),
];

function listObjects(named: { kind: ProxyKind; metadata: { name: string } }): Set<string> {
  const names = nameObjects(named);
  return new Set(PARTS.map((part) => `${PART_DEFINITIONS[part].kind}/${names[PART_DEFINITIONS[part].name]}`));
}

test("whatever would have an object of the same name is known as a namesake", () => {
  const all = PROXY_KINDS.flatMap((kind) => NAMES.map((name) => ({ kind, metadata: { name } })));
  const objects = new Map(all.map((each) => [each, listObjects(each)]));
  for (const one of all) {
    const known = listNamesakes(one).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    for (const other of all) {
      if (one === other) continue;
      const shared = [...(objects.get(one) ?? [])].filter((each) => objects.get(other)?.has(each));
      // The parts of a server's pod, which an MCPRemoteProxy and an MCPGroup never have.
      const real = shared.filter((each) => isOfBoth(each, one.kind, other.kind));
      if (real.length === 0) continue;
      expect(known, `${one.kind}/${one.metadata.name} and its ${real.join(", ")}`).toContain(
        `${other.kind}/${other.metadata.name}`,
      );
    }
  }
});

const OF_SERVERS = new Set(["Role", "RoleBinding", "NetworkPolicy", "StatefulSet"]);

function isOfBoth(object: string, ...kinds: readonly string[]): boolean {
  const [kind = "", name = ""] = object.split("/");
  const isOfServer = OF_SERVERS.has(kind) || name.endsWith("-headless") || name.endsWith("-network");
  const isServerBudget = kind === "PodDisruptionBudget" && name.endsWith("-server");
  return !(isOfServer || isServerBudget) || kinds.every((each) => each === "MCPServer");
}
