/**
 * `node scripts/write-schemas.mjs`: writes the JSON schemas that the site publishes, from the schemas that validate.
 * With `--check` it writes nothing and fails when a file differs from what it would write.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const isCheck = process.argv.includes("--check");

/** @returns {Promise<Record<string, unknown>>} */
async function loadRegistrySchema() {
  const folder = await mkdtemp(join(tmpdir(), "thv-schemas-"));
  try {
    const outfile = join(folder, "json-schema.mjs");
    const entryPoints = [join(root, "packages/core/src/registry/json-schema.ts")];
    await build({ entryPoints, bundle: true, platform: "node", format: "esm", logLevel: "warning", outfile });
    return (await import(pathToFileURL(outfile).href)).buildRegistryJsonSchema();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const file = join(root, "website/static/schemas/registry.schema.json");
const wanted = `${JSON.stringify(await loadRegistrySchema(), null, 2)}\n`;
// Not there yet is as different as any other content.
const current = await readFile(file, "utf8").catch(() => "");
if (current === wanted) console.log(`${file} is up to date.`);
else if (isCheck) {
  console.error(`${file} is out of date. Write it: node scripts/write-schemas.mjs`);
  process.exitCode = 1;
} else {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wanted);
  console.log(`${file} written.`);
}
