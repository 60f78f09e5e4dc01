/** deb and rpm as files: the same whenever they are built, with what belongs into them, at the places of the distribution. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROCESSORS } from "../executables.mjs";
import { buildDeb, listDependencies } from "./deb.mjs";
import { toPackageVersion } from "./payload.mjs";
import { buildRpm } from "./rpm.mjs";
import { openStandIn } from "./stand-in-release.ts";

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const isLinux = process.platform === "linux";

const COMMON = [
  "/usr/bin/thv",
  "/usr/lib/systemd/user/toolhive.service",
  "/usr/lib/thv/installation.json",
  "/usr/lib/thv/thv",
  "/usr/share/bash-completion/completions/thv",
  "/usr/share/fish/vendor_completions.d/thv.fish",
  "/usr/share/man/man1/thv.1.gz",
];

const FLAVOURS = [
  {
    kind: "deb",
    obstacle: !isLinux || !has("dpkg-deb") ? "dpkg-deb is not installed" : "",
    build: buildDeb,
    own: [
      "/usr/share/doc/thv/THIRD-PARTY-NOTICES.txt.gz",
      "/usr/share/doc/thv/changelog.gz",
      "/usr/share/doc/thv/copyright",
      "/usr/share/lintian/overrides/thv",
      "/usr/share/zsh/vendor-completions/_thv",
    ],
    list: (file: string) =>
      execFileSync("dpkg-deb", ["--contents", file], { encoding: "utf8" }).matchAll(
        /^[-l]\S+ root\/root .* \.(\/\S+)/gm,
      ),
  },
  {
    kind: "rpm",
    obstacle: !isLinux || !has("rpmbuild") ? "rpmbuild is not installed" : "",
    build: buildRpm,
    own: [
      "/usr/share/licenses/thv/LICENSE",
      "/usr/share/licenses/thv/THIRD-PARTY-NOTICES.txt",
      "/usr/share/zsh/site-functions/_thv",
    ],
    list: (file: string) =>
      execFileSync(
        "rpm",
        ["-qp", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME}/%{FILEGROUPNAME} %{FILENAMES}\\n]", file],
        {
          encoding: "utf8",
        },
      ).matchAll(/^[-l]\S+ root\/root (\/\S+)/gm),
  },
];

describe.each(FLAVOURS)("a $kind", ({ obstacle, build, own, list }) => {
  const title = obstacle === "" ? "" : ` (skipped: ${obstacle})`;
  const first = obstacle === "" ? openStandIn({ version: "1.2.3" }) : undefined;
  const second = obstacle === "" ? openStandIn({ version: "1.2.3" }) : undefined;
  let file = "";
  beforeAll(async () => {
    if (first !== undefined) file = join(first.out, await build(first, "amd64"));
  });
  afterAll(() => {
    first?.close();
    second?.close();
  });

  test.skipIf(first === undefined)(`is the same byte for byte when it is built twice${title}`, async () => {
    if (first === undefined || second === undefined) return expect.unreachable();
    for (const processor of PROCESSORS) {
      const names = [await build(first, processor), await build(second, processor)];
      expect(names[1]).toBe(names[0]);
      const [left, right] = [first, second].map(({ out }) => readFileSync(join(out, names[0] ?? "")));
      expect(left?.equals(right ?? Buffer.alloc(0))).toBe(true);
    }
  });

  test.skipIf(first === undefined)(`holds the program and what belongs to it, of root${title}`, () => {
    expect([...list(file)].map(([, path]) => path).sort()).toEqual([...COMMON, ...own].sort());
  });
});

const hasLintian = isLinux && has("lintian");
test.skipIf(!hasLintian)(
  `lintian finds nothing in the deb${hasLintian ? "" : " (skipped: lintian is not installed)"}`,
  async () => {
    const release = openStandIn({ version: "1.2.3" });
    const file = join(release.out, await buildDeb(release, "amd64"));
    const { stdout } = spawnSync("lintian", ["--allow-root", file], { encoding: "utf8" });
    release.close();

    // What it says of this stand-in's own file, which is not ours, is left out.
    expect(stdout.split("\n").filter((line) => line !== "" && !line.includes("usr/lib/thv/thv"))).toEqual([]);
  },
);

const hasDeb = isLinux && has("dpkg-deb");
const unlessDeb = hasDeb ? "" : " (skipped: dpkg-deb is not installed)";
test.skipIf(!hasDeb)(`a deb recommends an engine, Podman where there is none${unlessDeb}`, async () => {
  const release = openStandIn({ version: "1.2.3" });
  const file = join(release.out, await buildDeb(release, "amd64"));
  const recommended = execFileSync("dpkg-deb", ["--field", file, "Recommends"], { encoding: "utf8" });
  release.close();

  // apt installs the first of them where none is there.
  expect(recommended).toBe("podman | docker.io | docker-ce | docker-desktop\n");
});

test("a deb depends on the packages of the libraries that its executable is linked with", () => {
  const libraries = ["libdl.so.2", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2"];
  expect(listDependencies(libraries, "2.28")).toEqual(["libc6 (>= 2.28)", "libstdc++6", "libgcc-s1 | libgcc1"]);
  expect(() => listDependencies(["libodd.so.1"], "2.28")).toThrow("Which package of Debian has libodd.so.1?");
});

test.each([
  ["1.2.3", "1.2.3"],
  ["1.2.3-rc.1", "1.2.3~rc.1"],
  ["1.2.3-rc-2.1", "1.2.3~rc.2.1"],
])("version %s is %s in a package, so that a candidate comes before its release", (version, expected) => {
  expect(toPackageVersion(version)).toBe(expected);
});
