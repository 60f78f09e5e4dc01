/**
 * `npm run conformance -w @toolhive/proxy`: the official conformance suite, in two versions, against our fixture servers:
 * directly as processes, and behind thv in containers of each engine, on each transport, alone and in a group. Prints what failed
 * and writes `results.json`; with `-- --way group-of-3` it tries only that way, and with `-- --engine podman` only that
 * engine, and then only prints. Run `npm run build -w @toolhive/cli` before.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { build } from "esbuild";
import { startServer } from "./servers.mjs";
import { installSuite, runSuite } from "./suite.mjs";

/** How the suite reaches a server on streamable HTTP, and on other transports: as a process, and with thv before its container. */
const WAYS = ["direct", "stdio", "streamable-http"];
/** The suite speaks streamable HTTP only: a process of ours turns that into HTTP with SSE, with and without thv behind it. */
const SSE_WAYS = ["direct-sse", "sse"];

/** The fixture on stdio behind the one address of a group, which has to translate for clients without sessions. */
const GROUP_WAYS = ["group-of-1", "group-of-3"];

/** Each version of the suite, with the revision of its client and the fixture that it meets. */
const PAIRS = [
  { version: "0.1.16", revision: "2025-11-25", server: "session", ways: [...WAYS, ...SSE_WAYS, ...GROUP_WAYS] },
  { version: "0.2.0-alpha.12", revision: "2025-11-25", server: "session", ways: [...WAYS, ...SSE_WAYS, ...GROUP_WAYS] },
  // HTTP with SSE is not part of this revision.
  { version: "0.2.0-alpha.12", revision: "2026-07-28", server: "modern", ways: WAYS },
  // An older server behind the endpoint, which has to translate; there is no direct way and none without translation.
  { version: "0.2.0-alpha.12", revision: "2026-07-28", server: "session", ways: ["stdio", ...GROUP_WAYS] },
];
const RUNS = PAIRS.flatMap(({ ways, ...pair }) => ways.map((way) => ({ ...pair, way })));

/** Engines and throwaway homes of the tests, which are TypeScript. @returns {Promise<typeof import("@toolhive/testing")>} */
async function bundleTesting() {
  const outfile = fileURLToPath(new URL("../../../.cache/conformance/testing.mjs", import.meta.url));
  const entry = fileURLToPath(import.meta.resolve("@toolhive/testing"));
  const options = { bundle: true, platform: "node", format: "esm", target: "node20.19", logLevel: "warning" };
  await build({ ...options, entryPoints: [entry], external: ["vitest", "esbuild"], outfile });
  return await import(outfile);
}

/** @param {(typeof RUNS)[number]} run @param {typeof chosen[number]} engine */
async function runOne({ version, revision, server, way }, engine) {
  const entry = installSuite(version);
  const thv = (/** @type {readonly string[]} */ args) => runThv(args, { home, engine });
  const { url, stop } = await startServer({ thv, server, way });
  const scenarios = await runSuite(entry, url, revision).finally(stop);
  const passed = scenarios.reduce((sum, scenario) => sum + scenario.passed, 0);
  const failed = scenarios.reduce((sum, scenario) => sum + scenario.failed, 0);
  console.log(
    `conformance ${version}, revision ${revision}, ${server} server, ${way}, ${isDirect(way) ? "no engine" : engine.kind}: ${passed} passed, ${failed} failed`,
  );
  for (const scenario of scenarios.filter((one) => one.failed > 0)) {
    console.log(`  ${scenario.scenario}: ${scenario.failed} failed`);
  }
  return { version, revision, server, way, passed, failed, scenarios };
}

/** One result for all engines that agree in every scenario; a process needs none. @param {(typeof RUNS)[number]} run */
async function runOnEngines(run) {
  const results = [];
  for (const engine of isDirect(run.way) ? chosen.slice(0, 1) : chosen) {
    const result = await runOne(run, engine);
    const same = results.find(({ engines: _, ...other }) => isDeepStrictEqual(other, result));
    if (same === undefined) results.push({ engines: isDirect(run.way) ? [] : [engine.kind], ...result });
    else same.engines.push(engine.kind);
  }
  return results;
}

/** @param {(typeof RUNS)[number]} one @param {(typeof RUNS)[number]} other */
function isSameRun(one, other) {
  return /** @type {const} */ (["version", "revision", "server", "way"]).every((key) => one[key] === other[key]);
}

function isDirect(/** @type {string} */ way) {
  return way.startsWith("direct");
}

const { engine: only, way: onlyWay } = parseArgs({
  options: { engine: { type: "string" }, way: { type: "string" } },
}).values;
const { runThv, startEngines, ThrowawayHome } = await bundleTesting();
const engines = await startEngines();
const home = await ThrowawayHome.create();
const chosen = engines.engines.filter(({ kind }) => only === undefined || kind === only);
try {
  if (chosen.length === 0) throw new Error(`${only ?? "Any engine"} is not there.`);
  const results = [];
  const runs = RUNS.filter(({ way }) => onlyWay === undefined || way === onlyWay);
  if (runs.length === 0) throw new Error(`There is no way "${onlyWay}".`);
  for (const run of runs) results.push(...(await runOnEngines(run)));
  if (only === undefined) {
    const file = new URL("results.json", import.meta.url);
    /** @type {typeof results} */
    const before = JSON.parse(readFileSync(file, "utf8"));
    const kept = before.filter((result) => !runs.some((run) => isSameRun(run, result)));
    const findOrder = (/** @type {(typeof RUNS)[number]} */ run) => RUNS.findIndex((each) => isSameRun(each, run));
    const all = [...kept, ...results].sort((one, other) => findOrder(one) - findOrder(other));
    writeFileSync(file, `${JSON.stringify(all, undefined, 2)}\n`);
  }
} finally {
  await home[Symbol.asyncDispose]();
  await engines.close();
}
