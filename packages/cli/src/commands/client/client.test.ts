/** What several clients at a time, and entries of the user's own, come to on the command line. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let world: ServedThv;

beforeEach(async () => {
  world = await ServedThv.start();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

/** @returns Where the file is, on the simulated machine. */
async function install(folder: string, content: string): Promise<string> {
  const path = join(world.served.home, folder, "mcp.json");
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  return path;
}

const registered = async () =>
  (JSON.parse((await world.call(["client", "list-registered", "--format", "json"])).stdout) as { name: string }[]).map(
    ({ name }) => name,
  );

test("setup --all registers the others when one file is damaged, and names that one", async () => {
  await install(".cursor", "{ not json");
  const sound = join(world.served.home, ".claude.json");
  await writeFile(sound, "{}");
  await world.call(["run", "--name", "echo", "mcp/echo:1"]);

  const { code, stdout, stderr } = await world.call(["client", "setup", "--all"]);

  expect(code).toBe(14);
  expect(stdout).toContain("Registered: claude-code");
  expect(stderr).toMatch(/1 of \d+ clients could not be registered\. cursor: .*mcp\.json of Cursor cannot be edited/);
  expect(await registered()).toEqual(["claude-code"]);
  expect(await readFile(join(world.served.home, ".cursor/mcp.json"), "utf8")).toBe("{ not json");
});

test("run, stop, group add and remove name a client's file that they could not change, and do their work", async () => {
  const path = await install(".cursor", "{}");
  await world.call(["client", "register", "cursor"]);
  await world.call(["run", "--name", "first", "mcp/echo:1"]);
  await world.call(["group", "create", "work"]);
  await writeFile(path, "{ not json");
  const warning = `Warning: ${path} of Cursor cannot be edited: line 1 is not JSON. Correct the file. It was not changed.`;

  for (const args of [
    ["run", "--name", "mine", "mcp/echo:1"],
    ["run", "--dry-run", "--name", "other", "mcp/echo:1"],
    ["stop", "mine"],
    ["rm", "mine"],
    ["group", "add", "work", "first"],
    ["client", "remove", "cursor"],
  ]) {
    const { code, stderr } = await world.call(args);
    expect([args.join(" "), code]).toEqual([args.join(" "), 0]);
    expect(stderr).toContain(args.includes("--dry-run") ? `${path} of Cursor cannot be edited` : warning);
  }

  expect(await readFile(path, "utf8")).toBe("{ not json");
  expect((await world.call(["run", "--name", "last", "mcp/echo:1"])).stderr).not.toContain("cannot be edited");
});

test("register and setup name a file that cannot be changed before any server runs", async () => {
  const path = await install(".cursor", "{}");
  await chmod(path, 0o444);

  const register = await world.call(["client", "register", "cursor"]);
  const setup = await world.call(["client", "setup", "--all"]);

  for (const { code, stderr } of [register, setup]) {
    expect(code).toBe(14);
    expect(stderr).toContain(`${path} of Cursor cannot be changed: it is read-only`);
  }
  expect(await registered()).toEqual([]);
});

test("run says whose entry of the user's own it takes the place of, and register does", async () => {
  const notice = 'cursor had an entry "mine" of your own; that of the server takes its place.';
  await install(".cursor", '{ "mcpServers": { "mine": { "command": "my-server" } } }');
  await world.call(["client", "register", "cursor"]);

  const run = await world.call(["run", "--name", "mine", "mcp/echo:1"]);
  const other = await world.call(["run", "--name", "other", "mcp/echo:1"]);
  await world.call(["client", "undo", "cursor", "--yes"]);
  const again = await world.call(["client", "register", "cursor"]);

  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining(notice) });
  expect(other.stderr).not.toContain("of your own");
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(notice) });
});

test("a client that is registered for a group says so, and a slip is answered with the one that was meant", async () => {
  await world.call(["group", "create", "work"]);

  expect((await world.call(["client", "register", "cursor", "--group", "work"])).stdout).toBe(
    "cursor is registered for work.\n",
  );
  for (const verb of ["register", "remove"])
    expect(await world.call(["client", verb, "cursr"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Hint: Did you mean cursor? Use one of: "),
    });
});

test("a long undo is a screen on a terminal, with the number of the other lines, and whole in a pipe", async () => {
  await install(".cursor", "{}");
  for (let index = 0; index < 8; index += 1) await world.call(["run", "--name", `server-${index}`, "mcp/echo:1"]);
  await world.call(["client", "register", "cursor"]);
  const undo = ["client", "undo", "cursor", "--dry-run"];

  const seen = (await world.call(undo, { isTty: true, columns: 100 })).stdout;
  const piped = (await world.call(undo)).stdout;

  expect(seen.split("\n").length).toBeLessThan(20);
  expect(seen).toMatch(/… \d+ more lines: \d+ lines are added and \d+ removed in all\. All of them: --format json/);
  for (let index = 0; index < 8; index += 1) expect(piped).toContain(`server-${index}`);
});
