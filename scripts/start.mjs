/**
 * `npm start`: installs and builds what is missing, and serves the site and the local API until Ctrl-C, each as soon as it is
 * built. Until the pages that have changed are built, the site of the last build is served. As root on Debian or
 * Ubuntu it also installs Podman when no container engine can be reached or started; `npm start -- --no-engine` leaves that out.
 * `npm start -- --watch` shows a changed page as soon as it is saved; its search is that of the last build.
 *
 * | Variable   | Default | Meaning                |
 * |------------|---------|------------------------|
 * | `PORT`     | `3000`  | Port of the site.      |
 * | `THV_PORT` | `8080`  | Port of the local API. |
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt, findBuild, linkThv, TARGETS } from "./lib/build.mjs";
import { beginEngine, describeNextStep } from "./lib/ensure-engine.mjs";
import { CommandFailure, describeError } from "./lib/errors.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { describePortOwner, isPortFree, parsePort } from "./lib/ports.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { findRunning, writeRunning } from "./lib/running-note.mjs";
import { ask, COMPILE_TIMEOUT_MS, Servers } from "./lib/servers.mjs";
import { formatDuration } from "./lib/terminal.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Those that thv gives to a supervisor in the background. @type {string[]} */
const nodeFlags = JSON.parse(readFileSync(join(root, "packages/cli/src/installation/node-flags.json"), "utf8"));

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

/**
 * What the steps of a start share. `isUp`: both servers answer, so that their lines are shown from now on.
 *
 * @typedef {object} Start
 * @property {import("./lib/run-command.mjs").Context} context
 * @property {Servers} servers
 * @property {number} sitePort
 * @property {number} apiPort
 * @property {string} site
 * @property {string} api
 * @property {boolean} isUp
 */

/** @param {Start} start */
async function claimAddresses({ context, sitePort, apiPort, site, api }) {
  const running = findRunning(root);
  if (running !== undefined) {
    throw new CommandFailure(
      `It is running already (pid ${running.pid}): the site at ${running.site}, the local API at ${running.api}.`,
      { hint: `Open one of them, or end it with Ctrl-C where it runs: kill -INT ${running.pid}` },
    );
  }
  await requireFreePort("PORT", sitePort, "localhost");
  await requireFreePort("THV_PORT", apiPort, "127.0.0.1");
  context.onEnd(writeRunning(root, { site, api }));
}

/**
 * @param {Start} start
 * @param {string} label
 * @returns {(line: string) => void}
 */
const relayLines = (start, label) => (line) => {
  const { isUp, site, api, context } = start;
  // The addresses that the servers print are printed for both below.
  if (isUp && !line.includes(site) && !line.includes(api))
    context.terminal.line(`${context.terminal.style("dim", `${label} │`)} ${line}`);
};

/**
 * @param {Start} start
 * @param {number} port
 * @param {(line: string) => void} onLine
 */
function launchSite({ context }, port, onLine) {
  return context.children.start("The site's server", process.execPath, [join(root, "website/dist/server.mjs")], {
    cwd: root,
    env: { ACCESS_LOG: "off", ...process.env, PORT: String(port), HOST: "localhost" },
    onLine,
  });
}

/** @param {Start} start */
async function startSite(start) {
  const server = launchSite(start, start.sitePort, relayLines(start, "site"));
  await start.servers.add(server, `${start.site}/`);
  return server;
}

/**
 * Docusaurus' own server, with the search of the last build behind it.
 *
 * @param {Start} start
 */
async function startPages(start) {
  const { context, servers, sitePort, site } = start;
  const relay = relayLines(start, "site");
  /** @type {(address: string) => void} */
  let onAddress = () => {};
  const built = launchSite(start, 0, (line) => {
    const [found] = /http:\S+/.exec(line) ?? [];
    if (found === undefined) relay(line);
    else onAddress(found);
  });
  const address = await new Promise((resolve, reject) => {
    onAddress = resolve;
    const onEnd = () => reject(new CommandFailure(`${built.name} ended before it answered:\n${built.excerpt}`));
    built.ended.then(onEnd, reject);
  });
  await servers.add(built, `${address}/`);
  const program = join(root, "node_modules/@docusaurus/core/bin/docusaurus.mjs");
  const options = ["--port", String(sitePort), "--host", "localhost", "--no-open"];
  const server = context.children.start("Docusaurus", process.execPath, [program, "start", ...options], {
    cwd: join(root, "website"),
    env: { ...process.env, NO_UPDATE_NOTIFIER: "1", FORCE_COLOR: "0", TOOLHIVE_SITE_SERVER: address },
    onLine: relay,
  });
  await servers.add(server, `${site}/`, COMPILE_TIMEOUT_MS);
  return server;
}

