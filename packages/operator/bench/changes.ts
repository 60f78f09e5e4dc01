/**
 * Changes that running pods receive, on a real node: seconds until a client in an open session sees another choice of tools of a
 * server, a server that joined or left its group, and a choice of tools of the group; and seconds until a server that sleeps has
 * answered its first call, with the times of the steps to that. Writes `changes.json`. BENCH_CHANGES sets how often each is measured (default 12).
 */
import { writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { findRepositoryRoot, type TestNamespace, waitFor } from "@toolhive/testing";
import { callTool, McpCaller } from "../src/testing/mcp-caller.ts";
import { createServerManifest, TestOperator, untilCondition } from "../src/testing/test-operator.ts";
import { runOnCluster } from "./bench-cluster.ts";
import { WAKING_STEPS, WakingSteps } from "./waking-steps.ts";

const CHANGES = Number(process.env.BENCH_CHANGES ?? 12);
const API = "toolhive.stacklok.dev/v1alpha1";
const LOOK_MS = 25;
/** Stands for the minute that servers are idle before they sleep. */
const IDLE_MS = 2_000;

const round = (value: number) => Number(value.toFixed(2));

function summarize(seconds: readonly number[]) {
  const sorted = [...seconds].sort((one, other) => one - other);
  const at = (share: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
  return { count: sorted.length, fastest: at(0), median: at(0.5), p95: at(0.95), slowest: at(1) };
}

async function findUrl(space: TestNamespace, service: string): Promise<URL> {
  const { clusterIP, ports } = (await space.get(`service/${service}`)).spec;
  return new URL(`http://${clusterIP}:${ports[0].port}/mcp`);
}

/** Seconds from a change, which was stored, to the list of tools that it leads to. */
async function measureChange(
  client: McpCaller,
  tools: readonly string[],
  change: () => Promise<unknown>,
): Promise<number> {
  await change();
  const begin = performance.now();
  const wanted = [...tools].sort().join();
  await waitFor(async () => (await client.listTools()).sort().join() === wanted, {
    what: `the tools to be ${wanted}`,
    deadlineMs: 180_000,
    intervalMs: LOOK_MS,
  });
  return (performance.now() - begin) / 1_000;
}

async function measureTools(space: TestNamespace) {
  const choose = async (tool: string) => {
    const metadata = { name: "choice" };
    await space.apply({ apiVersion: API, kind: "MCPToolConfig", metadata, spec: { toolsFilter: [tool] } });
  };
  await choose("echo");
  const chosen = { toolConfigRef: { name: "choice" } };
  await space.apply(createServerManifest("chosen", { ...chosen, transport: "streamable-http" }));
  await untilCondition(space, "chosen", "Ready", "Running");
  await using client = await McpCaller.open(await findUrl(space, "mcp-chosen-proxy"));
  const times: number[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const tool = index % 2 === 0 ? "sleep" : "echo";
    times.push(await measureChange(client, [tool], async () => await choose(tool)));
    await untilCondition(space, "chosen", "Ready", "Running");
  }
  return summarize(times);
}

async function measureGroup(space: TestNamespace) {
  const group = { groupRef: { name: "work" } };
  const only = async (name: string, tool: string) =>
    await space.apply({ apiVersion: API, kind: "MCPToolConfig", metadata: { name }, spec: { toolsFilter: [tool] } });
  await only("echo", "echo");
  await only("sleep", "sleep");
  const applyOther = async (spec: object) =>
    await space.apply(createServerManifest("other", { toolConfigRef: { name: "sleep" }, ...spec }));
  await space.apply(createServerManifest("one", { toolConfigRef: { name: "echo" }, ...group }));
  await applyOther(group);
  const applyGroup = async (spec: object) =>
    await space.apply({ apiVersion: API, kind: "MCPGroup", metadata: { name: "work" }, spec });
  await applyGroup({});
  const until = async () =>
    await untilCondition(space, "work", "ServersReady", "ServersReady", {
      plural: "mcpgroup",
      deployment: "mcp-work-group",
    });
  await until();
  await using client = await McpCaller.open(await findUrl(space, "mcp-work-group"));
  const members: number[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const isLeaving = index % 2 === 0;
    const tools = isLeaving ? ["echo"] : ["echo", "sleep"];
    members.push(await measureChange(client, tools, async () => await applyOther(isLeaving ? {} : group)));
    await until();
  }
  const choices: number[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const isChosen = index % 2 === 0;
    const spec = isChosen ? { toolConfigRef: { name: "echo" } } : {};
    choices.push(
      await measureChange(client, isChosen ? ["echo"] : ["echo", "sleep"], async () => await applyGroup(spec)),
    );
    await until();
  }
  return { members: summarize(members), choices: summarize(choices) };
}

/** Seconds from a call of a server without pods to its answer, and to each step before. */
async function measureWaking(operator: TestOperator, space: TestNamespace, transport: "stdio" | "streamable-http") {
  const name = `sleeper-${transport === "stdio" ? "stdio" : "http"}`;
  const podTemplateSpec = { spec: { terminationGracePeriodSeconds: 1 } };
  await space.apply(createServerManifest(name, { idle: { after: "1m" }, podTemplateSpec, transport }));
  await using steps = new WakingSteps(operator.client, space.name, name);
  const reached = new Map(WAKING_STEPS.map((step) => [step, [] as number[]]));
  const times: number[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    await untilCondition(space, name, "Ready", "Asleep");
    await waitFor(async () => (await space.list("pod", `app=${name}`)).length === 0, {
      what: `${name} to have no pods`,
      deadlineMs: 60_000,
    });
    const url = await findUrl(space, `mcp-${name}-proxy`);
    const begin = performance.now();
    steps.begin();
    await callTool(url, "echo", { text: "good morning" });
    times.push((performance.now() - begin) / 1_000);
    // The answer may come before the kubelet has reported that the server runs.
    await waitFor(async () => steps.read("ready"), { what: `${name} to be reported`, deadlineMs: 60_000 });
    for (const [step, all] of reached) all.push(steps.read(step) ?? Number.NaN);
    const each = WAKING_STEPS.map((step) => `${step} ${steps.read(step)?.toFixed(2)}`).join(", ");
    console.log(`${name} answered after ${times.at(-1)?.toFixed(2)} s (${each}), load ${loadavg()[0]}`);
  }
  await space.kubectl("delete", `mcpserver/${name}`);
  const medians = [...reached].map(([step, all]) => [step, summarize(all).median]);
  return { ...summarize(times), steps: Object.fromEntries(medians) };
}

await runOnCluster("changes", async ({ started, space }) => {
  await using operator = await TestOperator.start(started, [space.name], {}, { idleAfterMs: IDLE_MS });
  const loadBefore = round(loadavg()[0] ?? Number.NaN);
  const tools = await measureTools(space);
  console.log(JSON.stringify({ tools }));
  const group = await measureGroup(space);
  console.log(JSON.stringify({ group }));
  const waking = {
    stdio: await measureWaking(operator, space, "stdio"),
    http: await measureWaking(operator, space, "streamable-http"),
  };
  const loadAverage = [loadBefore, round(loadavg()[0] ?? Number.NaN)];
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, loadAverage };
  const result = { machine, seconds: { tools, ...group, waking } };
  console.log(JSON.stringify(result, undefined, 2));
  const file = join(findRepositoryRoot(), "packages/operator/bench/changes.json");
  await writeFile(file, `${JSON.stringify(result, undefined, 2)}\n`);
});
