/**
 * Compares our pages with texts of others and prints every run of words that both have: `node website/prose/overlap.mjs
 * OTHER_FOLDER [WORDS]`. Facts are free, sentences are not. Run by hand; names, commands and code blocks are ignored.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [folder, least = "8"] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Usage: node website/prose/overlap.mjs OTHER_FOLDER [WORDS]");
  process.exit(64);
}
const length = Number(least);
const docs = path.join(path.dirname(fileURLToPath(import.meta.url)), "../docs");

/** @param {string} directory */
function listTexts(directory) {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:mdx?|json|txt|ts|go)$/.test(file))
    .map((file) => path.join(directory, file));
}

/** Words of the prose, in lower case. @param {string} file */
function splitWords(file) {
  return readFileSync(file, "utf8")
    .replaceAll(/^\s*```[\s\S]*?^\s*```/gm, " . ")
    .replaceAll(/`[^`\n]*`|\]\([^)]*\)|<[^>\n]*>|https?:\S+/g, " ")
    .toLowerCase()
    .match(/[a-z0-9]+(?:['’-][a-z0-9]+)*/g);
}

/** @type {Map<string, string>} */
const known = new Map();
for (const file of listTexts(folder)) {
  const words = splitWords(file) ?? [];
  for (let at = 0; at + length <= words.length; at += 1) known.set(words.slice(at, at + length).join(" "), file);
}

let found = 0;
for (const file of listTexts(docs)) {
  const words = splitWords(file) ?? [];
  for (let at = 0; at + length <= words.length; at += 1) {
    const run = words.slice(at, at + length).join(" ");
    const other = known.get(run);
    if (other === undefined) continue;
    found += 1;
    console.log(`${path.relative(docs, file)}: "${run}" (${path.relative(folder, other)})`);
  }
}
console.log(`${found} runs of ${length} words are in both; ${known.size} were compared with.`);
