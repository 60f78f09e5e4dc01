/** The npm package of the command: the bundle, what the bundle leaves out as dependencies, manual pages and completions. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXTERNAL, isExternal, OPTIONAL } from "@toolhive/cli/external";
import { dependencyClosure, listWorkspaces, readJson } from "../lib/inputs.mjs";
import { readBrand } from "./brand.mjs";
import { writeCompletions } from "./completions.mjs";
import { narrowLockfile } from "./lockfile.mjs";
import { programFolder } from "./program.mjs";
import { formatReadme } from "./readme.mjs";

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @returns {Promise<import("./context.mjs").Artifact[]>}
 */
export async function buildNpmPackage(release) {
  const { root, version, out, work, run } = release;
  const brand = readBrand();
  const folder = join(work, "npm");
  cpSync(programFolder(release), join(folder, "dist"), { recursive: true });
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeCompletions(release, join(folder, "completions"));
  writeFileSync(join(folder, "README.md"), formatReadme(brand));

  const { dependencies, optionalDependencies } = listExternals(root);
  const manifest = {
    name: brand.packages.npm,
    version,
    description: `${brand.command}: runs MCP servers in containers, with a proxy, secrets and permissions.`,
    keywords: ["mcp", "model-context-protocol", "containers", "docker", "podman"],
    license: "Apache-2.0",
    ...(brand.links.source !== "" && { repository: { type: "git", url: `git+${brand.links.source}.git` } }),
    type: "module",
    bin: { [brand.command]: "dist/thv.mjs" },
    directories: { man: "dist/man" },
    files: ["dist", "completions"],
    engines: readJson(join(root, "package.json")).engines,
    dependencies,
    optionalDependencies,
  };
  writeJson(join(folder, "package.json"), manifest);
  // Users of the package get the versions that the tests ran with, to the last dependency of a dependency.
  writeJson(join(folder, "npm-shrinkwrap.json"), narrowLockfile(readJson(join(root, "package-lock.json")), manifest));
  const [{ filename }] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", out], { cwd: folder }));
  await tryPackage(release, filename);
  return [{ file: filename, kind: "npm package", tried: true }];
}

/** Installs it into an empty folder with an empty home, and asks it for its version. */
async function tryPackage(/** @type {import("./context.mjs").ReleaseContext} */ release, /** @type {string} */ file) {
  const { out, work, version, run } = release;
  const home = join(work, "npm-home");
  const prefix = join(home, "prefix");
  mkdirSync(prefix, { recursive: true });
  const env = { HOME: home, npm_config_prefix: prefix };
  await run("npm", ["install", "--global", "--no-fund", "--no-audit", join(out, file)], { cwd: home, env });
  const said = await run(join(prefix, "bin/thv"), ["--version"], { cwd: home, env });
  if (!said.includes(version))
    throw new Error(`The installed package says ${JSON.stringify(said)} and not ${version}.`);
}

/** @param {string} root */
function listExternals(root) {
  const closure = dependencyClosure(listWorkspaces(root), "@toolhive/cli");
  /** @type {Record<string, string>} */
  const dependencies = {};
  /** @type {Record<string, string>} */
  const optionalDependencies = {};
  for (const { directory } of closure) {
    const declared = readJson(join(root, directory, "package.json")).dependencies ?? {};
    for (const [name, range] of Object.entries(declared).filter(([each]) => isExternal(each)))
      (OPTIONAL.includes(name) ? optionalDependencies : dependencies)[name] = range;
  }
  const found = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
  const missing = EXTERNAL.filter((each) => !found.some((name) => name.startsWith(each.replace("*", ""))));
  if (missing.length > 0) throw new Error(`No workspace of thv depends on ${missing.join(", ")}.`);
  return { dependencies, optionalDependencies };
}

/** @param {string} file @param {unknown} value */
function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
