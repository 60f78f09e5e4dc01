/**
 * Measurements that hold on a machine with other work: targets take turns in short rounds, and what is said of one is the median of its
 * rounds' ratios to a base in the same rounds. Processor time is that of the target's process alone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { round } from "./figures.mjs";
import { freePort } from "./targets.mjs";

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
export const ROUND_SECONDS = 0.3;
const WARM_UP = 10;

/** @typedef {{ port: number, readCpuUs: () => Promise<number>, stop: () => Promise<void> }} Running */
/** @typedef {{ name: string, readCpuUs: () => Promise<number>, run: () => Promise<import("./load.mjs").Run> }} Measured */
/** @typedef {{ perSecond: number, p50: number, p99: number, cpuUs: number }} Figures */

/** @param {readonly Measured[]} targets The first one is the base. */
export async function measureRounds(targets) {
  /** By target. @type {Figures[][]} */
  const figures = targets.map(() => []);
  // The first rounds warm up and are not counted.
  for (let turn = -WARM_UP; turn < ROUNDS; turn++) {
    for (let step = 0; step < targets.length; step++) {
      // Each target is the first one of a round equally often.
      const index = (step + Math.max(turn, 0)) % targets.length;
      const found = await runRound(/** @type {Measured} */ (targets[index]));
      if (turn >= 0) figures[index]?.push(found);
    }
  }
  const [base = []] = figures;
  return targets.map(({ name }, index) => {
    const own = figures[index] ?? [];
    const compare = (/** @type {keyof Figures} */ of) =>
      round(findMedian(own.map((each, turn) => each[of] / (base[turn]?.[of] ?? Number.NaN))));
    return {
      target: name,
      ...{ perSecond: compare("perSecond"), p50: compare("p50"), p99: compare("p99"), cpu: compare("cpuUs") },
      cpuUs: round(findMedian(own.map(({ cpuUs }) => cpuUs))),
      callsPerSecond: round(findMedian(own.map(({ perSecond }) => perSecond))),
    };
  });
}

/** @param {Measured} target @returns {Promise<Figures>} */
async function runRound({ readCpuUs, run }) {
  const cpuBefore = await readCpuUs();
  const { latencies, elapsed } = await run();
  const cpuUs = ((await readCpuUs()) - cpuBefore) / latencies.length;
  latencies.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99), cpuUs };
}

/**
 * Starts a program that reports its processor time. `BENCH_NODE_FLAGS` gives it further flags of Node, such as `--cpu-prof`.
 *
 * @param {string} name
 * @param {(port: string) => string[]} args
 * @returns {Promise<Running>}
 */
export async function startReporting(name, args) {
  const port = await freePort();
  const reporter = fileURLToPath(new URL("report-usage.mjs", import.meta.url));
  const extra = (process.env.BENCH_NODE_FLAGS ?? "").split(" ").filter((flag) => flag !== "");
  const child = spawn(process.execPath, ["--import", reporter, ...extra, ...args(String(port))], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const deadline = performance.now() + 60_000;
  while (!(await fetch(`http://127.0.0.1:${port}/mcp`, { method: "PUT" }).then(Boolean, () => false))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${name} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    readCpuUs: async () => {
      child.send("usage");
      const [usedUs] = await once(child, "message");
      return usedUs;
    },
    stop: async () => {
      if (!child.connected) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** @param {number[]} values */
function findMedian(values) {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}
