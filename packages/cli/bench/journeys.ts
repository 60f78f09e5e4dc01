/**
 * Times what people do with a set of servers: eleven servers from an editor's file to a group on a second machine, one variable
 * changed in place, a set shared by an image registry. Writes `journeys.json`, with the median of ROUNDS.
 */
import { writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { findRepositoryRoot, RealImageRegistry, startEngines } from "@toolhive/testing";
import { changeOneVariable, moveElevenServers, shareSet } from "../src/testing/journeys/journeys.ts";

const ROUNDS = Number(process.env.JOURNEY_ROUNDS ?? 3);

await using engines = await startEngines();
const engine = engines.engines.find(({ kind }) => kind === "docker");
if (!engine) throw new Error("There is no Docker.");
await using registry = await RealImageRegistry.start();
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0]?.toFixed(1) };
const rounds: Record<string, number>[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const { takenOverMs, movedMs } = await moveElevenServers(engine);
  const { changedMs } = await changeOneVariable(engine);
  const { pushedMs, startedMs } = await shareSet(engine, registry);
  rounds.push({ takenOverMs, movedMs, changedMs, pushedMs, startedMs });
}
const names = Object.keys(rounds[0] ?? {});
const median = (values: readonly number[]) =>
  Math.round([...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0);
const figures = Object.fromEntries(names.map((name) => [name, median(rounds.map((each) => each[name] ?? 0))]));
console.log(JSON.stringify(figures, undefined, 2));
const file = join(findRepositoryRoot(), "packages/cli/bench/journeys.json");
await writeFile(file, `${JSON.stringify({ machine, rounds: ROUNDS, ...figures }, undefined, 2)}\n`);
