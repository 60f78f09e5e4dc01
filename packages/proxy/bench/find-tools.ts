/**
 * How well tools of real servers are found, and how much less a client reads for it. Run: npm run bench:find -w @toolhive/proxy
 *
 * `find-tools/servers.json` and `wide-servers.json` have the definitions as the servers gave them. Tasks were written before anything
 * was measured. The ranking was made with the tuning tasks, and in its second version with `tasks.json`, too; `wide-tasks.json` was
 * kept back until the ranking was finished. Somebody who had seen neither the ranking nor its words wrote `fourth-hand-tasks.json`,
 * and nothing was changed after it was measured. `other-hand-tasks.json`, written in the same way, was tuned on in the third version. The peers are compared where they are installed:
 * npm install --prefix packages/proxy/bench/find-tools/peers
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type FindableTool, ToolIndex } from "../src/find/tool-index.ts";
import {
  type FindMeasurement,
  type FindTask,
  type FixtureServers,
  listFixtureTools,
  measureFinding,
} from "../src/testing/measure-finding.ts";
import { type CreateSearch, joinWithOurs, loadMiniSearch, loadVectorSearch } from "./find-tools/peer-searches.ts";

const TIMED_TOOLS = 2_000;
const REPEATS = 10;

/** Bundled into another folder, so that paths begin at the package. */
const FOLDER = "bench/find-tools";
const read = <T>(name: string): T => JSON.parse(readFileSync(`${FOLDER}/${name}`, "utf8")) as T;
const servers = read<FixtureServers>("servers.json");
const wide = read<FixtureServers>("wide-servers.json");
const tasks = read<readonly FindTask[]>("tasks.json");
const wideTuning = read<readonly FindTask[]>("wide-tuning-tasks.json");
const kept = read<readonly FindTask[]>("wide-tasks.json");
const otherHand = read<readonly FindTask[]>("fourth-hand-tasks.json");
const timedTools = listTimedTools();

/** As many tools as are timed: those of all servers, again and again under other names. */
function listTimedTools(): FindableTool[] {
  const all = [...listFixtureTools(servers), ...listFixtureTools(wide)];
  return Array.from({ length: TIMED_TOOLS }, (_, at) => {
    const { name, text, server } = all[at % all.length] ?? { name: "", text: "{}", server: "" };
    return { name: `${name}_${at}`, text, server };
  });
}

/** @returns Milliseconds of processor time. */
function timeProcessor(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const round = (value: number): number => Math.round(value * 100) / 100;
const counts = ({ first, firstThree, firstFive }: FindMeasurement) => ({ first, firstThree, firstFive });

function measureWay(name: string, create: CreateSearch) {
  const index = create(timedTools);
  const questions = [...wideTuning, ...kept];
  for (const { task } of questions) index.search(task, 5);
  const times = questions
    .map(({ task }) => timeProcessor(() => repeat(REPEATS, () => index.search(task, 5))) / REPEATS)
    .sort((left, right) => left - right);
  return {
    name,
    tuning: counts(measureFinding(wide, wideTuning, create)),
    kept: counts(measureFinding(wide, kept, create)),
    otherHand: counts(measureFinding(wide, otherHand, create)),
    /** Of processor time, for each question: the mean, and what 95 of 100 questions need at most. */
    milliseconds: round(times.reduce((all, time) => all + time, 0) / times.length),
    p95: round(times[Math.floor(0.95 * times.length)] ?? 0),
  };
}

function repeat(times: number, work: () => void): void {
  for (let run = 0; run < times; run += 1) work();
}

function compareWays() {
  const peers = `${process.cwd()}/${FOLDER}/peers`;
  const ways = [measureWay("ours", (tools) => new ToolIndex(tools))];
  if (!existsSync(`${peers}/node_modules`)) return ways;
  const vectors = loadVectorSearch(peers);
  ways.push(measureWay("minisearch", loadMiniSearch(peers)));
  ways.push(measureWay("vectors", vectors));
  ways.push(measureWay("joined", joinWithOurs(vectors)));
  return ways;
}

const results = {
  measured: new Date().toISOString().slice(0, 10),
  servers: Object.keys(servers).length,
  tasks: measureFinding(servers, tasks),
  tuning: measureFinding(servers, read<readonly FindTask[]>("tuning-tasks.json")),
  wide: {
    servers: Object.keys(wide).length,
    kept: measureFinding(wide, kept),
    otherHand: measureFinding(wide, otherHand),
    tuning: measureFinding(wide, wideTuning),
  },
  timedTools: TIMED_TOOLS,
  millisecondsToIndex: round(timeProcessor(() => void new ToolIndex(timedTools))),
  ways: compareWays(),
};
writeFileSync(`${FOLDER}/results.json`, `${JSON.stringify(results, null, 2)}\n`);
for (const [name, { tools, tasks: all, first, firstThree, firstFive, bytes, missed }] of [
  ["tasks", results.tasks],
  ["tuning", results.tuning],
  ["wide, kept back", results.wide.kept],
  ["wide, by another hand", results.wide.otherHand],
  ["wide, tuning", results.wide.tuning],
] as const) {
  process.stdout.write(
    `${name}: of ${tools} tools the right one first ${first}/${all}, among three ${firstThree}/${all}, among five ${firstFive}/${all}; ` +
      `${bytes.list} bytes as a list, ${bytes.twoTools + bytes.answer} to find (${bytes.twoTools} + ${bytes.answer})\n`,
  );
  for (const { task, found } of missed) process.stdout.write(`  ${task} → ${found.join(", ")}\n`);
}
for (const { name, ...way } of results.ways) process.stdout.write(`${name}: ${JSON.stringify(way)}\n`);
