/**
 * `node packages/docs/bench/measure-tasks.mjs FILE`: how often the documentation's MCP server answers the tasks of FILE, and at how
 * many tokens; beside it what a program gets that reads `llms.txt` and then the page whose title and description are nearest.
 * FILE is JSON: `[{"task": "…", "targets": [{"route": "/toolhive/faq", "section": "anchor or title"}]}]`; one target that is
 * found is enough, and a target without section is found with any section of its page. Or it has facts, as `agent-tasks.json` beside
 * this file: `{"tasks": [{"task": "…", "facts": ["one of", "these strings"]}]}`; then an answer counts when its text has one of them.
 * Needs a built site (`npm run build -w @toolhive/website`).
 *
 * | Option       | Default                    | Meaning                             |
 * |--------------|----------------------------|-------------------------------------|
 * | `--pack F`   | `website/dist/docs.pack`   | The documentation that is asked     |
 * | `--llms F`   | `website/build/llms.txt`   | The list of its pages               |
 * | `--misses`   |                            | Print each task that is not answered |
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

/** @typedef {{ route: string, section?: string }} Target */
/** @typedef {{ task: string, targets: Target[] }} Task */
/** @typedef {{ task: string, facts: string[] }} FactTask */

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pack: { type: "string", default: `${root}website/dist/docs.pack` },
    llms: { type: "string", default: `${root}website/build/llms.txt` },
    misses: { type: "boolean", default: false },
  },
});
/** Of an answer; the tool's own bound. */
const MAX_TOKENS = 1_500;
const FIRST_SECTIONS = 3;
/** Words of every question; no page is chosen by them. */
const STOP_WORDS = new Set(
  "a an and are as be can do does for from how i in is it my not of on or the this to what why with".split(" "),
);

/**
 * @typedef {Pick<typeof import("../src/index.ts"), "openPack" | "searchSections">
 *   & Pick<typeof import("../src/library/tokens.ts"), "estimateTokens">
 *   & Pick<typeof import("../src/tools/answers.ts"), "formatSections">} Docs
 */

/** What answers `search_docs`, without the transport; the package is TypeScript. @returns {Promise<Docs>} */
async function bundleDocs() {
  const outfile = `${root}.cache/docs/measured.mjs`;
  const contents = [
    'export { openPack, searchSections } from "./index.ts";',
    'export { estimateTokens } from "./library/tokens.ts";',
    'export { formatSections } from "./tools/answers.ts";',
  ].join("\n");
  const stdin = { contents, resolveDir: fileURLToPath(new URL("../src", import.meta.url)), loader: "ts" };
  const banner = { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" };
  const options = { bundle: true, platform: "node", format: "esm", target: "node20.19", logLevel: "warning" };
  await build({ ...options, stdin, outfile, banner });
  return await import(outfile);
}

/** @returns {Promise<void>} */
async function measureFacts(/** @type {FactTask[]} */ tasks) {
  const answers = [];
  for (const { task, facts } of tasks) {
    const answer = await searchSections(library, { question: task });
    const text = formatSections(answer);
    const has = (/** @type {string} */ fact) => text.toLowerCase().includes(fact.toLowerCase());
    const tokens = estimateTokens(text);
    answers.push({ task, isAnswered: tokens <= MAX_TOKENS && facts.some(has), tokens, answer });
  }
  const answered = answers.filter(({ isAnswered }) => isAnswered);
  console.log(
    `search_docs: the first answer has the fact within ${MAX_TOKENS} tokens: ${share(answered.length, tasks.length)}`,
  );
  console.log(`search_docs: ${mean(answers.map(({ tokens }) => tokens))} tokens in the mean`);
  if (!values.misses) return;
  for (const { task, answer } of answers.filter(({ isAnswered }) => !isAnswered)) {
    console.log(`not answered: ${JSON.stringify(task.slice(0, 120))}`);
    for (const { path } of answer.sections) console.log(`  ${path}`);
  }
}

/** @returns {Task[]} */
function readTasks(/** @type {unknown} */ tasks, /** @type {string} */ path) {
  if (!Array.isArray(tasks) || tasks.length === 0) throw new Error(`${path} has no tasks; it must be a list of them.`);
  for (const [index, { task, targets }] of tasks.entries()) {
    const isRight = typeof task === "string" && Array.isArray(targets) && targets.length > 0;
    if (!isRight) throw new Error(`Task ${index + 1} of ${path} needs "task" and at least one of "targets".`);
    for (const { route } of targets) {
      if (library.findPage(route) === undefined)
        throw new Error(`Task ${index + 1} names ${route}, and there is no such page.`);
    }
  }
  return tasks;
}

/** @param {import("../src/index.ts").FoundSection} found @param {Target} target */
function isTarget({ path, titles }, { route, section }) {
  const [page, anchor] = path.split("#");
  if (library.findPage(page ?? "") !== library.findPage(route)) return false;
  return section === undefined || section === anchor || section.toLowerCase() === titles.at(-1)?.toLowerCase();
}

/** @param {string} text */
function listWords(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)));
}

