/**
 * The application as people use it, with SERVERS real servers on Docker: what it loads, when it can be used, how soon a
 * change is on the screen, how smoothly a long log scrolls, and what an open page costs. Writes `in-use.json`.
 */
import { readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "@playwright/test";
import { ApiClient } from "@toolhive/api/client";
import { findRepositoryRoot, runThv, startEngines, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { CHROMIUM } from "@toolhive/testing/chromium";
import { launchBrowser, printAddress } from "../e2e/open-app.ts";

const SERVERS = Number(process.env.APP_BENCH_SERVERS ?? 100);
const IMAGE = "toolhive-test/echo:test";
/** Changes of status that are timed. */
const CHANGES = 40;
/** Changes a second at which the costs of an open page are given. */
const RATE = 10;
const LOADS = 10;
const LOG_LINES = 10_000;
const LINES_AT_ONCE = 500;
/** Of the kernel's clock, a second. */
const TICKS = 100;

const median = (values: readonly number[]) => percentile(values, 0.5);

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const round = (value: number, digits = 1) => Number(value.toFixed(digits));
const pause = async (milliseconds: number) => await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @returns Processor seconds that a process has used. */
async function readProcessorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** @returns MiB. */
async function readMemory(pid: number): Promise<{ readonly rss: number; readonly own: number }> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) / 1024;
  return { rss: round(read("Rss")), own: round(read("Private_Clean") + read("Private_Dirty")) };
}

/** What the first page loads: bytes as gzip sends them. */
async function measureFirstLoad(page: Page, address: string) {
  await page.goto(address);
  await page.getByText("No servers yet").waitFor();
  const urls = await page.evaluate(() => [
    location.href,
    ...performance.getEntriesByType("resource").map(({ name }) => name),
  ]);
  let scripts = 0;
  let all = 0;
  for (const url of new Set(urls.filter((each) => !each.includes("/api/")))) {
    const answer = await fetch(url, { headers: { "accept-encoding": "gzip", accept: "text/html" } });
    const length = Number(answer.headers.get("content-length"));
    all += length;
    if (url.endsWith(".js")) scripts += length;
  }
  return { scriptKb: round(scripts / 1000), allKb: round(all / 1000), requests: urls.length };
}

/** Milliseconds from the beginning of the page to a list of all servers. */
async function measureUsable(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.waitForFunction((count) => document.querySelectorAll("tbody tr").length >= count, SERVERS);
  return await page.evaluate(() => (globalThis as unknown as { usableAt: number }).usableAt);
}

/** Milliseconds from what the supervisor knew to what the page shows. */
async function measureChanges(page: Page, client: ApiClient): Promise<number[]> {
  const known = new Map<string, number>();
  const controller = new AbortController();
  const follow = (async () => {
    for await (const event of client.stream("watchEvents", { signal: controller.signal })) {
      if (event.type !== "workload") continue;
      const { name, status } = event.data.workload;
      known.set(`${name} ${status}`, Date.parse(event.at));
    }
  })().catch(() => undefined);
  await page.evaluate(() => {
    const seen: Record<string, number> = {};
    Object.assign(globalThis, { seen });
    const look = () => {
      for (const row of document.querySelectorAll("tbody tr")) {
        const status = row.querySelector(".status")?.className.replace(/^.*status--/, "");
        seen[`${row.querySelector("a")?.textContent} ${status}`] ??= Date.now();
      }
    };
    look();
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  });
  for (let index = 0; index < CHANGES / 2; index += 1) {
    const name = nameServer(index);
    await client.call("stopWorkload", { params: { name } });
    await waitFor(() => known.has(`${name} stopped`), { what: `${name} to stop` });
  }
  await pause(500);
  controller.abort();
  await follow;
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: Record<string, number> }).seen);
  return [...known].flatMap(([change, at]) => {
    const shown = seen[change];
    return shown === undefined || change.endsWith("running") ? [] : [Math.max(0, shown - at)];
  });
}

/** Processor time of the page and of the supervisor while servers restart, per change and as a share of a core at RATE. */
async function measureBusyPage(context: BrowserContext, page: Page, client: ApiClient, pid: number) {
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const readTab = async () =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  const run = async () => {
    let changes = 0;
    const controller = new AbortController();
    const follow = (async () => {
      for await (const event of client.stream("watchEvents", { signal: controller.signal }))
        if (event.type === "workload") changes += 1;
    })().catch(() => undefined);
    const [begin, before] = [performance.now(), await readProcessorSeconds(pid)];
    const tab = await readTab().catch(() => 0);
    const restart = async (first: number) => {
      for (let index = first; index < 40; index += 4)
        await client.call("restartWorkload", { params: { name: nameServer(50 + (index % 50)) } });
    };
    await Promise.all([0, 1, 2, 3].map(restart));
    await pause(3_000);
    controller.abort();
    await follow;
    const seconds = (performance.now() - begin) / 1000;
    return {
      changes,
      seconds,
      supervisor: (await readProcessorSeconds(pid)) - before,
      tab: (await readTab().catch(() => 0)) - tab,
    };
  };
  const withPage = await run();
  await page.close();
  const without = await run();
  const perChange = {
    tabMs: (withPage.tab / withPage.changes) * 1000,
    supervisorMs: Math.max(0, withPage.supervisor / withPage.changes - without.supervisor / without.changes) * 1000,
  };
  return {
    changesPerSecond: round(withPage.changes / withPage.seconds),
    tabMsPerChange: round(perChange.tabMs, 2),
    supervisorMsPerChange: round(perChange.supervisorMs, 2),
    tabPercentAtRate: round((perChange.tabMs * RATE) / 10),
    supervisorPercentAtRate: round((perChange.supervisorMs * RATE) / 10),
  };
}

