/**
 * `npm start`: installs and builds what is missing, then serves the site and the local API until Ctrl-C. As root on Debian or
 * Ubuntu it also installs Podman when no container engine can be reached or started; `npm start -- --no-engine` leaves that out.
 *
 * | Variable   | Default | Meaning                |
 * |------------|---------|------------------------|
 * | `PORT`     | `3000`  | Port of the site.      |
 * | `THV_PORT` | `8080`  | Port of the local API. |
 */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ensureBuilt, linkThv, TARGETS } from "./lib/build.mjs";
import { beginEngine, describeNextStep } from "./lib/ensure-engine.mjs";
import { CommandFailure } from "./lib/errors.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { describePortOwner, isPortFree, parsePort } from "./lib/ports.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { findRunning, writeRunning } from "./lib/running-note.mjs";
import { formatDuration } from "./lib/terminal.mjs";

/** Milliseconds a server has to answer after it was started. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

const root = fileURLToPath(new URL("..", import.meta.url));
/** Those that thv gives to a supervisor in the background. @type {string[]} */
const nodeFlags = JSON.parse(readFileSync(join(root, "packages/cli/src/installation/node-flags.json"), "utf8"));

/** @typedef {{ status: number, body: string }} Answer */

/**
 * @param {string} url
 * @returns {Promise<Answer | undefined>} `undefined` while nobody answers.
 */
async function ask(url) {
  return await new Promise((resolve) => {
    const outgoing = request(url, { agent: false, timeout: 5_000 }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.once("error", () => resolve(undefined));
    });
    outgoing.once("timeout", () => outgoing.destroy());
    outgoing.once("error", () => resolve(undefined));
    outgoing.end();
  });
}

/**
 * @param {import("./lib/children.mjs").Child} child
 * @param {string} url
 * @returns {Promise<Answer>}
 */
async function untilAnswering(child, url) {
  let hasEnded = false;
  const onEnd = () => {
    hasEnded = true;
  };
  child.ended.then(onEnd, onEnd);
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const answer = await ask(url);
    if (answer !== undefined) return answer;
    if (hasEnded) throw await describeDeath(child);
    await delay(POLL_MS);
  }
  throw new CommandFailure(
    `${child.name} did not answer at ${url} within ${formatDuration(START_TIMEOUT_MS)}:\n${child.excerpt}`,
  );
}

/** @param {import("./lib/children.mjs").Child} child */
async function describeDeath(child) {
  const { code, signal } = await child.ended;
  const output = child.excerpt === "" ? "" : `\n${child.excerpt}`;
  return new CommandFailure(`${child.name} ended with ${signal ?? `code ${code}`} before it answered.${output}`);
}

/**
 * @param {string} variable
 * @param {number} port
 * @param {string} host
 */
async function requireFreePort(variable, port, host) {
  if ((await isPortFree(port, host)) && (await isPortFree(port, "127.0.0.1"))) return;
  const owner = describePortOwner(port);
  throw new CommandFailure(`Port ${port} is in use${owner === undefined ? "" : ` by ${owner}`}.`, {
    hint: `End that process, or choose another port: ${variable}=${port === 65_535 ? 8000 : port + 1} npm start`,
    exitCode: 7,
  });
}

await runCommand(async (context) => {
  const { children, terminal, onEnd } = context;
  const begin = performance.now();
  const sitePort = parsePort("PORT", process.env.PORT, 3000);
  const apiPort = parsePort("THV_PORT", process.env.THV_PORT, 8080);
  const site = `http://localhost:${sitePort}`;
  const api = `http://127.0.0.1:${apiPort}`;

  const running = findRunning(root);
  if (running !== undefined) {
    throw new CommandFailure(
      `It is running already (pid ${running.pid}): the site at ${running.site}, the local API at ${running.api}.`,
      { hint: `Open one of them, or end it with Ctrl-C where it runs: kill -INT ${running.pid}` },
    );
  }
  await requireFreePort("PORT", sitePort, "localhost");
  await requireFreePort("THV_PORT", apiPort, "127.0.0.1");
  onEnd(writeRunning(root, { site, api }));

  // apt and npm wait for the network more than for the processor, so they work at the same time.
  const finishEngine = await beginEngine(context);
  await ensureInstalled(root, context);
  await finishEngine();
  await ensureBuilt(root, TARGETS.cli, context);
  linkThv(root);
  await ensureBuilt(root, TARGETS.website, context);

  let isUp = false;
  /** @type {(label: string) => (line: string) => void} */
  const relay = (label) => (line) => {
    // What the servers say about their addresses is said below, for both.
    if (isUp && !line.includes(site) && !line.includes(api))
      terminal.line(`${terminal.style("dim", `${label} │`)} ${line}`);
  };
  const health = await terminal.step("Start the site and the local API", async () => {
    const siteServer = children.start("The site's server", process.execPath, [join(root, "website/dist/server.mjs")], {
      cwd: root,
      env: { ACCESS_LOG: "off", ...process.env, PORT: String(sitePort), HOST: "localhost" },
      onLine: relay("site"),
    });
    const apiServer = children.start(
      "thv serve",
      process.execPath,
      [...nodeFlags, join(root, "packages/cli/dist/thv.mjs"), "serve", "--port", String(apiPort)],
      { cwd: root, onLine: relay("api ") },
    );
    const [, answer] = await Promise.all([
      untilAnswering(siteServer, `${site}/`),
      untilAnswering(apiServer, `${api}/health`),
    ]);
    return { answer, servers: [siteServer, apiServer] };
  });
  isUp = true;

  const label = (/** @type {string} */ text) => terminal.style("bold", text.padEnd(11));
  terminal.line();
  terminal.line(`  ${label("Site")} ${terminal.style("cyan", site)}`);
  terminal.line(`  ${label("Local API")} ${terminal.style("cyan", api)}`);
  terminal.line();
  if (health.answer.status >= 400) {
    const [first, ...others] = describeNextStep();
    terminal.line(`  ${terminal.style("yellow", "No container engine answers.")} ${first}`);
    for (const line of others) terminal.line(`  ${line}`);
  } else {
    terminal.line("  Try next, in another terminal here:");
    terminal.line(`    npx thv run --name everything mcp/everything`);
    terminal.line(`    npx thv list`);
  }
  terminal.line(`  Read on: ${site}/toolhive/tutorials/quickstart-cli`);
  terminal.line();
  terminal.line(terminal.style("dim", `  Ready after ${formatDuration(performance.now() - begin)}. Ctrl-C ends both.`));

  await Promise.race(health.servers.map(({ ended }) => ended));
  const dead = health.servers.find(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null);
  if (dead === undefined) throw new Error("A server ended, and none of them says so.");
  const { code, signal } = await dead.ended;
  throw new CommandFailure(`${dead.name} ended with ${signal ?? `code ${code}`}, so the other server is ended too.`);
});
