/** Writes the manual into a folder. Run by `build.mjs`: FOLDER VERSION DATE. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { manPages } from "./man-pages.ts";

const [folder = "", version = "", date = ""] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
for (const { file, text } of manPages({ version, date })) await writeFile(join(folder, file), text);
