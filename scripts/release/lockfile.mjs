/** Narrows npm's lockfile to what one package needs at run time. */

/** @typedef {{ version?: string, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>, [name: string]: unknown }} LockEntry */

/**
 * @param {{ packages: Record<string, LockEntry> }} lockfile Of version 3.
 * @param {{ name: string, version: string, dependencies: Record<string, string>, optionalDependencies: Record<string, string>, [name: string]: unknown }} manifest
 * @returns A lockfile whose root is the manifest, with the closure of its dependencies at the same places.
 */
export function narrowLockfile({ packages }, manifest) {
  /** @type {Map<string, LockEntry>} */
  const kept = new Map();
  const { name, version, license, bin, engines, dependencies, optionalDependencies } = manifest;
  const queue = Object.keys({ ...dependencies, ...optionalDependencies }).map((each) => ({ each, from: "" }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const place = findEntry(packages, next.each, next.from);
    if (place === undefined || kept.has(place)) continue; // a package for another system need not be in the lockfile
    const entry = packages[place] ?? {};
    const { dev: _dev, devOptional: _devOptional, ...rest } = entry;
    kept.set(place, rest);
    for (const each of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }))
      queue.push({ each, from: place });
  }
  const sorted = [...kept].sort(([left], [right]) => (left < right ? -1 : 1));
  const root = { name, version, license, bin, engines, dependencies, optionalDependencies };
  return { name, version, lockfileVersion: 3, requires: true, packages: { "": root, ...Object.fromEntries(sorted) } };
}

/**
 * @param {Record<string, LockEntry>} packages
 * @param {string} name
 * @param {string} from The place of the package that needs it; its own `node_modules` is first, then those above.
 * @returns {string | undefined}
 */
function findEntry(packages, name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "") return undefined;
    if (!folder.includes("/node_modules/")) folder = "";
  }
}
