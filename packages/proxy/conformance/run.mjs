/**
 * `npm run conformance -w @toolhive/proxy`: the official conformance suite, in two versions, against our fixture servers:
 * directly, on stdio behind the endpoint, and on streamable HTTP behind it. Prints what failed and writes `results.json`.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleEndpoint, freePort } from "../bench/targets.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const cache = fileURLToPath(new URL("../../../.cache/conformance/", import.meta.url));

/** Each version of the suite, with the revision of its client and the fixture that it meets. */
const PAIRS = [
  { version: "0.1.16", revision: "2025-11-25", server: "session" },
  { version: "0.2.0-alpha.12", revision: "2025-11-25", server: "session" },
  { version: "0.2.0-alpha.12", revision: "2026-07-28", server: "modern" },
  // An older server behind the endpoint, which has to translate; there is no direct way and none without translation.
  { version: "0.2.0-alpha.12", revision: "2026-07-28", server: "session", ways: ["stdio"] },
];
/** How the suite reaches a fixture: with nothing between, and through the endpoint. */
const WAYS = ["direct", "stdio", "streamable-http"];
const RUNS = PAIRS.flatMap(({ ways = WAYS, ...pair }) => ways.map((way) => ({ ...pair, way })));

/** @param {string} version @returns The suite's entry, installed beside the build cache. */
function install(version) {
  const folder = join(cache, version);
  const entry = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  if (existsSync(entry)) return entry;
  mkdirSync(folder, { recursive: true });
  const spec = `@modelcontextprotocol/conformance@${version}`;
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", spec];
  execFileSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  // The suite imports `globSync`, which Node 20 lacks, for a command that is not used here.
  const isNode20 = process.versions.node.startsWith("20.");
  if (isNode20) writeFileSync(entry, readFileSync(entry, "utf8").replaceAll("globSync as ", "readdirSync as "));
  return entry;
}

/** @param {string} entry @param {string} url @param {string} revision */
async function run(entry, url, revision) {
  const args = [entry, "server", "--url", url, "--suite", "all", "--spec-version", revision];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    output += chunk;
  });
  await once(child, "close");
  const lines = [...output.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)];
  return lines.map(([, scenario, passed, failed]) => ({ scenario, passed: Number(passed), failed: Number(failed) }));
}

const FIXTURE = join(here, "serve-fixture.mjs");
/** Milliseconds until a server that was started must answer. */
const START_MS = 20_000;

/** Starts what a run needs. @param {string} server @param {string} way */
async function start(server, way) {
  const port = String(await freePort());
  const children = [];
  const spawnNode = (/** @type {string[]} */ args) => {
    children.push(spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] }));
  };
  if (way === "direct") spawnNode([FIXTURE, server, "streamable-http", port]);
  // A fresh process for each run: the first client decides how the server is initialized.
  else if (way === "stdio") spawnNode([bundle, port, process.execPath, FIXTURE, server, "stdio"]);
  else {
    const behind = String(await freePort());
    spawnNode([FIXTURE, server, "streamable-http", behind]);
    spawnNode([bundle, port, `http://127.0.0.1:${behind}`]);
  }
  const url = `http://localhost:${port}/mcp`;
  const deadline = performance.now() + START_MS;
  while (
    !(await fetch(url).then(
      ({ status }) => status < 500,
      () => false,
    ))
  ) {
    if (performance.now() > deadline) throw new Error(`${server} server, ${way}: nothing answers`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = async () => {
    for (const child of children) {
      const exit = once(child, "exit");
      child.kill();
      await exit;
    }
  };
  return { url, stop };
}

const bundle = await bundleEndpoint();
const results = [];
for (const { version, revision, server, way } of RUNS) {
  const entry = install(version);
  const started = await start(server, way);
  const scenarios = await run(entry, started.url, revision).finally(started.stop);
  const passed = scenarios.reduce((sum, scenario) => sum + scenario.passed, 0);
  const failed = scenarios.reduce((sum, scenario) => sum + scenario.failed, 0);
  results.push({ version, revision, server, way, passed, failed, scenarios });
  console.log(
    `conformance ${version}, revision ${revision}, ${server} server, ${way}: ${passed} passed, ${failed} failed`,
  );
  for (const scenario of scenarios.filter((one) => one.failed > 0)) {
    console.log(`  ${scenario.scenario}: ${scenario.failed} failed`);
  }
}
writeFileSync(join(here, "results.json"), `${JSON.stringify(results, undefined, 2)}\n`);
