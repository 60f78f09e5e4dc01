/** The fixture servers, on every way from the suite to them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bundleEndpoint, freePort } from "../bench/targets.mjs";

/** @typedef {(args: readonly string[]) => Promise<{ code: number | null, stdout: string, stderr: string }>} Thv */

const fileBeside = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const FIXTURE = fileBeside("serve-fixture.mjs");
const SSE_TO_STDIO = fileBeside("sse-to-stdio.mjs");
/** Of the workload. */
const NAME = "conformance";
const IMAGE = "toolhive-test/conformance:test";
/** Servers that join it in a group of three: their tools have other names. */
const OTHERS = /** @type {const} */ ({ echo: "toolhive-test/echo:test", everything: "mcp/everything:test" });
const GROUP = "conformance-group";
/** Milliseconds until a server that was started must answer. */
const START_MS = 20_000;

/** Processes of one run. */
class Processes {
  #children = [];

  start(/** @type {string[]} */ ...args) {
    this.#children.push(spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] }));
  }

  async stop() {
    for (const child of this.#children.reverse()) {
      const exit = once(child, "exit");
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await exit;
    }
  }
}

/** @param {string} url */
async function untilAnswered(url) {
  const deadline = performance.now() + START_MS;
  const isUp = () => fetch(url, { signal: AbortSignal.timeout(1000) }).then(({ status }) => status < 500);
  while (!(await isUp().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`nothing answers at ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A fixture as a process. @param {Processes} processes @param {string} server @param {string} transport */
async function serveDirectly(processes, server, transport) {
  const port = String(await freePort());
  processes.start(FIXTURE, server, transport, port);
  const url = `http://localhost:${port}/${transport === "sse" ? "sse" : "mcp"}`;
  await untilAnswered(url);
  return url;
}

/**
 * A fixture in a container behind thv, as a user starts one.
 *
 * @param {Thv} thv @param {string} server @param {string} transport
 */
async function serveInContainer(thv, server, transport, /** @type {readonly string[]} */ more = []) {
  const flags = transport === "stdio" ? [] : ["--transport", transport, "--target-port", "3001"];
  const stdout = await run(thv, ["run", "--name", NAME, ...more, ...flags, IMAGE, "--", server, transport, "3001"]);
  return atLocalhost(stdout.trim().split(" ").at(-1) ?? "");
}

/**
 * A fixture in a group, alone or with two servers that have nothing to do with the suite.
 *
 * @param {Thv} thv @param {string} server @param {string} way `group-of-1` or `group-of-3`.
 */
async function serveInGroup(thv, server, way) {
  const { url } = JSON.parse(await run(thv, ["group", "create", GROUP, "--format", "json"]));
  await serveInContainer(thv, server, "stdio", ["--group", GROUP]);
  const others = way === "group-of-3" ? Object.entries(OTHERS) : [];
  for (const [name, image] of others) await run(thv, ["run", "--name", name, "--group", GROUP, image]);
  const deadline = performance.now() + START_MS;
  for (;;) {
    const groups = JSON.parse(await run(thv, ["group", "list", "--format", "json"]));
    const { workloads } = groups.find((/** @type {{ name: string }} */ { name }) => name === GROUP);
    if (workloads.every((/** @type {{ state: string }} */ { state }) => state === "ready")) return atLocalhost(url);
    if (performance.now() > deadline) throw new Error(`not ready: ${JSON.stringify(workloads)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @param {Thv} thv @param {readonly string[]} args @returns {Promise<string>} What it printed. */
async function run(thv, args) {
  const { code, stdout, stderr } = await thv(args);
  if (code !== 0) throw new Error(`thv ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** The suite checks that other hosts are refused, and knows this machine by its name. @param {string} url */
function atLocalhost(url) {
  const { port, pathname } = new URL(url);
  return `http://localhost:${port}${pathname}`;
}

/** An endpoint before a process that speaks to a server on HTTP with SSE. @param {Processes} processes @param {string} url */
async function adaptSse(processes, url) {
  const port = String(await freePort());
  processes.start(await bundleEndpoint(), port, process.execPath, SSE_TO_STDIO, url);
  const adapted = `http://localhost:${port}/mcp`;
  await untilAnswered(adapted);
  return adapted;
}

/**
 * Starts what a run needs: anew each time, because the first client of a server on stdio decides how it is initialized.
 *
 * @param {{ thv: Thv, server: string, way: string }} options
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startServer({ thv, server, way }) {
  const processes = new Processes();
  const stop = async () => {
    await processes.stop();
    // Where no workload was started there is none to remove.
    if (way.startsWith("direct")) return;
    const isGroup = way.startsWith("group");
    await thv(isGroup ? ["group", "rm", GROUP, "--with-workloads", "--yes"] : ["rm", NAME]);
  };
  try {
    if (way === "direct") return { url: await serveDirectly(processes, server, "streamable-http"), stop };
    if (way === "direct-sse") {
      return { url: await adaptSse(processes, await serveDirectly(processes, server, "sse")), stop };
    }
    if (way.startsWith("group")) return { url: await serveInGroup(thv, server, way), stop };
    const url = await serveInContainer(thv, server, way);
    return { url: way === "sse" ? await adaptSse(processes, url) : url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
