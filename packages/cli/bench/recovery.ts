/**
 * What faults cost a client that keeps calling: calls that are lost, and milliseconds until it is answered again. Each server and
 * engine meets each fault ROUNDS times; the row has the median, and the worst. Writes `recovery.json`.
 */
import { writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import {
  findRepositoryRoot,
  runThv,
  setLiveRestore,
  startEngines,
  stopEngine,
  type TestEngine,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { type FaultCost, FaultMeasurement } from "../src/testing/fault-measurement.ts";
import { type ServerKind, startServer } from "../src/testing/fault-servers.ts";

const ROUNDS = Number(process.env.RECOVERY_ROUNDS ?? 3);
/** Milliseconds for which an engine or a network is away, beside what it takes to end and to start. */
const AWAY_MS = 1_000;

interface Scene {
  readonly engine: TestEngine;
  readonly home: ThrowawayHome;
  readonly server: ServerKind;
  readonly measurement: FaultMeasurement;
}

interface Fault {
  readonly name: string;
  readonly engines: readonly TestEngine["kind"][];
  readonly servers: readonly ServerKind[];
  /** Resolves when the fault has begun. @returns What ends it, when it does not end by itself. */
  readonly inject: (scene: Scene) => Promise<(() => Promise<unknown>) | undefined>;
  readonly isKept?: boolean;
}

const ALL = { engines: ["docker", "podman"], servers: ["stdio", "streamable-http"] } as const;
const FILTERED = { ...ALL, servers: ["stdio", "streamable-http", "isolated"] } as const;

const stopFor =
  (signal: "SIGKILL" | "SIGTERM") =>
  async ({ engine }: Scene) => {
    const stopped = await stopEngine(engine, signal);
    return () => stopped.start();
  };

const FAULTS: readonly Fault[] = [
  {
    name: "The server crashes",
    ...ALL,
    inject: async ({ measurement }) => {
      await measurement.crash();
      return undefined;
    },
  },
  {
    name: "The container is killed",
    ...FILTERED,
    inject: async ({ engine, server }) => {
      await engine.cli(["kill", server]);
      return undefined;
    },
  },
  {
    name: "The network is disconnected and connected again",
    ...ALL,
    servers: ["streamable-http"],
    inject: async ({ engine, server }) => {
      const network = { docker: "bridge", podman: "podman" }[engine.kind];
      await engine.cli(["network", "disconnect", network, server]);
      return () => engine.cli(["network", "connect", network, server]);
    },
  },
  { name: "The engine is killed and started again", ...FILTERED, inject: stopFor("SIGKILL") },
  { name: "The engine is stopped and started again", ...FILTERED, inject: stopFor("SIGTERM") },
  {
    name: "The engine is killed, with live-restore",
    ...FILTERED,
    engines: ["docker"],
    isKept: true,
    inject: stopFor("SIGKILL"),
  },
  {
    name: "The engine is stopped, with live-restore",
    ...FILTERED,
    engines: ["docker"],
    isKept: true,
    inject: stopFor("SIGTERM"),
  },
  {
    name: "The supervisor is killed, and the next command starts another",
    ...ALL,
    inject: async ({ engine, home }) => {
      const supervisor = await home.findSupervisor();
      if (!supervisor) throw new Error("no supervisor is running");
      process.kill(supervisor.pid, "SIGKILL");
      await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });
      return () => runThv(["list"], { home, engine });
    },
  },
];

async function measure(fault: Fault, engine: TestEngine, server: ServerKind): Promise<FaultCost> {
  if (engine.kind === "docker") await setLiveRestore(engine, fault.isKept ?? false);
  await using home = await ThrowawayHome.create();
  await using measurement = await FaultMeasurement.start(await startServer(server, { engine, home }));
  const inject = async () => {
    const recover = await fault.inject({ engine, home, server, measurement });
    if (!recover) return;
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    await recover();
  };
  return await measurement.measure(inject());
}

const median = (values: readonly number[]) =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
const lost = ({ calls }: FaultCost) => calls.refused + calls.disconnected + calls["unknown-session"] + calls.hung;

await using engines = await startEngines();
const rows: object[] = [];
const only = process.env.RECOVERY_ONLY;
for (const fault of FAULTS.filter(({ name }) => only === undefined || name.includes(only))) {
  for (const engine of engines.engines.filter(({ kind }) => fault.engines.includes(kind))) {
    for (const server of fault.servers) {
      const costs: FaultCost[] = [];
      for (let round = 0; round < ROUNDS; round += 1) costs.push(await measure(fault, engine, server));
      const row = {
        fault: fault.name,
        engine: engine.kind,
        server,
        inFlight: [...new Set(costs.flatMap(({ inFlight }) => inFlight))].sort(),
        inFlightMs: Math.max(...costs.map(({ inFlightMs }) => inFlightMs ?? 0)),
        lostCalls: median(costs.map(lost)),
        hungCalls: costs.reduce((sum, { calls }) => sum + calls.hung, 0),
        sessionsOpened: Math.max(...costs.map(({ sessionsOpened }) => sessionsOpened)),
        answeredMs: median(costs.map(({ answeredMs }) => answeredMs)),
        worstMs: Math.max(...costs.map(({ answeredMs }) => answeredMs)),
      };
      rows.push(row);
      console.log(Object.values(row).join("\t"));
      // After each, so that a run that is broken off keeps what it has.
      if (only === undefined) await save();
    }
  }
}

async function save(): Promise<void> {
  const load = loadavg()[0]?.toFixed(1);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load };
  const file = join(findRepositoryRoot(), "packages/cli/bench/recovery.json");
  await writeFile(file, `${JSON.stringify({ machine, rounds: ROUNDS, awayMs: AWAY_MS, rows }, undefined, 2)}\n`);
}
