/**
 * `npm run bench`: runs the `bench` script of every workspace that has one, one after the other; of those that are named
 * only, when some are: `npm run bench -- proxy`. `npm run bench -- start` times the steps of `npm start` instead,
 * `npm run bench -- servers` runs public MCP servers: some, by parts of their names, when more is given. `npm run bench -- growth` measures
 * what the same work costs on 1, 10 and 100 times as much: of some subjects, when more is given. `npm run bench -- opensearch` compares a
 * cluster of OpenSearch with the embedded search.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt, linkThv, TARGETS } from "./lib/build.mjs";
import { CommandFailure } from "./lib/errors.mjs";
import { listWorkspaces, readJson } from "./lib/inputs.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { runCommand } from "./lib/run-command.mjs";
import { formatDuration } from "./lib/terminal.mjs";

/** Benchmarks that run alone, with arguments of their own: the workspace whose `bench:NAME` each is. */
const ALONE = new Map([
  ["servers", "@toolhive/cli"],
  ["growth", "@toolhive/cli"],
  ["opensearch", "@toolhive/search"],
]);

const root = fileURLToPath(new URL("..", import.meta.url));

if (process.argv[2] === "start" && process.argv.length === 3) await import("./bench-start.mjs");

await runCommand(async (context) => {
  const { children, terminal } = context;
  const hasBench = ({ directory = "" }) => readJson(join(root, directory, "package.json")).scripts?.bench !== undefined;
  const all = listWorkspaces(root)
    .filter(hasBench)
    .map(({ name }) => name);
  const fullName = (/** @type {string} */ given) => (given.startsWith("@") ? given : `@toolhive/${given}`);
  const given = process.argv.slice(2);
  const [first = ""] = given;
  const alone = ALONE.get(first);
  if (alone !== undefined) {
    await ensureInstalled(root, context);
    if (alone === "@toolhive/cli") await ensureBuilt(root, TARGETS.cli, context);
    const args = ["run", "--silent", `bench:${first}`, "--workspace", alone, "--", ...given.slice(1)];
    return (await children.run(first, "npm", args, { cwd: root, inherit: true })).code ?? 1;
  }
  const unknown = given.filter((name) => !all.includes(fullName(name)));
  if (unknown.length > 0) {
    const hint = `Name some of these, or none for all: ${all.map((name) => name.replace("@toolhive/", "")).join(", ")}; or one of these alone: start, ${[...ALONE.keys()].join(", ")}`;
    throw new CommandFailure(`There is no benchmark "${unknown.join('", "')}".`, { hint, exitCode: 2 });
  }
  const names = given.length === 0 ? all : all.filter((name) => given.some((one) => fullName(one) === name));

  await ensureInstalled(root, context);
  await ensureBuilt(root, TARGETS.cli, context);
  linkThv(root);
  // Pages are weighed as they are published.
  await ensureBuilt(root, TARGETS.website, context, { mayBeLight: false });

  /** @type {string[]} */
  const failed = [];
  for (const name of names) {
    terminal.line();
    terminal.line(terminal.style("bold", `── ${name}`));
    const begin = performance.now();
    const args = ["run", "--silent", "bench", "--workspace", name];
    const { code } = await children.run(name, "npm", args, { cwd: root, inherit: true });
    terminal.line(terminal.style("dim", `${name} took ${formatDuration(performance.now() - begin)}`));
    if (code !== 0) failed.push(name);
  }
  terminal.line();
  terminal.line(failed.length === 0 ? `${names.length} benchmarks ran.` : `Failed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
});
