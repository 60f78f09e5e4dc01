/**
 * `npm run bench -- start`: times each step of `npm start`, first from an empty home in a fresh clone of what is committed,
 * then in the same folder once more. Writes `.cache/bench/start.md`. No engine is installed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandFailure } from "./lib/errors.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { formatStartTimes, READY, readStep } from "./lib/start-times.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** @typedef {import("./lib/start-times.mjs").Step} Step */

/** @returns {Promise<number>} A port that was free a moment ago. */
async function findPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

await runCommand(async ({ children, terminal, onEnd }) => {
  const folder = mkdtempSync(join(tmpdir(), "toolhive-start-"));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const [checkout, home] = [join(folder, "toolhive"), join(folder, "home")];
  mkdirSync(home);
  execFileSync("git", ["clone", "--quiet", root, checkout]);
  const { npm_config_cache: _cache, ...inherited } = process.env;
  const [site, api] = [await findPort(), await findPort()];
  const env = { ...inherited, HOME: home, PORT: String(site), THV_PORT: String(api) };

  const time = async (/** @type {string} */ name) => {
    const [load = 0] = loadavg();
    /** @type {Step[]} */
    const steps = [];
    let onReady = () => {};
    const ready = new Promise((resolve) => {
      onReady = () => resolve(undefined);
    });
    const child = children.start("npm start", "npm", ["start", "--silent", "--", "--no-engine"], {
      cwd: checkout,
      env,
      onLine: (line) => {
        const step = readStep(line);
        if (step !== undefined) steps.push(step);
        if (step?.title === READY) onReady();
      },
    });
    await Promise.race([ready, child.ended]);
    if (!steps.some(({ title }) => title === READY)) throw new CommandFailure(`npm start ended:\n${child.excerpt}`);
    await child.stop();
    return { name, load, steps };
  };
  const cold = await terminal.step("Start from an empty home in a fresh clone", () => time("Cold"));
  const warm = await terminal.step("Start once more", () => time("Warm"));

  const processors = cpus();
  const table = formatStartTimes({
    machine: `${processors.length} processors (${processors[0]?.model.trim()}), ${Math.round(totalmem() / 1024 ** 3)} GiB, Node.js ${process.versions.node}, ${process.platform}`,
    date: new Date().toISOString().slice(0, 10),
    revision: execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim(),
    runs: [cold, warm],
  });
  const file = join(root, ".cache/bench/start.md");
  mkdirSync(join(root, ".cache/bench"), { recursive: true });
  writeFileSync(file, table);
  terminal.line();
  terminal.line(table);
  terminal.line(`Written to ${file}`);
  return 0;
});
