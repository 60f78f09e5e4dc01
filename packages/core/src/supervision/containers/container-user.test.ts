import { describe, expect, test } from "vitest";
import { chooseContainerUser, type MountedSource } from "./container-user.ts";

const ADA = { uid: 1001, gid: 1001, groups: [1001, 27, 998] };
const ROOT = { uid: 0, gid: 0, groups: [0] };

const mounted = (uid: number, more: Partial<MountedSource> = {}): MountedSource => ({
  ...{ source: `/srv/of-${uid}`, target: `/of-${uid}`, readOnly: false },
  ...{ uid, gid: uid, canRead: true, canWrite: true },
  ...more,
});
const choose = (more: Partial<Parameters<typeof chooseContainerUser>[0]>) =>
  chooseContainerUser({ asked: undefined, sources: [mounted(1001)], mapping: "same", me: ADA, ...more });

describe("a server runs as", () => {
  test("the image's user while nothing is mounted", () => {
    expect(choose({ sources: [] })).toEqual({ groups: [], description: "the image's own", warnings: [] });
  });

  test("whom the configuration names, on every engine", () => {
    for (const mapping of ["same", "engine-user", "shifted", "virtual-machine"] as const) {
      expect(choose({ asked: "5:6", mapping })).toMatchObject({ id: "5:6", groups: [], warnings: [] });
    }
  });

  test("the user of thv with that user's groups, but for the one of the engine's socket", () => {
    expect(choose({ socketGid: 998 })).toMatchObject({ id: "1001:1001", groups: ["27"], warnings: [] });
  });

  test("a member of the socket's group where something of that group is mounted", () => {
    expect(choose({ socketGid: 998, sources: [mounted(0, { gid: 998 })] }).groups).toEqual(["27", "998"]);
  });

  test("the container's root where that is the user who started the engine", () => {
    expect(choose({ mapping: "engine-user" })).toMatchObject({ id: "0:0", groups: [], warnings: [] });
  });

  test("the image's user where a virtual machine maps owners, and on systems without user ids", () => {
    expect(choose({ mapping: "virtual-machine" })).not.toHaveProperty("id");
    expect(choose({ me: undefined })).not.toHaveProperty("id");
  });

  test("the image's user where the engine makes everybody somebody else, with a warning", () => {
    const { id, warnings } = choose({ mapping: "shifted" });

    expect([id, warnings]).toEqual([undefined, [expect.stringContaining("userns-remap")]]);
  });

  test.each([
    ["the image's user for root's folders", [mounted(0)], undefined],
    ["the owner of folders that all are one user's", [mounted(1001), mounted(1001)], "1001:1001"],
    ["the owner of what is written, whoever owns what is read", [mounted(0, { readOnly: true }), mounted(7)], "7:7"],
    ["the owner of what is read where nothing is written", [mounted(7, { readOnly: true })], "7:7"],
    ["the image's user for folders of several owners", [mounted(7), mounted(8)], undefined],
  ])("for root: %s", (_, sources, id) => {
    expect(choose({ me: ROOT, sources }).id).toBe(id);
  });
});

describe("said beforehand is", () => {
  test("what the user may not read or write", () => {
    const sources = [
      mounted(0, { canWrite: false }),
      mounted(1, { canWrite: false, readOnly: true }),
      mounted(2, { canRead: false, canWrite: false }),
    ];

    expect(choose({ sources }).warnings).toEqual([
      expect.stringContaining('You may not write "/srv/of-0", which belongs to user 0'),
      expect.stringContaining('You may not read "/srv/of-2"'),
    ]);
  });

  test("whose folders root's server may be unable to use, and the flag for it", () => {
    expect(choose({ me: ROOT, sources: [mounted(7), mounted(0)] }).warnings).toEqual([
      expect.stringContaining("--user 7:7"),
    ]);
    expect(choose({ me: ROOT, sources: [mounted(0, { readOnly: true }), mounted(7)] }).warnings).toEqual([
      expect.stringContaining('"/srv/of-0" belongs to user 0'),
    ]);
  });
});
