/**
 * What the container image has beside the single file, from Debian's packages, for a processor that need not be this machine's: the
 * shared libraries that it loads, and the packet filter that a sidecar hands its rules to.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "../lib/errors.mjs";
import { isInstalled } from "../lib/system-packages.mjs";

/** With everything that they depend on. */
const PACKAGES = ["libstdc++6", "nftables"];
/** Of dependencies, only those without which a package does not work. */
const DEPENDENCIES = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map(
  (kind) => `--no-${kind}`,
);
const LIBRARIES = [
  ...["c", "m", "dl", "rt", "pthread", "resolv", "nss_dns", "nss_files", "gcc_s", String.raw`stdc\+\+`],
  ...["nftables", "nftnl", "mnl", "xtables", "jansson", "gmp", "edit", "tinfo", "bsd", "md"],
].join("|");
/** Of these packages: what programs load, the packet filter, and the licenses. Not in it: locales, character sets, other programs. */
const WANTED = [
  String.raw`\./(usr/)?lib(64)?/([^/]+-linux-gnu/)?(ld-linux-[^/]+|lib(${LIBRARIES})\.so[.0-9]*)`,
  String.raw`\./usr/sbin/nft`,
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
  const wanted = PACKAGES.map((name) => `${name}:${processor}`);
  const closure = await run("apt-cache", [...options, "depends", "--recurse", ...DEPENDENCIES, ...wanted]);
  // A line without indentation names a package; one in angle brackets is provided by others.
  const names = closure.split("\n").filter((line) => /^[a-z0-9]/.test(line));
  const files = [...new Set(names.map((name) => `${name.replace(/:.*/, "")}:${processor}`))];
  await run("apt-get", [...options, "download", ...files], { cwd: packages });
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(packages).sort()) {
    const archive = join(state, "data.tar");
    await run("sh", ["-c", 'dpkg-deb --fsys-tarfile "$1" > "$2"', "sh", join(packages, file), archive]);
    const taken = chooseEntries((await run("tar", ["-tf", archive])).split("\n"));
    if (taken.length > 0) await run("tar", ["-C", folder, "--no-same-owner", "-xf", archive, ...taken]);
  }
}

/**
 * @param {readonly string[]} entries Paths in a package, as `tar` lists them.
 * @returns {string[]} Those that the image gets.
 */
export function chooseEntries(entries) {
  const pattern = new RegExp(`^(${WANTED.join("|")})$`);
  return entries.filter((name) => pattern.test(name));
}
