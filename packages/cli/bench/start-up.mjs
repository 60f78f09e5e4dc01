/**
 * What it takes to start thv, beside `node -e 0` of the same Node: whole processes, in turns, so that a busy moment hits all of
 * them; on a busy machine the least of many says more than the median. Prints a table and writes `start-up.json`. Run after `npm run build -w @toolhive/cli`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROUNDS = 60;
/** Issue 7: milliseconds above bare Node. */
const GOAL_MS = 40;
const program = fileURLToPath(new URL("../dist/thv.mjs", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "thv-start-"));

/** @type {readonly (readonly [name: string, args: readonly string[]])[]} */
const COMMANDS = [
  ["node -e 0", ["-e", "0"]],
  ["thv version", [program, "version"]],
  ["thv --help", [program, "--help"]],
  ["thv list", [program, "list"]],
  ["thv stop + TAB", [program, "__complete", "--", "stop", ""]],
  ["thv run ev + TAB", [program, "__complete", "--", "run", "ev"]],
];

const median = (/** @type {readonly number[]} */ values) =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

/** @type {Map<string, number[]>} */
const times = new Map(COMMANDS.map(([name]) => [name, []]));
try {
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const [name, args] of COMMANDS) {
      const begin = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { env: { PATH: process.env.PATH, HOME: home } });
      const ms = performance.now() - begin;
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      // The first rounds fill the caches of the disk.
      if (round >= 0) times.get(name)?.push(ms);
    }
  }
} finally {
  rmSync(home, { recursive: true });
}

const bare = median(times.get("node -e 0") ?? []);
const leastBare = Math.min(...(times.get("node -e 0") ?? []));
const rows = COMMANDS.map(([name]) => {
  const all = times.get(name) ?? [];
  const ms = median(all);
  return {
    name,
    medianMs: round1(ms),
    minMs: round1(Math.min(...all)),
    aboveNodeMs: round1(ms - bare),
    leastAboveNodeMs: round1(Math.min(...all) - leastBare),
  };
});
const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`;
console.log(`${machine}; ${ROUNDS} rounds; goal: at most ${GOAL_MS} ms above node -e 0.\n`);
console.log(
  "| Command | Median ms | Least ms | Median above node -e 0 | Least above it |\n| --- | --- | --- | --- | --- |",
);
for (const { name, medianMs, minMs, aboveNodeMs, leastAboveNodeMs } of rows) {
  console.log(`| ${name} | ${medianMs} | ${minMs} | ${aboveNodeMs} | ${leastAboveNodeMs} |`);
}
const results = { machine, rounds: ROUNDS, goalMs: GOAL_MS, rows };
writeFileSync(new URL("start-up.json", import.meta.url), `${JSON.stringify(results, null, 2)}\n`);

/** @param {number} value */
function round1(value) {
  return Math.round(value * 10) / 10;
}
