/**
 * `npm run soak -w @toolhive/proxy -- --minutes 30`: the endpoint at half of its maximum rate, which is measured first,
 * with sessions that come and go beside the load. Is its memory flat? Writes `results.json` with every sample.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openSessions, runLoad } from "../bench/load.mjs";
import { comeAndGo, endSession, startPacedLoad } from "./paced-load.mjs";
import { slopeWithInterval } from "./slope.mjs";
import { startEndpoint } from "./soaked-endpoint.mjs";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
const minutes = Number(values.minutes);
if (!(minutes >= 1)) throw new Error(`--minutes takes a number of at least 1, not "${values.minutes}"`);

const SESSIONS = 8;
const PAYLOAD = "x".repeat(100);
/** Seconds of full load before it is measured, and of the measurement. */
const WARM_UP_SECONDS = 10;
const MAXIMUM_SECONDS = 20;
const SAMPLE_SECONDS = 5;
/** Share of the time that is not counted: compiled code and the heap's generations settle. Chosen before the first run. */
const SETTLING_SHARE = 0.1;
const MiB = 1024 * 1024;
const round = (/** @type {number} */ value) => Number(value.toPrecision(4));

const startedAt = new Date().toISOString();
const loadBefore = loadavg().map(round);
const endpoint = await startEndpoint();
try {
  const sessions = await openSessions(endpoint.port, SESSIONS);
  const { port } = endpoint;
  await runLoad({ sessions, payload: PAYLOAD, seconds: WARM_UP_SECONDS });
  const full = await runLoad({ sessions, payload: PAYLOAD, seconds: MAXIMUM_SECONDS });
  const maximum = full.latencies.length / full.elapsed;
  console.log(`maximum ${Math.round(maximum)} calls/s; soaking at half of it for ${minutes} minutes`);

  const reachableBefore = await endpoint.memory({ collect: true });
  const load = startPacedLoad({ sessions, payload: PAYLOAD, perSecond: maximum / 2 });
  const { samples, churned } = await Promise.race([sampleFor(minutes * 60, load), load.failed.then(unexpectedEnd)]);
  const soaked = await load.end();
  for (const session of sessions) await endSession(port, session);
  const reachableAfter = await endpoint.memory({ collect: true });
  const { counts } = await endpoint.health();

  const counted = samples.filter(({ seconds }) => seconds >= SETTLING_SHARE * minutes * 60);
  const perHour = (/** @type {"rssMiB" | "heapMiB"} */ member) => {
    const fit = slopeWithInterval(counted.map((sample) => [sample.seconds / 3600, sample[member]]));
    return { slope: round(fit.slope), low: round(fit.low), high: round(fit.high), dependence: round(fit.dependence) };
  };
  const result = {
    startedAt,
    machine: { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version, loadBefore },
    loadAfter: loadavg().map(round),
    minutes,
    sessions: SESSIONS,
    payloadBytes: PAYLOAD.length,
    maximumPerSecond: Math.round(maximum),
    perSecond: Math.round(soaked.calls / (minutes * 60)),
    calls: soaked.calls,
    p50Ms: round(soaked.p50Ms),
    p99Ms: round(soaked.p99Ms),
    sessionsComeAndGone: churned,
    settlingMinutes: round(SETTLING_SHARE * minutes),
    /** MiB an hour. */
    rss: perHour("rssMiB"),
    heap: perHour("heapMiB"),
    /** After a collection, before and after the soak. */
    reachableMiB: { before: measureReachable(reachableBefore), after: measureReachable(reachableAfter) },
    countsAfter: counts,
    samples,
  };
  const file = fileURLToPath(new URL("results.json", import.meta.url));
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
  console.log(JSON.stringify({ ...result, samples: samples.length }, undefined, 2));
} finally {
  await endpoint.stop();
}

/** @param {number} seconds @param {{ calls: () => number }} load */
async function sampleFor(seconds, load) {
  const samples = [];
  let churned = 0;
  const begin = performance.now();
  for (let due = 0; due <= seconds; due += 1) {
    await delay(Math.max(0, begin + due * 1000 - performance.now()));
    await comeAndGo(endpoint.port);
    churned += 1;
    if (due % SAMPLE_SECONDS !== 0) continue;
    const { rss, heapTotal, heapUsed, external } = await endpoint.memory();
    samples.push({
      seconds: round((performance.now() - begin) / 1000),
      rssMiB: round(rss / MiB),
      heapMiB: round(heapUsed / MiB),
      // What is neither in the heap nor counted by V8 is memory of the C library, and of programs that are mapped.
      heapTotalMiB: round(heapTotal / MiB),
      externalMiB: round(external / MiB),
      calls: load.calls(),
    });
  }
  return { samples, churned };
}

/** @returns {never} */
function unexpectedEnd() {
  throw new Error("the load ended before the soak");
}

/** @param {NodeJS.MemoryUsage} memory */
function measureReachable({ heapUsed, external }) {
  return round((heapUsed + external) / MiB);
}
