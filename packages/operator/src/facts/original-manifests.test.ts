/** Manifests with the members that users of the original's operator have: what becomes of each, by the forms of this operator. */
import { describe, expect, test } from "vitest";
import { readServerSpec } from "../desired/kinds/server.ts";
import { createServer } from "../testing/servers.ts";
import { judgeManifest, MISSING_KINDS, MISSING_MEMBERS, ORIGINAL_MANIFESTS } from "./index.ts";

const outcomes = new Map(ORIGINAL_MANIFESTS.map((manifest) => [manifest.what, judgeManifest(manifest)]));
const list = (wanted: string) =>
  [...outcomes.values()].filter(({ outcome }) => outcome === wanted).map(({ what }) => what);

describe("manifests of the original's operator", () => {
  test("are taken with the ports and the group of every year, and each other name is named", () => {
    expect(list("as it is")).toContain("a server over HTTP, as in the first year");
    expect(outcomes.get("a server over HTTP")).toMatchObject({
      outcome: "other names",
      reasons: [
        "spec.proxyPort is read as spec.port: write spec.port.",
        "spec.mcpPort is read as spec.targetPort: write spec.targetPort.",
      ],
    });
    expect(outcomes.get("a group, with its name alone")?.reasons).toContain(
      "spec.groupRef is read as the name of a group: write groupRef: { name: work }.",
    );
    expect(outcomes.get("a remote server, with the older port")?.reasons).toEqual([
      "spec.port is read as spec.proxyPort: write spec.proxyPort.",
    ]);
    expect(outcomes.get("what an API server filled in")?.outcome).toBe("other names");
  });

  test("are refused with what to do in place of each member and kind, and with no other sentence", () => {
    const reasons = list("refused").flatMap((what) => outcomes.get(what)?.reasons ?? []);

    expect(reasons.length).toBeGreaterThan(20);
    for (const reason of reasons)
      expect(reason).toMatch(
        /is not a (?:member|kind) of this operator: .|^apiVersion is .*: write that$|prometheus is an object but must be a boolean/,
      );
  });

  test("name every member and every kind that is refused at least once, apart from a few of one kind", () => {
    const text = JSON.stringify(ORIGINAL_MANIFESTS.map(({ objects }) => objects));
    const kinds = Object.keys(MISSING_KINDS).filter((kind) => !text.includes(`"${kind}"`));
    const members = MISSING_MEMBERS.map(({ member }) => member.split(".").at(-1) ?? "");

    expect(kinds).toEqual([]);
    expect(members.filter((member) => !text.includes(`"${member}"`)).sort()).toEqual(
      [
        "authServerRef",
        "caBundleRef",
        "clientSecret",
        "insecureAllowHTTP",
        "protectedResourceAllowPrivateIP",
        "scopes",
      ].sort(),
    );
  });
});

test.each([
  [{ proxyPort: 9090, mcpPort: 3000 }, 9090, 3000],
  [{ proxyPort: 9090, port: 8080 }, 9090, 8080],
  [{ port: 9090, targetPort: 3000 }, 9090, 3000],
  [{}, 8080, 8080],
])("of %o the proxy's port is %i, and the server's %i", (ports, port, targetPort) => {
  expect(readServerSpec(createServer({ transport: "sse", ...ports }))).toMatchObject({ port, targetPort });
});
