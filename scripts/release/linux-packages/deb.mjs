/** A package for Debian and what derives from it. Source: Debian Policy, deb-control(5), deb-changelog(5). */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBrand } from "../brand.mjs";
import { findMinimumGlibc, readNeeds } from "../elf.mjs";
import { findExecutable } from "../executables.mjs";
import { programFolder } from "../program.mjs";
import { DESCRIPTION, gzip, listTree, makePayload, SUMMARY, toPackageVersion } from "./payload.mjs";

/** Debian's packages by the library that each has. The libraries of the C library are in one package. */
const LIBRARY_PACKAGES = new Map([
  ["libstdc++.so.6", "libstdc++6"],
  ["libgcc_s.so.1", "libgcc-s1 | libgcc1"],
  ["libatomic.so.1", "libatomic1"],
]);
const C_LIBRARY = /^(lib(c|dl|m|pthread|rt)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+)$/;

/** The checks of lintian that a program with its runtime in one file cannot pass, with the reason. */
const OVERRIDES = `# The executable is Node.js with the program inside: it is linked as Node.js is, and stripping it would remove the program.
thv: embedded-library
thv: unstripped-binary-or-object
thv: hardening-no-pie
`;

/**
 * @param {import("../context.mjs").ReleaseContext} release
 * @param {typeof import("../executables.mjs").PROCESSORS[number]} processor
 * @returns {Promise<string>} The file's name.
 */
export async function buildDeb(release, processor) {
  const { version, out, epoch, compression, run } = release;
  const brand = readBrand();
  const folder = await makePayload(release, processor, {
    channel: "deb",
    completions: {
      bash: "usr/share/bash-completion/completions",
      zsh: "usr/share/zsh/vendor-completions",
      fish: "usr/share/fish/vendor_completions.d",
    },
    documents: {
      "usr/share/doc/thv/copyright": formatCopyright(brand),
      "usr/share/doc/thv/changelog.gz": gzip(formatChangelog(brand, version, epoch)),
      "usr/share/doc/thv/THIRD-PARTY-NOTICES.txt.gz": gzip(
        readFileSync(join(programFolder(release), "THIRD-PARTY-NOTICES.txt")),
      ),
      "usr/share/lintian/overrides/thv": OVERRIDES,
    },
  });
  const files = listTree(folder).filter((path) => lstatSync(join(folder, path)).isFile());
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);
  const sums = files.sort().map(
    (path) =>
      `${createHash("md5")
        .update(readFileSync(join(folder, path)))
        .digest("hex")}  ${path}\n`,
  );
  const { libraries, versions } = readNeeds(readFileSync(findExecutable(release, processor)));
  const control = {
    Package: brand.command,
    Version: toPackageVersion(version),
    Architecture: processor,
    Maintainer: brand.packages.maintainer,
    "Installed-Size": `${Math.ceil(bytes / 1024)}`,
    Depends: listDependencies(libraries, findMinimumGlibc(versions)).join(", "),
    Recommends: "podman | docker.io | docker-ce | docker-desktop",
    Section: "utils",
    Priority: "optional",
    ...(brand.links.source !== "" && { Homepage: brand.links.source }),
    Description: [SUMMARY, ...DESCRIPTION].join("\n "),
  };
  const fields = Object.entries(control).map(([field, value]) => `${field}: ${value}\n`);
  mkdirSync(join(folder, "DEBIAN"));
  writeFileSync(join(folder, "DEBIAN/control"), fields.join(""), { mode: 0o644 });
  writeFileSync(join(folder, "DEBIAN/md5sums"), sums.join(""), { mode: 0o644 });
  const file = `${brand.command}_${version}_${processor}.deb`;
  await run("dpkg-deb", ["--root-owner-group", "-Zxz", `-z${compression.package}`, "--build", folder, join(out, file)]);
  return file;
}

/**
 * @param {readonly string[]} libraries That the executable is linked with.
 * @param {string} glibc The oldest C library that it starts with.
 * @returns {string[]} As `Depends` lists them.
 * @throws {Error} For a library whose package is not known here.
 */
export function listDependencies(libraries, glibc) {
  const packages = libraries
    .filter((library) => !C_LIBRARY.test(library))
    .map((library) => {
      const found = LIBRARY_PACKAGES.get(library);
      if (found === undefined) throw new Error(`Which package of Debian has ${library}? Add it to LIBRARY_PACKAGES.`);
      return found;
    });
  return [`libc6 (>= ${glibc})`, ...packages];
}

/** @param {ReturnType<typeof readBrand>} brand @param {string} version @param {number} epoch */
function formatChangelog({ command, packages }, version, epoch) {
  const date = new Date(epoch * 1000).toUTCString().replace("GMT", "+0000");
  return `${command} (${toPackageVersion(version)}) stable; urgency=medium

  * Release ${version}. What is new is in the project's own changelog.

 -- ${packages.maintainer}  ${date}
`;
}

/** @param {ReturnType<typeof readBrand>} brand */
function formatCopyright({ product, copyright, organization }) {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${product}
Comment: The executable also holds Node.js and the libraries that are listed, with their licenses, in
 /usr/share/doc/thv/THIRD-PARTY-NOTICES.txt.gz

Files: *
Copyright: ${copyright.replace("Copyright © ", "")}
License: Apache-2.0
 ${organization} is under the Apache License, version 2.0. On Debian systems its text is in
 /usr/share/common-licenses/Apache-2.0
`;
}
