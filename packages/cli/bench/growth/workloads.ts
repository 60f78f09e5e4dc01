/** Workloads of one supervisor behind its API, on an engine in memory, and lines of a server's log. */
import { ServedWorld } from "@toolhive/api/testing";
import type { WorkloadSupervisor } from "@toolhive/core";
import { World } from "@toolhive/core/testing";
import type { GrowthCase, Prepared } from "./case.ts";
import { BenchClient } from "./client.ts";

const IMAGE = "mcp/echo:1";
const API = "/api/v1beta/workloads";
const WORKLOADS = [5, 50, 500] as const;

/** What was tried: `BENCH_NODE_FLAGS="--min-semi-space-size=512 --max-semi-space-size=512"`. */
const WHY_HELD =
  "The work is the same for each, but what ToolHive holds for a workload stays in memory, and the garbage collector goes over more of it: in an earlier run, where Node.js had 512 MB for new objects, creations had the exponent 1.02 in place of 1.06.";

const nameWorkload = (index: number) => `server-${index}`;

/** Asks for each until it runs, one after the other, so that waiting for them all costs little. */
async function untilAllRun(supervisor: WorkloadSupervisor, size: number): Promise<void> {
  const changes = new AbortController();
  let running = 0;
  for await (const _ of supervisor.followChanges(changes.signal)) {
    while (running < size && supervisor.find(nameWorkload(running))?.status === "running") running += 1;
    if (running === size) break;
  }
  changes.abort();
}

async function startAll(supervisor: WorkloadSupervisor, size: number): Promise<void> {
  const indexes = Array.from({ length: size }, (_, index) => index).values();
  const worker = async () => {
    for (const index of indexes) await supervisor.create({ name: nameWorkload(index), image: IMAGE });
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  await untilAllRun(supervisor, size);
}

/** Workloads that run, behind the API, and a client. */
async function prepareWorkloads(
  program: string,
  size: number,
  work: (client: BenchClient, served: ServedWorld) => Omit<Prepared, "close"> | Promise<Omit<Prepared, "close">>,
): Promise<Prepared> {
  const served = await ServedWorld.start();
  await startAll(served.supervisor, size);
  const client = new BenchClient(program);
  return {
    ...(await work(client, served)),
    close: async () => {
      await client[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
}

export function listWorkloadCases(program: string): GrowthCase[] {
  return [
    {
      ...{ of: "workloads", work: "Create each, until it runs", sizes: WORKLOADS, reason: WHY_HELD },
      prepare: async (size) => {
        let served: ServedWorld | undefined;
        const close = async () => await served?.[Symbol.asyncDispose]();
        return {
          before: async () => {
            await close();
            served = await ServedWorld.start();
          },
          run: async () => {
            if (served) await startAll(served.supervisor, size);
          },
          close,
        };
      },
    },
    {
      ...{ of: "workloads", work: "Start the supervisor, until each runs", sizes: WORKLOADS, reason: WHY_HELD },
      prepare: async (size) => {
        const world = new World();
        let { supervisor } = await world.boot();
        await startAll(supervisor, size);
        return {
          before: () => supervisor.close({ keepContainers: false }),
          run: async () => {
            ({ supervisor } = await world.boot());
            await untilAllRun(supervisor, size);
          },
          close: () => supervisor.close({ keepContainers: false }),
        };
      },
    },
    {
      ...{ of: "workloads", work: "Their list, of the API", sizes: WORKLOADS },
      prepare: (size) =>
        prepareWorkloads(program, size, (client, { port }) => ({
          run: () => client.do({ do: "get", port, paths: Array<string>(10).fill(`${API}?all=true`) }),
        })),
    },
    {
      ...{ of: "workloads", work: "One request of the API for each", sizes: WORKLOADS },
      prepare: (size) =>
        prepareWorkloads(program, size, (client, { port }) => ({
          run: () => {
            const paths = Array.from({ length: size }, (_, index) => `${API}/${nameWorkload(index)}`);
            return client.do({ do: "get", port, paths });
          },
        })),
    },
    {
      ...{ of: "workloads", work: "Restart each, one after the other", sizes: WORKLOADS, reason: WHY_HELD },
      prepare: (size) =>
        prepareWorkloads(program, size, (_, { supervisor }) => ({
          run: async () => {
            for (let index = 0; index < size; index++) {
              const { done } = await supervisor.restart(nameWorkload(index));
              await done;
            }
          },
        })),
    },
  ];
}

/** The largest is about as much as is kept of a server. */
const LINES = [1_000, 10_000, 100_000] as const;
const WHY_LINES =
  "All lines of the response are in memory at once, and the garbage collector copies those that it finds: where Node.js had 512 MB for new objects, the exponent was 0.97.";
const formatLine = (index: number) =>
  `2026-01-31T12:00:00.000Z line ${index} of a log, long enough for a row of it on a screen`;

function prepareLines(program: string, size: number, path: string): Promise<Prepared> {
  return prepareWorkloads(program, 1, async (client, { world, port }) => {
    const text = Array.from({ length: size }, (_, index) => `${formatLine(index)}\n`).join("");
    world.logFiles.set(nameWorkload(0), Buffer.from(text));
    return { run: () => client.do({ do: "get", port, paths: [`${API}/${nameWorkload(0)}${path}`] }) };
  });
}

export function listLineCases(program: string): GrowthCase[] {
  return [
    {
      ...{ of: "lines of a log", work: "All of them, as text", sizes: LINES, reason: WHY_LINES },
      prepare: (size) => prepareLines(program, size, "/logs?tail=all"),
    },
    {
      ...{ of: "lines of a log", work: "All of them beside the proxy's, as events", sizes: LINES },
      prepare: (size) => prepareLines(program, size, "/log-stream?tail=all"),
    },
    {
      ...{ of: "lines of a log", work: "The last hundred", sizes: LINES },
      prepare: (size) => prepareLines(program, size, "/logs?tail=100"),
    },
  ];
}