/** Intervals between the pictures of a log that is scrolled from its beginning to its end and back. */
async function measureScrolling(context: BrowserContext, page: Page, client: ApiClient, url: string) {
  await page.goto(url);
  await page.getByRole("log").waitFor();
  const [, name = ""] = /servers\/([^/]+)/.exec(url) ?? [];
  for (let first = 1; first <= LOG_LINES; first += LINES_AT_ONCE) {
    const lines = Array.from(
      { length: LINES_AT_ONCE },
      (_, index) => `line ${first + index} of a log, long enough for a row`,
    );
    const body = { method: "tools/call" as const, params: { name: "say", arguments: { text: lines.join("\n") } } };
    for await (const event of client.stream("callWorkload", { params: { name }, body })) void event;
  }
  await page.getByText(`line ${LOG_LINES} of a log`).waitFor();
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const readWork = async () =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name: each }) => each === "TaskDuration")?.value ??
    0;
  const before = await readWork();
  const intervals = await page.evaluate(async () => {
    const log = document.querySelector(".log");
    if (!log) throw new Error("There is no log.");
    const found: number[] = [];
    let last = performance.now();
    for (let step = 0; step < 240; step += 1) {
      log.scrollTop = (log.scrollHeight - log.clientHeight) * Math.abs(1 - step / 120);
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      found.push(now - last);
      last = now;
    }
    return found.slice(2);
  });
  const work = (await readWork()) - before;
  return {
    // Says what a frame costs also where other programs use the processor.
    workMsPerFrame: round((work * 1000) / (intervals.length + 2), 2),
    framesPerSecond: round(1000 / (intervals.reduce((sum, each) => sum + each, 0) / intervals.length)),
    p95Ms: round(percentile(intervals, 0.95)),
    worstMs: round(Math.max(...intervals)),
  };
}

const nameServer = (index: number) => `server-${String(index).padStart(3, "0")}`;

async function startServers(home: ThrowawayHome, engine: TestEngine, client: ApiClient): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < SERVERS) {
      const name = nameServer(next++);
      await client.call("createWorkload", { body: { name, image: IMAGE } });
      await waitFor(async () => (await client.call("getWorkload", { params: { name } })).status === "running", {
        what: `${name} to run`,
        deadlineMs: 120_000,
      });
      if (next % 20 === 0) console.log(`${next} of ${SERVERS} servers run`);
    }
  };
  await Promise.all([work(), work(), work()]);
  await runThv(["list"], { home, engine });
}

await using engines = await startEngines();
const engine = engines.engines.find(({ kind }) => kind === "docker");
if (!engine) throw new Error("There is no Docker.");
await using home = await ThrowawayHome.create();
const { address, url } = await printAddress(home, engine);
const { socket, pid } = JSON.parse(await readFile(join(home.stateDirectory, "supervisor.json"), "utf8"));
const client = new ApiClient({ socketPath: socket });
await pause(5_000);
const memory = { withoutPage: await readMemory(pid), withPage: { rss: 0, own: 0 } };

// With its windows, as people use it.
const browser = await launchBrowser({ executablePath: CHROMIUM });
const context = await browser.newContext();
await context.addInitScript(`
  const wait = setInterval(() => {
    if (document.querySelectorAll("tbody tr").length < ${SERVERS}) return;
    clearInterval(wait);
    globalThis.usableAt = performance.now();
  }, 1);
`);
const page = await context.newPage();
await page.goto(url);
await page.getByText("No servers yet").waitFor();
await pause(5_000);
memory.withPage = await readMemory(pid);
const firstLoad = await measureFirstLoad(page, address);

await startServers(home, engine, client);
const usable: number[] = [];
for (let load = 0; load < LOADS; load += 1) usable.push(await measureUsable(page, address));
console.log({ firstLoad, memory, usable });
const changes = await measureChanges(page, client);
console.log({ changes });
const busy = await measureBusyPage(context, await openServers(context, address), client, pid);

console.log(busy);
const scrolling = await measureScrolling(
  context,
  await openServers(context, address),
  client,
  new URL(`servers/${nameServer(45)}/logs`, address).href,
);
await browser.close();

const results = {
  machine: { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0]?.toFixed(1) },
  servers: SERVERS,
  firstLoad,
  usableMs: { median: round(median(usable)), worst: round(Math.max(...usable)) },
  changeMs: {
    count: changes.length,
    median: median(changes),
    p95: percentile(changes, 0.95),
    worst: Math.max(...changes),
  },
  busy,
  scrolling,
  supervisorMiB: memory,
};
console.log(JSON.stringify(results, undefined, 2));
await writeFile(
  join(findRepositoryRoot(), "packages/app/bench/in-use.json"),
  `${JSON.stringify(results, undefined, 2)}\n`,
);

async function openServers(inside: BrowserContext, at: string): Promise<Page> {
  const opened = await inside.newPage();
  await opened.goto(at);
  await opened.waitForFunction((count) => document.querySelectorAll("tbody tr").length >= count, SERVERS);
  return opened;
}
