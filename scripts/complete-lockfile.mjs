/**
 * `node scripts/complete-lockfile.mjs`: adds other systems' optional binaries to package-lock.json where npm omitted them. npm
 * drops a package that its registry did not have at that moment, and `npm ci` then refuses the lockfile everywhere. The entries
 * carry version, system and processor, read from the names these packages share; the next `npm install` that can see them adds
 * integrity. Run it after adding a package; it changes nothing when all are present.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @typedef {{ version?: string, dev?: boolean, license?: string, optionalDependencies?: Record<string, string> }} Entry */

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
/** In this order: `arm` is part of `arm64`. */
const PROCESSORS = ["arm64", "x64", "ia32", "ppc64", "riscv64", "s390x", "loong64", "arm"];

/**
 * The entry of a binary package, or `undefined` when its name does not contain a platform.
 *
 * @param {string} name For example `@biomejs/cli-linux-x64-musl`.
 * @param {string} version
 * @param {Entry} parent The package that asks for it.
 */
export function describeBinary(name, version, parent) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  if (os === undefined || cpu === undefined || !/^\d+\.\d+\.\d+/.test(version)) return undefined;
  const libc = ["musl", "glibc"].find((kind) => words.at(-1)?.startsWith(kind.replace("glibc", "gnu")));
  return {
    version,
    cpu: [cpu],
    ...(parent.dev ? { dev: true } : {}),
    ...(libc === undefined ? {} : { libc: [libc] }),
    license: parent.license ?? "MIT",
    optional: true,
    os: [os],
  };
}

/**
 * @param {Readonly<Record<string, Entry>>} packages
 * @returns {Record<string, Entry>} Only what is missing.
 */
export function findMissingBinaries(packages) {
  /** @type {Record<string, Entry>} */
  const missing = {};
  for (const [path, parent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      if (packages[`node_modules/${name}`] ?? packages[`${path}/node_modules/${name}`]) continue;
      const entry = describeBinary(name, version, parent);
      if (entry !== undefined) missing[`node_modules/${name}`] = entry;
    }
  }
  return missing;
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) {
  const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
  const lockfile = JSON.parse(readFileSync(file, "utf8"));
  const missing = findMissingBinaries(lockfile.packages);
  const count = Object.keys(missing).length;
  if (count > 0) {
    const all = Object.entries({ ...lockfile.packages, ...missing });
    lockfile.packages = Object.fromEntries(all.sort(([left], [right]) => left.localeCompare(right, "en")));
    writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`);
  }
  process.stdout.write(`${count} entries added.\n`);
}
