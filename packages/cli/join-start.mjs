/**
 * Joins the chunks that every start of `thv` loads into one file. Node.js spends more on opening and linking a module than on
 * parsing it, and the bundler makes a chunk for each set of commands that share a module.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

/** An import of a chunk as the bundler writes it: the names, if any, and the file. */
const IMPORT = /import(?:\{([^}]*)\}from)?"\.\/(?:chunks\/)?([^"/]+\.mjs)";/g;

/**
 * @param {string} entry Path of an output in the metafile.
 * @param {Pick<import("esbuild").Metafile, "outputs">} metafile
 * @returns {string[]} The outputs that are loaded with it, other than by `import()`, in the order in which they are evaluated;
 * without the entry.
 */
export function listStartChunks(entry, { outputs }) {
  /** @type {Set<string>} */
  const found = new Set();
  const visit = (/** @type {string} */ path) => {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || !(next in outputs) || found.has(next)) continue;
      visit(next);
      found.add(next);
    }
  };
  visit(entry);
  return [...found];
}

/**
 * Gives each export of the chunks a name that no other export has.
 *
 * @param {string[]} chunks
 * @param {Pick<import("esbuild").Metafile, "outputs">} metafile
 * @returns {Map<string, Map<string, string>>} By the chunk's file name: the new name of each export.
 */
function nameExports(chunks, { outputs }) {
  const taken = new Set();
  return new Map(
    chunks.map((chunk, index) => {
      const names = (outputs[chunk]?.exports ?? []).map((name) => {
        const unique = taken.has(name) ? `${name}$${index}` : name;
        taken.add(unique);
        return /** @type {const} */ ([name, unique]);
      });
      return [basename(chunk), new Map(names)];
    }),
  );
}

/**
 * Rewrites the program in its folder: `chunks/start-….mjs` takes the place of the chunks that the entry imports.
 *
 * @param {string} dist The folder of the output.
 * @param {import("esbuild").BuildOptions & { absWorkingDir: string }} options Those of the build before.
 * @param {import("esbuild").Metafile} metafile Its result.
 * @returns {Promise<void>}
 * @throws {Error} When a chunk cannot be joined.
 */
export async function joinStartChunks(dist, { absWorkingDir, banner, ...options }, metafile) {
  const locate = (/** @type {string} */ output) => resolve(absWorkingDir, output);
  const outputs = Object.keys(metafile.outputs);
  const entry = outputs.find((output) => locate(output) === join(dist, "thv.mjs")) ?? "";
  const chunks = listStartChunks(entry, metafile);
  const lazy = chunks.find((chunk) => metafile.outputs[chunk]?.entryPoint !== undefined);
  if (lazy !== undefined)
    throw new Error(`${lazy} is imported both at the start and by import(): import it in one way.`);
  const names = nameExports(chunks, metafile);
  const lines = [...names].map(([chunk, exported]) => {
    const list = [...exported].map(([name, unique]) => `${name} as ${unique}`);
    return `${list.length > 0 ? `export{${list.join(",")}}from` : "import"}"./${chunk}";`;
  });
  const { outputFiles, metafile: joined } = await build({
    absWorkingDir,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: options.target,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    banner,
    stdin: { contents: lines.join("\n"), resolveDir: join(dist, "chunks"), sourcefile: "start.mjs" },
    outdir: join(dist, "chunks"),
    entryNames: "start-[hash]",
    outExtension: { ".js": ".mjs" },
    plugins: [
      {
        name: "only-start-chunks",
        setup(building) {
          building.onResolve({ filter: /^/ }, ({ path, kind }) =>
            kind === "import-statement" && names.has(basename(path)) ? undefined : { path, external: true },
          );
          // The banner of each chunk stands once at the beginning of the joined file.
          building.onLoad({ filter: /\.mjs$/ }, ({ path }) => ({
            contents: readFileSync(path, "utf8").replace(`${banner?.js}\n`, ""),
          }));
        },
      },
    ],
  });
  const [file] = outputFiles;
  if (file === undefined || Object.keys(joined.inputs).length !== chunks.length + 1) {
    throw new Error("The chunks of the start were not joined.");
  }
  const start = basename(file.path);
  for (const output of outputs.filter((each) => each.endsWith(".mjs") && !chunks.includes(each))) {
    const text = readFileSync(locate(output), "utf8");
    const folder = output === entry ? "./chunks/" : "./";
    const changed = text.replace(
      IMPORT,
      (statement, /** @type {string | undefined} */ given, /** @type {string} */ chunk) => {
        const exported = names.get(chunk);
        if (exported === undefined) return statement;
        // The entry has loaded the joined file by its names before anything else is loaded.
        if (given === undefined) return "";
        const renamed = given.split(",").map((each) => {
          const [name = "", local = name] = each.split(" as ");
          return exported.get(name) === local ? local : `${exported.get(name)} as ${local}`;
        });
        return `import{${renamed.join(",")}}from"${folder}${start}";`;
      },
    );
    const left = [...names.keys()].find((chunk) => changed.includes(chunk));
    if (left !== undefined) throw new Error(`${output} still refers to ${left}, which is part of ${start}.`);
    if (changed !== text) writeFileSync(locate(output), changed);
  }
  if (!readFileSync(locate(entry), "utf8").includes(start)) throw new Error(`${entry} does not load ${start}.`);
  writeFileSync(join(dist, "chunks", start), file.contents);
  for (const chunk of chunks) rmSync(locate(chunk));
}
