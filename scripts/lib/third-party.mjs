/**
 * What of other people's work is in what we ship, and under which terms: the notices that their licenses ask for, and a
 * bill of materials. The packages are those that a bundler really put into its output.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure } from "./errors.mjs";
import { readJson } from "./inputs.mjs";

/** @typedef {{ name: string, version: string, license: string, directory: string }} ShippedPackage */

/** Licenses whose terms are met by shipping their text. A package under another one stops the build. */
const ACCEPTED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MPL-2.0",
  "OFL-1.1",
  "Unlicense",
]);
/** A file of a package in which its license, or what it asks to be repeated, is written. */
const LICENSE_FILE = /^(licen[cs]e|copying|notice)([-.].*)?$/i;

/**
 * The packages that files belong to, sorted by name and version. Files of the project itself are passed over.
 *
 * @param {Iterable<string>} files Absolute paths.
 * @returns {ShippedPackage[]}
 */
export function findPackages(files) {
  const directories = new Set();
  for (const file of files) {
    const found = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll("\\", "/"));
    if (found && !found[1]?.includes("/node_modules/@toolhive/")) directories.add(found[1]);
  }
  return [...directories].map(readPackage).sort((left, right) => (formatKey(left) < formatKey(right) ? -1 : 1));
}

/**
 * Adds the packages that these need at run time, for those that are loaded from node_modules and not bundled.
 *
 * @param {string} root The repository.
 * @param {readonly string[]} names
 * @returns {ShippedPackage[]}
 */
export function findClosure(root, names) {
  /** @type {Map<string, ShippedPackage>} */
  const found = new Map();
  const queue = names.map((name) => ({ name, from: root }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const directory = resolvePackage(next.name, next.from);
    if (directory === undefined || found.has(directory)) continue; // an optional one for another system
    found.set(directory, readPackage(directory));
    const { dependencies = {}, optionalDependencies = {} } = readJson(join(directory, "package.json"));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) queue.push({ name, from: directory });
  }
  return [...found.values()];
}

/**
 * @param {readonly ShippedPackage[]} packages
 * @throws {CommandFailure} When a package's license is not one that we know how to meet.
 */
export function assertLicenses(packages) {
  const others = packages.filter(({ license }) => !license.split(" OR ").some((each) => ACCEPTED.has(each)));
  if (others.length === 0) return;
  const list = others.map(({ name, version, license }) => `${name}@${version} (${license || "none named"})`).join(", ");
  throw new CommandFailure(`The license of these packages is not among the accepted ones: ${list}.`, {
    hint: "Read it. Leave the package out, or add the license to ACCEPTED in scripts/lib/third-party.mjs.",
  });
}

/**
 * @param {string} product What the packages are part of, for example `thv`.
 * @param {readonly ShippedPackage[]} packages
 * @returns {string}
 */
export function formatNotices(product, packages) {
  const parts = packages.map((each) => {
    const title = `${each.name} ${each.version} (${each.license})`;
    return [title, "-".repeat(title.length), "", ...readLicenses(each)].join("\n");
  });
  const intro = `${product} contains the following packages, each under its own license.\n`;
  return `${[intro, ...parts].join("\n\n")}\n`;
}

/**
 * Narrows npm's bill of materials to what is shipped, and leaves out what differs from one build to the next.
 *
 * @param {any} bom CycloneDX, as `npm sbom` writes it.
 * @param {{ name: string, version: string, packages: readonly ShippedPackage[] }} product
 */
export function narrowBom(bom, { name, version, packages }) {
  const wanted = new Set(packages.map(formatKey));
  const components = bom.components.filter((/** @type {any} */ each) => wanted.has(each["bom-ref"]));
  const present = new Set(components.map((/** @type {any} */ each) => each["bom-ref"]));
  const missing = [...wanted].filter((key) => !present.has(key));
  if (missing.length > 0) throw new CommandFailure(`npm's bill of materials does not hold ${missing.join(", ")}.`);
  const { serialNumber: _random, ...rest } = bom;
  const { timestamp: _now, component, ...metadata } = bom.metadata;
  const self = { ...component, "bom-ref": `${name}@${version}`, name, version, purl: `pkg:npm/${name}@${version}` };
  return {
    ...rest,
    metadata: { ...metadata, component: self },
    components,
    dependencies: bom.dependencies
      .filter((/** @type {any} */ { ref }) => present.has(ref))
      .map((/** @type {any} */ { ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((/** @type {string} */ each) => present.has(each)),
      })),
  };
}

/** @param {{ name: string, version: string }} item */
function formatKey({ name, version }) {
  return `${name}@${version}`;
}

/**
 * @param {string} directory
 * @returns {ShippedPackage}
 */
function readPackage(directory) {
  const { name, version, license } = readJson(join(directory, "package.json"));
  return { name, version, license: typeof license === "string" ? license.replace(/^\((.*)\)$/, "$1") : "", directory };
}

/**
 * @param {string} name
 * @param {string} from A folder; its own `node_modules` is searched first, then those of the folders above.
 * @returns {string | undefined}
 */
function resolvePackage(name, from) {
  for (let folder = from; ; folder = join(folder, "..")) {
    const candidate = join(folder, "node_modules", name);
    try {
      readFileSync(join(candidate, "package.json"));
      return candidate;
    } catch {
      if (join(folder, "..") === folder) return undefined;
    }
  }
}

/**
 * @param {ShippedPackage} item
 * @returns {string[]}
 */
function readLicenses({ directory, license }) {
  const files = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map(({ name }) => name)
    .sort();
  if (files.length === 0) return [`The package names the license ${license} and holds no text of it.`];
  return files.map((file) => readFileSync(join(directory, file), "utf8").replaceAll("\r\n", "\n").trim());
}
