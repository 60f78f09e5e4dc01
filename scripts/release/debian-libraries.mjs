/** The shared libraries that the single file loads, from Debian's packages, for a processor that need not be this machine's. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "../lib/errors.mjs";
import { isInstalled } from "../lib/system-packages.mjs";

const PACKAGES = ["libc6", "libgcc-s1", "libstdc++6"];
/** Holds the license of GCC's libraries. Its name has the version of GCC. */
const LICENSE_PACKAGE = /^ +Depends: (gcc-\d+-base)/m;
/** Of these packages: what programs load, and the licenses. Not in it: locales, character sets, programs, scripts. */
const WANTED = [
  String.raw`\./(usr/)?lib(64)?/([^/]+-linux-gnu/)?(ld-linux-[^/]+|lib(c|m|dl|rt|pthread|resolv|nss_dns|nss_files|gcc_s|stdc\+\+)\.so[.0-9]*)`,
  String.raw`\./usr/share/doc/[^/]+/copyright`,
];

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {"amd64" | "arm64"} processor
 * @param {string} folder Where they are put, at the same paths as on Debian.
 * @throws {CommandFailure} Where there is no apt.
 */
export async function unpackLibraries({ work, run }, processor, folder) {
  if (!isInstalled("apt-get") || !isInstalled("dpkg-deb")) {
    throw new CommandFailure("The container image is made of Debian's libraries, and there is no apt-get here.", {
      hint: "Build the release on Debian or Ubuntu, or leave the image out with --only.",
    });
  }
  const state = join(work, `apt-${processor}`);
  const packages = join(state, "packages");
  for (const path of ["lists/partial", "cache/archives/partial", "packages"])
    mkdirSync(join(state, path), { recursive: true });
  writeFileSync(join(state, "status"), "");
  // A list of packages of its own, so that nothing changes for the machine's apt.
  const options = [
    `Dir::State::lists=${state}/lists`,
    `Dir::State::status=${state}/status`,
    `Dir::Cache=${state}/cache`,
    `APT::Architecture=${processor}`,
    `APT::Architectures=${processor}`,
    "APT::Sandbox::User=",
  ].flatMap((option) => ["-o", option]);
  await run("apt-get", [...options, "update", "-q"]);
  const needed = await run("apt-cache", [...options, "depends", `libgcc-s1:${processor}`]);
  const [, licensePackage = ""] = LICENSE_PACKAGE.exec(needed) ?? [];
  const names = [...PACKAGES, licensePackage].filter((name) => name !== "");
  await run("apt-get", [...options, "download", ...names.map((name) => `${name}:${processor}`)], { cwd: packages });
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(packages).sort()) {
    const archive = join(state, "data.tar");
    await run("sh", ["-c", 'dpkg-deb --fsys-tarfile "$1" > "$2"', "sh", join(packages, file), archive]);
    const entries = (await run("tar", ["-tf", archive])).split("\n");
    const pattern = new RegExp(`^(${WANTED.join("|")})$`);
    const wanted = entries.filter((name) => pattern.test(name));
    await run("tar", ["-C", folder, "--no-same-owner", "-xf", archive, ...wanted]);
  }
}
