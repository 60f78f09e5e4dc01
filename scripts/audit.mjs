/**
 * Asks the package registry for known holes in what we ship: `node scripts/audit.mjs REPORT`. One test, which fails for a hole of
 * high or critical severity. It is skipped, and says so, outside CI and where the registry does not answer that question:
 * a hole that was published this morning must not fail a contributor's run on a train.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { judgeAudit } from "./lib/audit.mjs";

const [, , report = ""] = process.argv;
const verdict = process.env.CI === "true" ? judgeAudit(askRegistry()) : { outcome: "skipped", why: "asked in CI only" };

console.log(`known holes: ${verdict.outcome}${verdict.why ? `, ${verdict.why}` : ""}`);
const counts = { passed: 0, failed: 0, skipped: 0, [verdict.outcome]: 1 };
writeFileSync(report, JSON.stringify(counts));
process.exitCode = counts.failed;

function askRegistry() {
  const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
    encoding: "utf8",
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32", // npm is a batch file there
  });
  return stdout ?? "";
}
