/**
 * `npm run bench:docs -w @toolhive/website`: questions to `/mcp` of the built site beside searches of readers, on this machine
 * only. Prints answers a second, the times of both, the memory of the site's process before and after, and the load of the machine.
 *
 * | Option        | Default | Meaning                               |
 * |---------------|---------|---------------------------------------|
 * | `--rate N`    | `200`   | Questions a second                    |
 * | `--seconds N` | `10`    | How long                              |
 * | `--out FILE`  |         | Writes the results, too               |
 */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { cpus, loadavg } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "200" },
    seconds: { type: "string", default: "10" },
    out: { type: "string" },
  },
});
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const QUESTIONS = [
  "How do I keep a server from reaching the internet?",
  "--isolate-network",
  "port is already in use",
  "store an API key",
  "spawn npx ENOENT",
  "Cannot connect to the Docker daemon",
  "run an npm package",
  "POST workloads",
  "connect Cursor",
  "stop idle server kubernetes",
];
/** Answers whose processor time is measured. */
const WEIGHED = 300;
/** Questions over which memory is compared, after as many that let the server's code and caches settle. */
const REMEMBERED = 1_000;
/** Each caller of the loopback network has a purse of its own. */
const CALLERS = 40;

const server = spawn(process.execPath, [fileURLToPath(new URL("../dist/server.mjs", import.meta.url))], {
  env: { ...process.env, PORT: "0", HOST: "127.0.0.1", ACCESS_LOG: "off", SEARCH_EVENTS_FILE: "off" },
  stdio: ["ignore", "pipe", "inherit"],
});
const port = await new Promise((resolve) => {
  server.stdout.setEncoding("utf8").on("data", (text) => {
    const [, found] = /:(\d+)\s*$/m.exec(text) ?? [];
    if (found !== undefined) resolve(Number(found));
  });
});

/** Processor time of the server so far, in milliseconds; the kernel counts hundredths of a second. */
function readProcessorTime() {
  const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** What one answer costs the server, whatever else the machine does. @param {(count: number) => Promise<number>} askOne */
async function weigh(askOne) {
  const before = readProcessorTime();
  for (let count = 0; count < WEIGHED; count++) await askOne(count + 1_000);
  return (readProcessorTime() - before) / WEIGHED;
}

/** Resident memory in MB. */
function readMemory() {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1000);
}

/** @param {{ path: string, body: unknown, caller: number }} call @returns {Promise<number>} Milliseconds. */
function ask({ path, body, caller }) {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method: "POST",
        localAddress: `127.0.1.${1 + (caller % CALLERS)}`,
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
        response.resume().once("end", () => resolve(performance.now() - begin));
      },
    );
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

const askDocs = (/** @type {number} */ count) =>
  ask({
    path: "/mcp",
    caller: count,
    body: {
      jsonrpc: "2.0",
      id: count,
      method: "tools/call",
      params: { name: "search_docs", arguments: { query: QUESTIONS[count % QUESTIONS.length] } },
    },
  });
const askSearch = (/** @type {number} */ count) =>
  ask({
    path: "/1/indexes/toolhive/query",
    caller: count,
    // Never the same twice, so that no answer is remembered.
    body: { query: `${QUESTIONS[count % QUESTIONS.length]} ${count}`, hitsPerPage: 20 },
  });

/** @param {{ times: readonly number[], failed: number, perSecond: number }} measured */
function summarize({ times, failed, perSecond }) {
  const sorted = [...times].sort((left, right) => left - right);
  const at = (/** @type {number} */ part) => round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  return { answers: sorted.length, failed, perSecond: round(perSecond), p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** One decimal. @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {ReturnType<typeof summarize>} row */
function formatRow({ answers, failed, perSecond, p50Ms, p99Ms }) {
  return `${answers} answers, ${failed} failed, ${perSecond} a second, p50 ${p50Ms} ms, p99 ${p99Ms} ms`;
}

/** @param {(count: number) => Promise<number>} askOne @param {number} perSecond */
async function keepRate(askOne, perSecond) {
  const times = [];
  let failed = 0;
  const running = [];
  const begin = performance.now();
  for (let count = 0; count < perSecond * seconds; count++) {
    const due = begin + (count * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    running.push(
      askOne(count).then(
        (time) => times.push(time),
        () => (failed += 1), // the server ends connections that it has no room for
      ),
    );
  }
  await Promise.all(running);
  return { times, failed, perSecond: (times.length / (performance.now() - begin)) * 1000 };
}

try {
  for (let count = 0; count < 50; count++) await askSearch(count);
  const loadBefore = round(loadavg()[0] ?? 0);
  const searchCpuMs = round(await weigh(askSearch));
  const questionCpuMs = round(await weigh(askDocs));
  console.log(`processor time: a search ${searchCpuMs} ms, a question to /mcp ${questionCpuMs} ms`);
  for (let count = 0; count < REMEMBERED; count++) await askDocs(count);
  const memoryBeforeMB = readMemory();
  for (let count = 0; count < REMEMBERED; count++) await askDocs(count);
  const memoryAfterMB = readMemory();
  console.log(`memory: ${memoryBeforeMB} MB, and ${memoryAfterMB} MB after ${REMEMBERED} more questions to /mcp`);
  const searchAlone = summarize(await keepRate(askSearch, rate));
  console.log(`search alone: ${formatRow(searchAlone)}`);
  const questionsAlone = summarize(await keepRate(askDocs, rate));
  console.log(`/mcp alone: ${formatRow(questionsAlone)}`);
  const [asked, readers] = await Promise.all([keepRate(askDocs, rate), keepRate(askSearch, 50)]);
  const [questionsBeside, searchBeside] = [summarize(asked), summarize(readers)];
  console.log(`/mcp beside searches: ${formatRow(questionsBeside)}`);
  console.log(`search beside it: ${formatRow(searchBeside)}`);
  const loadAfter = round(loadavg()[0] ?? 0);
  console.log(`memory at the end: ${readMemory()} MB; load of the machine ${loadBefore} before, ${loadAfter} after`);
  if (values.out !== undefined) {
    const results = {
      date: new Date().toISOString().slice(0, 10),
      machine: { cpu: cpus()[0]?.model ?? "", cores: cpus().length, node: process.version, loadBefore, loadAfter },
      rate,
      questions: REMEMBERED,
      searchCpuMs,
      questionCpuMs,
      memoryBeforeMB,
      memoryAfterMB,
      searchAlone,
      questionsAlone,
      questionsBeside,
      searchBeside,
    };
    const file = resolve(process.env.INIT_CWD ?? process.cwd(), values.out);
    writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  }
} finally {
  server.kill();
}
