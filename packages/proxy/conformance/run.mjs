/**
 * `npm run conformance -w @toolhive/proxy`: the official conformance suite, in two versions, against our fixture servers
 * on stdio behind the endpoint. Prints what failed and writes `results.json`.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleEndpoint, freePort } from "../bench/targets.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const cache = fileURLToPath(new URL("../../../.cache/conformance/", import.meta.url));

/** Each version of the suite, with the revision of its client and the server behind the endpoint. */
const RUNS = [
  { version: "0.1.16", revision: "2025-11-25", server: "session" },
  { version: "0.2.0-alpha.12", revision: "2025-11-25", server: "session" },
  { version: "0.2.0-alpha.12", revision: "2026-07-28", server: "modern" },
  // An older server has no tools that use what came with 2026-07-28, so those scenarios have nothing to test there.
  { version: "0.2.0-alpha.12", revision: "2026-07-28", server: "session" },
];

/** @param {string} version @returns The suite's entry, installed beside the build cache. */
function install(version) {
  const folder = join(cache, version);
  mkdirSync(folder, { recursive: true });
  const spec = `@modelcontextprotocol/conformance@${version}`;
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", spec];
  execFileSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  const entry = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
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

const port = await freePort();
const bundle = await bundleEndpoint();
const results = [];
for (const { version, revision, server } of RUNS) {
  const entry = install(version);
  // A fresh process for each run: the first client decides how the server is initialized.
  const command = [process.execPath, join(here, `${server}-fixture.mjs`)];
  const endpoint = spawn(process.execPath, [bundle, String(port), ...command], { stdio: "inherit" });
  const url = `http://localhost:${port}/mcp`;
  while (!(await fetch(url).then(Boolean, () => false))) await new Promise((resolve) => setTimeout(resolve, 50));
  const scenarios = await run(entry, url, revision);
  endpoint.kill();
  await once(endpoint, "exit");
  const passed = scenarios.reduce((sum, scenario) => sum + scenario.passed, 0);
  const failed = scenarios.reduce((sum, scenario) => sum + scenario.failed, 0);
  results.push({ version, revision, server, passed, failed, scenarios });
  console.log(`conformance ${version}, revision ${revision}, ${server} server: ${passed} passed, ${failed} failed`);
  for (const scenario of scenarios.filter((one) => one.failed > 0)) {
    console.log(`  ${scenario.scenario}: ${scenario.failed} failed`);
  }
}
writeFileSync(join(here, "results.json"), `${JSON.stringify(results, undefined, 2)}\n`);
