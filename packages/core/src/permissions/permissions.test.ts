import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LocatedProblem, listSentences } from "../support/located-problem.ts";
import { assertSourcesExist, listMounts, readGrants } from "../workload/mounts.ts";
import { resolveNetworkAccess } from "../workload/network-access.ts";
import { forbidsNetwork, readOutbound, resolveProfile } from "./permission-profile.ts";

const NOTHING = { allowAll: false, hosts: [], ports: [] };

describe("a profile", () => {
  test.each(["none", "stdio"])("of which only the name %s is given forbids the network", (name) => {
    expect(readOutbound(resolveProfile({ name }))).toEqual(NOTHING);
    expect(forbidsNetwork(resolveProfile({ name, read: [], write: [] }))).toBe(true);
  });

  test("named network allows everything", () => {
    expect(readOutbound(resolveProfile({ name: "network" }))).toEqual({ ...NOTHING, allowAll: true });
  });

  test("with the name of a built-in and members of its own is what its members say", () => {
    const profile = { name: "none", network: { outbound: { allow_host: ["allowed.test"] } } };

    expect(resolveProfile(profile)).toEqual(profile);
  });

  test.each([
    ["an empty network", { network: {} }],
    ["an empty outbound", { network: { outbound: {} } }],
    ["nothing of the network", { read: ["/srv"] }],
  ])("that says %s allows nothing", (_what, profile) => {
    expect(readOutbound(profile)).toEqual(NOTHING);
  });

  test.each(["constructor", "toString", "__proto__"])(
    "a name such as %s, which every object has, is no profile",
    (name) => {
      expect(resolveProfile({ name })).toEqual({ name });
      expect(readOutbound(resolveProfile({ name }))).toEqual(NOTHING);
    },
  );

  test("that is absent allows everything", () => {
    expect(readOutbound(undefined)).toEqual({ ...NOTHING, allowAll: true });
  });
});

describe("the network of a workload", () => {
  const none = resolveProfile({ name: "none" });
  const hosts = { network: { outbound: { allow_host: ["allowed.test"] } } };
  const mounts = { read: ["/srv"] };
  test.each([
    ["no profile", undefined, "stdio", false, "open"],
    ["no profile", undefined, "stdio", true, "filtered"],
    ["none", none, "stdio", false, "none"],
    ["none", none, "stdio", true, "filtered"],
    ["none", none, "sse", false, "filtered"],
    ["hosts", hosts, "stdio", false, "open"],
    ["hosts", hosts, "streamable-http", true, "filtered"],
    ["only mounts", mounts, "stdio", false, "open"],
  ] as const)(
    "with %s (%j) on %s, isolated: %s, is %s",
    (_what, permission_profile, transport, isolate_network, access) => {
      expect(resolveNetworkAccess({ permission_profile, transport, isolate_network })).toBe(access);
    },
  );
});

describe("mounts", () => {
  const grants = (profile: { read?: string[]; write?: string[] }, volumes: string[] = []) => {
    const problems: LocatedProblem[] = [];
    const read = readGrants({ permissionProfile: profile, volumes }, "/home/me", problems);
    return { ...read, problems: listSentences(problems) };
  };

  test("are kept with absolute paths", () => {
    const { permissionProfile, volumes, problems } = grants({ read: ["docs:/docs"], write: ["/srv"] }, ["out:/out:ro"]);

    expect(problems).toEqual([]);
    expect(permissionProfile).toEqual({ read: ["/home/me/docs:/docs"], write: ["/srv:/srv"] });
    expect(volumes).toEqual(["/home/me/out:/out:ro"]);
  });

  test("with mistakes are all named at once", () => {
    const { problems } = grants({ read: ["x://y:/z", "/a:/a:rw"], write: ["/b:/b:ro"] }, ["/c:/x", "/d:/x", "/e:e"]);

    expect(problems).toEqual([
      'mount "x://y:/z" names a resource, which cannot be mounted: give a path of this machine',
      'mount "/a:/a:rw" is rw, but listed in read',
      'mount "/b:/b:ro" is ro, but listed in write',
      'mount "/e:e" needs an absolute path in the container: write host-path:/container-path',
      '"/c" and "/d" are both mounted at /x',
    ]);
  });

  test("of read can be read only, those of write and volumes can be changed", () => {
    const mounts = listMounts({
      permission_profile: { read: ["/r:/r"], write: ["/w:/w"] },
      volumes: ["/v:/v", "/o:/o:ro"],
    });

    expect(mounts.map(({ target, readOnly }) => [target, readOnly])).toEqual([
      ["/r", true],
      ["/w", false],
      ["/v", false],
      ["/o", true],
    ]);
  });

  test("that may be read and written can be written, and a volume takes the place of the profile's", () => {
    const both = listMounts({ permission_profile: { read: ["/tmp"], write: ["/tmp"] } });
    const replaced = listMounts({ permission_profile: { write: ["/a:/data"] }, volumes: ["/b:/data:ro,z"] });

    expect(both).toEqual([{ source: "/tmp", target: "/tmp", readOnly: false }]);
    expect(replaced).toEqual([{ source: "/b", target: "/data", readOnly: true, relabel: "shared" }]);
  });

  test.each([undefined, "none", "network"])("without volumes, with the profile %s, are none", (name) => {
    expect(listMounts(name === undefined ? {} : { permission_profile: resolveProfile({ name }) })).toEqual([]);
  });

  test("of paths that are not there are refused, each with its name", async () => {
    const folder = await mkdtemp(join(tmpdir(), "thv-mounts-"));
    const mount = (source: string) => ({ source, target: "/x", readOnly: true });
    try {
      await assertSourcesExist([mount(folder)]);
      await expect(
        assertSourcesExist([mount(join(folder, "a")), mount(folder), mount(join(folder, "b"))]),
      ).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: `"${join(folder, "a")}" cannot be mounted: it does not exist; "${join(folder, "b")}" cannot be mounted: it does not exist`,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
