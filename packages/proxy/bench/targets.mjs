/**
 * What is measured: a bridge without any feature, our endpoint and two peers from npm, each as a process that bridges the
 * same echo server.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
/** Where bundles and peers are. */
export const cache = fileURLToPath(new URL("../../../.cache/bench-proxy/", import.meta.url));
export const ECHO = join(here, "echo-server.mjs");

/** What the process that owns the endpoints is started with. @type {string[]} */
export const NODE_FLAGS = JSON.parse(
  readFileSync(new URL("../../cli/src/installation/node-flags.json", import.meta.url), "utf8"),
);

/** Exact versions, so that a result can be repeated. */
export const PEERS = { supergateway: "4.0.0", "mcp-proxy": "6.7.19" };

/**
 * Installs the peers beside the build cache, never into the product.
 *
 * @param {Readonly<Record<string, string>>} peers Versions by name. Those of two measurements need two folders.
 * @returns {string} The folder that holds them.
 */
export function installPeers(peers = PEERS, folder = cache) {
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(peers).filter(([name, version]) => {
    const manifest = join(folder, "node_modules", name, "package.json");
    return !existsSync(manifest) || JSON.parse(readFileSync(manifest, "utf8")).version !== version;
  });
  if (wanted.length === 0) return folder;
  const specs = Object.entries(peers).map(([name, version]) => `${name}@${version}`);
  execFileSync("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", ...specs], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return folder;
}

/**
 * Bundles an endpoint as it is shipped: no TypeScript at run time, and what is rarely needed in chunks of its own.
 *
 * @param {{ checkout?: string, outdir?: string }} [from] Of which checkout, with its dependencies installed; default: this
 *   one. Two of them need two directories.
 */
export async function bundleEndpoint({ checkout, outdir = cache } = {}) {
  const folder = checkout === undefined ? here : resolve(checkout, "packages/proxy/bench");
  return await bundleProgram(join(folder, "run-endpoint.ts"), "endpoint", outdir);
}

/** Bundles a program as what we ship is. @param {string} entry @param {string} name @returns The path of the bundle. */
export async function bundleProgram(entry, name, outdir = cache) {
  await build({
    entryPoints: { [name]: entry },
    outdir,
    outExtension: { ".js": ".mjs" },
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    // Binaries that the domain brings along and the endpoint never calls here.
    external: ["@napi-rs/*", "@cedar-policy/*"],
    // What the way through a company's proxy needs is CommonJS.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  return join(outdir, `${name}.mjs`);
}

export async function freePort() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The peers before a command that speaks MCP on stdio. @param {readonly string[]} command */
export function listPeers(command) {
  const bin = (/** @type {string} */ name, /** @type {string} */ path) => join(cache, "node_modules", name, path);
  return [
    {
      name: "supergateway",
      args: (/** @type {number} */ port) => [
        bin("supergateway", "dist/index.js"),
        ...["--stdio", command.join(" "), "--outputTransport", "streamableHttp", "--stateful"],
        ...["--port", String(port), "--logLevel", "none"],
      ],
    },
    {
      name: "mcp-proxy",
      args: (/** @type {number} */ port) => [
        bin("mcp-proxy", "dist/bin/mcp-proxy.mjs"),
        ...["--port", String(port), "--host", "127.0.0.1", "--server", "stream", "--", ...command],
      ],
    },
  ];
}

/** @param {string} endpoint Path of the bundle. */
export function listTargets(endpoint) {
  return [
    {
      name: "bare",
      args: (/** @type {number} */ port) => [join(here, "bare-bridge.mjs"), String(port), process.execPath, ECHO],
    },
    describeEndpoint("ours", endpoint),
    ...listPeers([process.execPath, ECHO]),
  ];
}

/** Our endpoint beside the one of another checkout. @param {string} checkout */
export async function listTwoEndpoints(checkout) {
  const before = await bundleEndpoint({ checkout, outdir: join(cache, "before") });
  return [describeEndpoint("ours", await bundleEndpoint()), describeEndpoint("before", before)];
}

/** @param {string} name @param {string} endpoint */
function describeEndpoint(name, endpoint) {
  return {
    name,
    args: (/** @type {number} */ port) => [...NODE_FLAGS, endpoint, String(port), process.execPath, ECHO],
  };
}

/**
 * @typedef {object} Target
 * @property {string} name
 * @property {string} [command] Default: this program's Node.js.
 * @property {(port: number) => string[]} args
 */

/** @param {Target} target */
export async function startTarget(target) {
  const port = await freePort();
  const child = spawn(target.command ?? process.execPath, target.args(port), {
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  const deadline = performance.now() + 20_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${target.name} exited with ${child.exitCode}`);
    const answers = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "PUT" }).then(
      () => true,
      () => false,
    );
    if (answers) break;
    if (performance.now() > deadline) throw new Error(`${target.name} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const pid = child.pid ?? 0;
  return {
    port,
    memory: () => measureMemory(pid),
    cpuMs: () => readCpuMs(pid),
    stop: async () => {
      // The whole group: peers do not all end their children.
      process.kill(-pid, "SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** Resident memory in MiB, of the bridge alone and with the servers it started. @param {number} root */
export function measureMemory(root) {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,rss="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const [pid = 0, parent = 0] of rows) if (tree.has(parent)) tree.add(pid);
  }
  const sum = (/** @type {(pid: number) => boolean} */ isCounted) =>
    rows.reduce((total, [pid = 0, , rss = 0]) => total + (isCounted(pid) ? rss : 0), 0) / 1024;
  return { bridge: sum((pid) => pid === root), tree: sum((pid) => tree.has(pid)) };
}

/** Processor time of one process so far, in milliseconds; `NaN` where `/proc` does not exist. @param {number} pid */
export function readCpuMs(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  // The second field is the name in brackets and may hold blanks; user and system time are fields 14 and 15.
  const fields = readFileSync(file, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** `sysconf(_SC_CLK_TCK)` is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;
