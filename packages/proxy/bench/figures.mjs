/** What is kept of a load, and what is said of it. */
import { availableParallelism, cpus } from "node:os";

/** @typedef {{ latencies: number[], elapsed: number, cpuMs: number, refused: string }} Sum */

/** @returns {Sum} */
export function noFigures() {
  return { latencies: [], elapsed: 0, cpuMs: 0, refused: "" };
}

/** @param {Sum} sum @param {import("./load.mjs").Run} run @param {number} cpuMs */
export function add(sum, run, cpuMs) {
  for (const latency of run.latencies) sum.latencies.push(latency);
  sum.elapsed += run.elapsed;
  sum.cpuMs += cpuMs;
}

/** @param {Sum} sum */
export function summarize({ latencies, elapsed, cpuMs, refused }) {
  if (refused !== "") return { refused: refused.split("\n")[0] ?? "" };
  latencies.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    perSecond: round(latencies.length / elapsed),
    p50: round(at(0.5)),
    p99: round(at(0.99)),
    cpuMsPerCall: round(cpuMs / latencies.length),
  };
}

/** @param {number | undefined} loadBefore */
export function describeMachine(loadBefore) {
  const [cpu, cores] = [cpus()[0]?.model, availableParallelism()];
  return { cpu, cores, node: process.version, platform: process.platform, loadBefore };
}

/** @param {number} value */
export function round(value) {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