/** The page of the list that shares most words with a task; of equals, the one whose own words are fewest. @param {string} task */
function choosePage(task) {
  const asked = listWords(task);
  const scored = listed.map(({ path, words }) => {
    const shared = [...words].filter((word) => asked.has(word)).length;
    return { path, score: shared - words.size / 1_000 };
  });
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).path;
}

/** @param {number} part @param {number} whole */
const share = (part, whole) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
/** @param {number[]} numbers */
const mean = (numbers) => Math.round(numbers.reduce((sum, each) => sum + each, 0) / numbers.length);

const { openPack, searchSections, formatSections, estimateTokens } = await bundleDocs();
const library = openPack(readFileSync(values.pack));
const [file] = positionals;
if (file === undefined) throw new Error("Name a file of tasks: node packages/docs/bench/measure-tasks.mjs FILE");
const given = JSON.parse(readFileSync(file, "utf8"));
if (Array.isArray(given.tasks)) {
  await measureFacts(given.tasks);
  process.exit(0);
}
const tasks = readTasks(given, file);
const llms = readFileSync(values.llms, "utf8");
const llmsTokens = estimateTokens(llms);
const listed = [...llms.matchAll(/^- \[(.+?)\]\((\S+?)(?:\.md)?\)(?:: (.*))?$/gm)].flatMap(
  ([, title = "", address = "", description = ""]) => {
    const page = library.findPage(address);
    return page === undefined ? [] : [{ path: page.path, words: listWords(`${title} ${description}`) }];
  },
);
if (listed.length === 0) throw new Error(`${values.llms} names no page of ${values.pack}; both must be of one build.`);

const answers = [];
for (const { task, targets } of tasks) {
  const answer = await searchSections(library, { question: task });
  const text = formatSections(answer);
  const rank = answer.sections.findIndex((section) => targets.some((target) => isTarget(section, target)));
  const path = choosePage(task);
  const isPage = targets.some(({ route }) => library.findPage(route)?.path === path);
  const page = library.findPage(path)?.markdown ?? "";
  answers.push({ task, rank, tokens: estimateTokens(text), isPage, pageTokens: llmsTokens + estimateTokens(page) });
}

const within = answers.filter(({ rank, tokens }) => rank >= 0 && tokens <= MAX_TOKENS);
const first = answers.filter(({ rank }) => rank >= 0 && rank < FIRST_SECTIONS);
console.log(
  `search_docs: answered by the first answer, within ${MAX_TOKENS} tokens: ${share(within.length, tasks.length)}`,
);
console.log(`search_docs: in the first ${FIRST_SECTIONS} sections: ${share(first.length, tasks.length)}`);
console.log(
  `search_docs: ${mean(answers.map(({ tokens }) => tokens))} tokens in the mean, ${Math.max(...answers.map(({ tokens }) => tokens))} at most`,
);
console.log(
  `llms.txt, then the nearest page: the page of a target: ${share(answers.filter(({ isPage }) => isPage).length, tasks.length)}`,
);
console.log(
  `llms.txt, then the nearest page: ${mean(answers.map(({ pageTokens }) => pageTokens))} tokens in the mean, ${llmsTokens} of them the list`,
);
if (values.misses) {
  for (const { task, rank } of answers.filter((each) => each.rank < 0 || each.rank >= FIRST_SECTIONS)) {
    console.log(`${rank < 0 ? "not found" : `section ${rank + 1}`}: ${JSON.stringify(task.slice(0, 120))}`);
  }
}