/** @param {Start} start */
async function bringUpApi(start) {
  const { context, servers, apiPort, api } = start;
  await ensureBuilt(root, TARGETS.cli, context);
  linkThv(root);
  const startApi = async () => {
    const program = [...nodeFlags, join(root, "packages/cli/dist/thv.mjs"), "serve", "--port", String(apiPort)];
    const onLine = relayLines(start, "api ");
    const server = context.children.start("thv serve", process.execPath, program, { cwd: root, onLine });
    await servers.add(server, `${api}/api/v1beta/version`);
  };
  await context.terminal.step("Start the local API", startApi, { describe: () => api });
}

/**
 * @param {Start} start
 * @param {{ siteBuild: ReturnType<typeof findBuild>, isWatching: boolean }} options
 */
async function bringUpSite(start, { siteBuild, isWatching }) {
  const { terminal } = start.context;
  const options = { describe: () => start.site };
  if (siteBuild === "missing") await ensureBuilt(root, TARGETS.website, start.context, { isLight: true });
  if (isWatching) return await terminal.step("Compile the pages and watch them", () => startPages(start), options);
  const title = siteBuild === "outdated" ? "Start the site of the last build" : "Start the site";
  return await terminal.step(title, () => startSite(start), options);
}

/**
 * @param {Start} start
 * @param {string} upAfter
 */
async function printAddresses(start, upAfter) {
  const { context, servers, site, api } = start;
  const { terminal } = context;
  const label = (/** @type {string} */ text) => terminal.style("bold", text.padEnd(11));
  terminal.line();
  terminal.line(`  ${label("Site")} ${terminal.style("cyan", site)}`);
  terminal.line(`  ${label("Local API")} ${terminal.style("cyan", api)}`);
  terminal.line();
  // Without an engine this answer takes seconds, in which a server could exit.
  const health = await Promise.race([ask(`${api}/health`), servers.firstDeath]);
  start.isUp = true;
  if (health === undefined || health.status >= 400) {
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
  terminal.line(terminal.style("dim", `  Ready after ${upAfter}. Ctrl-C ends both.`));
}

/**
 * Builds the site of the changed pages while the last one is served, and serves it then. A build that fails leaves the last one.
 *
 * @param {Start} start
 * @param {import("./lib/children.mjs").Child} lastSite
 */
async function replaceSite(start, lastSite) {
  const { context, servers } = start;
  const { terminal } = context;
  terminal.line(terminal.style("dim", "  Pages have changed: a new site is being built, and replaces this one."));
  try {
    await ensureBuilt(root, TARGETS.website, context, { isLight: true });
  } catch (error) {
    // An interruption ends the build, too; the user needs no message.
    context.interrupted.throwIfAborted();
    terminal.line(`${terminal.style("red", "Error:")} ${describeError(error)}`);
    if (error instanceof CommandFailure && error.hint) terminal.line(`Hint: ${error.hint}`);
    terminal.line("The site of the last build stays. After the next npm start, the build is tried again.");
    return;
  }
  await terminal.step("Serve the new site", async () => {
    await servers.stop(lastSite);
    await startSite(start);
  });
}

await runCommand(async (context) => {
  const begin = performance.now();
  const isWatching = process.argv.includes("--watch");
  const sitePort = parsePort("PORT", process.env.PORT, 3000);
  const apiPort = parsePort("THV_PORT", process.env.THV_PORT, 8080);
  const site = `http://localhost:${sitePort}`;
  const api = `http://127.0.0.1:${apiPort}`;
  const servers = new Servers();
  /** @type {Start} */
  const start = { context, servers, sitePort, apiPort, site, api, isUp: false };
  await claimAddresses(start);

  // apt and npm wait for the network more than for the processor, so they work at the same time.
  const finishEngine = await beginEngine(context);
  await ensureInstalled(root, context, { isForBuilds: true });
  await finishEngine();

  const siteBuild = findBuild(root, TARGETS.website);
  // The build of the site reads the sources of thv and nothing that its build makes.
  const bothUp = Promise.all([bringUpApi(start), bringUpSite(start, { siteBuild, isWatching })]);
  const [, firstSite] = await Promise.race([bothUp, servers.firstDeath]);
  await printAddresses(start, formatDuration(performance.now() - begin));

  if (siteBuild === "outdated" && !isWatching) await Promise.race([replaceSite(start, firstSite), servers.firstDeath]);
  await servers.firstDeath;
});
