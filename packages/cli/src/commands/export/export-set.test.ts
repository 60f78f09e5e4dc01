/** `thv export --all` and `--group`: what runs here as a file, and the same from that file on a second home. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

async function run(...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await thv.call(argv);
  expect([argv, code, stderr]).toEqual([argv, 0, expect.any(String)]);
  return stdout;
}

async function startSet(): Promise<void> {
  await run("group", "create", "work", "--find-tools");
  await run("run", "--name", "first", "--group", "work", "--env", "UNITS=metric", "--memory", "512m", "mcp/echo:1");
  await run("run", "--name", "second", "--sleep-after", "10m", "mcp/echo:1");
  await run("client", "register", "cursor", "--group", "work");
}

describe("export of a set", () => {
  test("prints the project file, or writes it for its owner alone and names the next command", async () => {
    await startSet();
    const path = join(thv.home, "set.yaml");

    const printed = await run("export", "--all");
    const written = await thv.call(["export", "--all", path]);

    expect(printed).toMatch(/^servers:\n {2}first:\n {4}run: mcp\/echo:1\n {4}env:\n {6}UNITS: metric\n/);
    expect(printed).toMatch(/groups:\n {2}work:\n(?: {4}.*\n)* {4}clients:\n {6}- cursor\n/);
    expect(await readFile(path, "utf8")).toBe(printed);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(written).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `${path} has 2 servers. Start them on another machine: thv up --file ${path}\n`,
    });
  });

  test("of a group has that group's servers, and a project of its name or another", async () => {
    await startSet();

    expect(await run("export", "--group", "work")).toMatch(/^name: work\nservers:\n {2}first:/);
    expect(await run("export", "--group", "work", "-", "--project-name", "shop")).toMatch(/^name: shop\n/);
    expect(JSON.parse(await run("export", "--group", "work", "--format", "json"))).toMatchObject({
      servers: ["first"],
      groups: ["work"],
      secrets: [],
      left_out: [],
    });
    expect((await thv.call(["export", "--group", "absent"])).stderr).toContain('There is no group "absent"');
  });

  test("names what it leaves out, and does not write it", async () => {
    await run("run", "--name", "first", "--env", "API_TOKEN=hunter2", "mcp/echo:1");

    const { stdout, stderr } = await thv.call(["export", "--all"]);

    expect(stdout).not.toContain("hunter2");
    expect(stdout).toContain("API_TOKEN: first-api-token");
    expect(stderr).toContain(
      "Left out: first: env.API_TOKEN: its value looks secret; store it on each machine: thv secret set first-api-token.",
    );
  });

  test("replaces a file only after a question or with --force, and leaves it whole when it cannot be written", async () => {
    await startSet();
    const path = join(thv.home, "set.yaml");
    await writeFile(path, "mine");

    expect((await thv.call(["export", "--all", path])).stderr).toContain("already exists");
    expect(await readFile(path, "utf8")).toBe("mine");
    expect((await thv.call(["export", "--all", join(path, "below-a-file"), "--force"])).code).not.toBe(0);
    expect(await readFile(path, "utf8")).toBe("mine");
    await run("export", "--all", path, "--force");
    expect(await readFile(path, "utf8")).toContain("servers:");
  });

  test.each([
    [["export"], "thv export needs NAME, --group or --all"],
    [["export", "--all", "--group", "work"], "--all or --group, and not both"],
    [["export", "--all", "a.yaml", "b.yaml"], 'not also "b.yaml"'],
    [["export", "--all", "--format", "k8s"], "--format k8s is for one server"],
    [["export", "one", "--project-name", "shop"], "--project-name is for --all and --group"],
  ])("%j is refused", async (argv, message) => {
    const { code, stderr } = await thv.call(argv);

    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });
});
