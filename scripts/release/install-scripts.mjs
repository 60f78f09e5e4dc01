/** `install.sh` and `install.ps1` with what only a release knows: its version, its address, and what its executable needs. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBrand } from "./brand.mjs";
import { describeFiles } from "./checksums.mjs";
import { findMinimumGlibc, readNeeds } from "./elf.mjs";
import { findExecutable } from "./executables.mjs";

/** What Node's own builds need since version 18; for a release without its executable. */
const USUAL_GLIBC = "2.28";

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>}
 */
export async function buildInstallScripts(release) {
  const { root, version, out, downloads, run } = release;
  const address = downloads === "" ? "" : `${downloads}/v{version}`;
  const executable = findExecutable(release, "amd64");
  const glibc = existsSync(executable) ? findMinimumGlibc(readNeeds(readFileSync(executable)).versions) : USUAL_GLIBC;

  const folder = join(root, "scripts/release/install-scripts");
  const shell = fillIn(readFileSync(join(folder, "install.sh"), "utf8"), {
    "DEFAULT_ADDRESS=''": `DEFAULT_ADDRESS='${address}'`,
    "DEFAULT_VERSION=''": `DEFAULT_VERSION='${version}'`,
    "DEFAULT_HASHES=''": `DEFAULT_HASHES='${hashFiles(out, version, "tar.gz")}'`,
    "MINIMUM_GLIBC='2.28'": `MINIMUM_GLIBC='${glibc}'`,
  });
  const powerShell = fillIn(readFileSync(join(folder, "install.ps1"), "utf8"), {
    "$DefaultAddress = ''": `$DefaultAddress = '${address}'`,
    "$DefaultVersion = ''": `$DefaultVersion = '${version}'`,
    "$DefaultHashes = ''": `$DefaultHashes = '${hashFiles(out, version, "zip")}'`,
  });
  writeFileSync(join(out, "install.sh"), shell);
  chmodSync(join(out, "install.sh"), 0o755);
  writeFileSync(join(out, "install.ps1"), powerShell);
  await run("sh", [join(out, "install.sh"), "--help"]);
  return [
    { file: "install.sh", kind: "install script", tried: true },
    { file: "install.ps1", kind: "install script", tried: "no PowerShell here" },
  ];
}

/**
 * @param {string} folder Of the archives.
 * @param {string} version
 * @param {"tar.gz" | "zip"} ending
 * @returns {string} `NAME=SHA256` of each, with blanks between: an archive and the list beside it can be changed together.
 */
export function hashFiles(folder, version, ending) {
  const { command } = readBrand();
  const files = readdirSync(folder).filter(
    (file) => file.startsWith(`${command}_${version}_`) && file.endsWith(`.${ending}`),
  );
  return describeFiles(
    folder,
    files.map((file) => ({ file, kind: "single file", tried: /** @type {const} */ (true) })),
  )
    .map(({ file, sha256 }) => `${file}=${sha256}`)
    .join(" ");
}

/**
 * @param {string} text
 * @param {Readonly<Record<string, string>>} values By the line that each replaces, which occurs once.
 * @returns {string}
 * @throws {Error} For a line that does not occur once, or a value that would end the quotes around it.
 */
export function fillIn(text, values) {
  const lines = text.split("\n");
  for (const [line, value] of Object.entries(values)) {
    const places = lines.flatMap((each, index) => (each === line ? [index] : []));
    const [place] = places;
    if (place === undefined || places.length > 1) throw new Error(`The line ${line} is there ${places.length} times.`);
    if (value.split("'").length !== 3) throw new Error(`${value} would end its quotes.`);
    lines[place] = value;
  }
  return lines.join("\n");
}
