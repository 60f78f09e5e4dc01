/** The official conformance suite: installed at an exact version, run against an address, read. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../../.cache/conformance/", import.meta.url));

/** @param {string} version @returns The suite's entry, installed beside the build cache. */
export function installSuite(version) {
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
export async function runSuite(entry, url, revision) {
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
