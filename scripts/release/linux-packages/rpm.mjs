/** A package for Fedora, RHEL, openSUSE and what derives from them. Source: the RPM packaging guide and rpm's macros file. */
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBrand } from "../brand.mjs";
import { programFolder } from "../program.mjs";
import { DESCRIPTION, listTree, makePayload, SUMMARY, toPackageVersion } from "./payload.mjs";

/** Processors as rpm calls them. */
const ARCHITECTURES = { amd64: "x86_64", arm64: "aarch64" };

const LICENSES = "/usr/share/licenses/thv";

/**
 * Nothing of the machine, the user or the hour gets into the package, and nothing changes the files: stripping the
 * executable would remove the program from it.
 */
const MACROS = {
  _buildhost: "localhost",
  use_source_date_epoch_as_buildtime: "1",
  clamp_mtime_to_source_date_epoch: "1",
  build_mtime_policy: "clamp_to_source_date_epoch",
  source_date_epoch_from_changelog: "0",
  _build_id_links: "none",
  debug_package: "%{nil}",
  __os_install_post: "%{nil}",
  __spec_install_pre: "%{nil}",
};

/**
 * @param {import("../context.mjs").ReleaseContext} release
 * @param {keyof typeof ARCHITECTURES} processor
 * @returns {Promise<string>} The file's name.
 */
export async function buildRpm(release, processor) {
  const { root, version, out, work, compression, run } = release;
  const brand = readBrand();
  const architecture = ARCHITECTURES[processor];
  const folder = await makePayload(release, processor, {
    channel: "rpm",
    completions: {
      bash: "usr/share/bash-completion/completions",
      zsh: "usr/share/zsh/site-functions",
      fish: "usr/share/fish/vendor_completions.d",
    },
    documents: {
      [`${LICENSES.slice(1)}/LICENSE`]: readFileSync(join(root, "LICENSE")),
      [`${LICENSES.slice(1)}/THIRD-PARTY-NOTICES.txt`]: readFileSync(
        join(programFolder(release), "THIRD-PARTY-NOTICES.txt"),
      ),
    },
  });
  const top = join(work, `rpm-build-${processor}`);
  mkdirSync(top, { recursive: true });
  const spec = join(top, "thv.spec");
  writeFileSync(spec, formatSpec(brand, version, folder));
  const file = `${brand.command}-${version}-1.${architecture}.rpm`;
  // Known to every rpm in use. The number of threads is part of the bytes, so it is not the machine's.
  const _binary_payload = `w${compression.package}T2.xzdio`;
  const macros = { ...MACROS, _binary_payload, _topdir: top, _rpmdir: out, _build_name_fmt: file };
  const defined = Object.entries(macros).flatMap(([name, value]) => ["--define", `${name} ${value}`]);
  // A home of its own: what the user's .rpmmacros say stays out.
  await run("rpmbuild", ["-bb", "--target", `${architecture}-linux`, ...defined, spec], { env: { HOME: top } });
  return file;
}

/**
 * @param {ReturnType<typeof readBrand>} brand
 * @param {string} version
 * @param {string} folder
 */
function formatSpec({ command, links }, version, folder) {
  const files = listTree(folder).filter((path) => !lstatSync(join(folder, path)).isDirectory());
  return `Name: ${command}
Version: ${toPackageVersion(version)}
Release: 1
Summary: ${SUMMARY.replace(/^./, (letter) => letter.toUpperCase())}
License: Apache-2.0
${links.source === "" ? "" : `URL: ${links.source}\n`}Recommends: (podman or moby-engine or docker-ce)

%description
${DESCRIPTION.join("\n")}

%install
cp -a ${folder}/. %{buildroot}/

%files
%defattr(-,root,root,-)
%dir /usr/lib/thv
%dir ${LICENSES}
${files.map((path) => `${path.startsWith(LICENSES.slice(1)) ? "%license " : ""}/${path}\n`).join("")}`;
}
