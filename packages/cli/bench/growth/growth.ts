/**
 * `npm run bench -- growth`: what the same work costs on 1, 10 and 100 times as much, in processor time of the process that does it.
 * Each subject is measured in a process of its own, and clients in another one. Writes `results.json` beside itself; with names of subjects, prints those alone:
 * `npm run bench -- growth sessions tools`.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findRepositoryRoot } from "@toolhive/testing";
import { type GrowthCase, type GrowthRow, measureGrowth } from "./case.ts";
import { serveClient } from "./client.ts";
import { listMemberCases, listSessionCases, listToolCases } from "./endpoints.ts";
import { listLineCases, listWorkloadCases } from "./workloads.ts";

const PROGRAM = fileURLToPath(import.meta.url);
const SUBJECTS: Readonly<Record<string, (program: string) => GrowthCase[]>> = {
  sessions: listSessionCases,
  workloads: listWorkloadCases,
  members: listMemberCases,
  tools: listToolCases,
  lines: listLineCases,
};

async function measureSubject(name: string): Promise<GrowthRow[]> {
  const execArgv = ["--expose-gc", ...(process.env.BENCH_NODE_FLAGS ?? "").split(" ").filter((flag) => flag !== "")];
  const child = fork(PROGRAM, ["measure", name], { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const rows: GrowthRow[] = [];
  child.on("message", (row: GrowthRow) => {
    rows.push(row);
    console.log([row.of, row.work, ...row.cpuMs, row.exponent].join("\t"));
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}.`);
  return rows;
}

const [mode = "", ...rest] = process.argv.slice(2);
if (mode === "client") serveClient();
else if (mode === "measure") {
  const only = process.env.BENCH_WORK;
  const cases = SUBJECTS[rest[0] ?? ""]?.(PROGRAM) ?? [];
  for (const each of cases.filter(({ work }) => only === undefined || work.includes(only)))
    process.send?.(await measureGrowth(each));
  process.exit();
} else {
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => SUBJECTS[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`"${unknown.join('", "')}": name some of ${Object.keys(SUBJECTS).join(", ")}.`);
  const load = [loadavg()[0]?.toFixed(1)];
  const rows: GrowthRow[] = [];
  for (const name of chosen.length === 0 ? Object.keys(SUBJECTS) : chosen) rows.push(...(await measureSubject(name)));
  load.push(loadavg()[0]?.toFixed(1));
  console.log(`load ${load.join(" before, ")} after`);
  if (chosen.length === 0) {
    const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version, load };
    const file = join(findRepositoryRoot(), "packages/cli/bench/growth/results.json");
    await writeFile(file, `${JSON.stringify({ machine, rows }, undefined, 2)}\n`);
  }
}
