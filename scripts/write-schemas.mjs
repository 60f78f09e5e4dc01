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

/** Each file of the site, with the module that has its schema and the function there. */
const SCHEMAS = [
  { name: "registry", source: "packages/core/src/registry/json-schema.ts", build: "buildRegistryJsonSchema" },
  { name: "project", source: "packages/core/src/project/project-json-schema.ts", build: "buildProjectJsonSchema" },
];

/**
 * @param {(typeof SCHEMAS)[number]} schema
 * @returns {Promise<Record<string, unknown>>}
 */
async function loadSchema({ name, source, build: builder }) {
  const folder = await mkdtemp(join(tmpdir(), "thv-schemas-"));
  try {
    const outfile = join(folder, `${name}.mjs`);
    await build({
      entryPoints: [join(root, source)],
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "warning",
      outfile,
    });
    return (await import(pathToFileURL(outfile).href))[builder]();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const schema of SCHEMAS) {
  const file = join(root, `website/static/schemas/${schema.name}.schema.json`);
  const wanted = `${JSON.stringify(await loadSchema(schema), null, 2)}\n`;
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
}
