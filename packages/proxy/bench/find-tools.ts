/**
 * How well tools of real servers are found, and how much less a client reads for it. Run: npm run bench:find -w @toolhive/proxy
 *
 * `find-tools/servers.json` has the definitions as the servers gave them, `find-tools/tasks.json` sixty tasks that were written
 * before anything was measured, and `find-tools/tuning-tasks.json` others, which alone the ranking was made with.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { ToolIndex } from "../src/find/tool-index.ts";
import {
  type FindTask,
  type FixtureServers,
  listFixtureTools,
  measureFinding,
} from "../src/testing/measure-finding.ts";

const RUNS = 2_000;

/** Bundled into another folder, so that paths begin at the package. */
const read = <T>(name: string): T => JSON.parse(readFileSync(`bench/find-tools/${name}`, "utf8")) as T;
const servers = read<FixtureServers>("servers.json");
const tasks = read<readonly FindTask[]>("tasks.json");
const tools = listFixtureTools(servers);

function measure(work: (index: number) => void, runs: number): number {
  const times: number[] = [];
  for (let index = 0; index < runs; index += 1) {
    const start = performance.now();
    work(index);
    times.push((performance.now() - start) * 1_000);
  }
  times.sort((left, right) => left - right);
  return Math.round(times[Math.floor(runs / 2)] ?? 0);
}

const index = new ToolIndex(tools);
const results = {
  measured: new Date().toISOString().slice(0, 10),
  servers: Object.keys(servers).length,
  tasks: measureFinding(servers, tasks),
  tuning: measureFinding(servers, read<readonly FindTask[]>("tuning-tasks.json")),
  microseconds: {
    index: measure(() => void new ToolIndex(tools), 20),
    search: measure((run) => void index.search(tasks[run % tasks.length]?.task ?? "", 5), RUNS),
  },
};
writeFileSync("bench/find-tools/results.json", `${JSON.stringify(results, null, 2)}\n`);
for (const [name, { tools: count, tasks: all, first, firstThree, firstFive, bytes, missed }] of [
  ["tasks", results.tasks],
  ["tuning", results.tuning],
] as const) {
  const read = bytes.twoTools + bytes.answer;
  process.stdout.write(
    `${name}: of ${count} tools the right one first ${first}/${all}, among three ${firstThree}/${all}, among five ${firstFive}/${all}; ` +
      `${bytes.list} bytes as a list, ${read} to find (${bytes.twoTools} + ${bytes.answer})\n`,
  );
  for (const { task, found } of missed) process.stdout.write(`  ${task} → ${found.join(", ")}\n`);
}
process.stdout.write(`index ${results.microseconds.index} µs, search ${results.microseconds.search} µs (p50)\n`);
