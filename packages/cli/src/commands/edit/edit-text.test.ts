/** `thv edit` in an editor that is a script, against a supervisor over a simulated machine. */
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
  await mkdir(join(thv.home, "tmp"));
  await thv.call([
    ...[
      "run",
      "--name",
      "first",
      "--env",
      "UNITS=metric",
      "--env",
      "API_TOKEN=hunter2",
      "--memory",
      "1g",
      "mcp/echo:1",
    ],
    ...["--", "-v"],
  ]);
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const readRequest = async (): Promise<Record<string, unknown>> => {
  const client = new ApiClient({ socketPath: thv.files.socket });
  return { ...(await client.call("exportWorkload", { params: { name: "first" } })) };
};

/** An editor that runs these lines of a shell the first time, the second time and so on; `$1` is the file. */
async function makeEditor(...turns: readonly string[]): Promise<string> {
  const path = join(thv.home, "editor.sh");
  const cases = turns.map((lines, index) => `${index}) ${lines};;`).join("\n");
  const count = join(thv.home, "count");
  await writeFile(count, "");
  const script = `#!/bin/sh\nn=$(wc -l < "${count}")\ncp "$1" "${thv.home}/seen.$((n))"\necho >> "${count}"\ncase $((n)) in\n${cases}\n*) exit 9;;\nesac\n`;
  await writeFile(path, script);
  await chmod(path, 0o700);
  return path;
}

async function edit(editor: string, answers: readonly (readonly [string, string])[] = [], ...flags: readonly string[]) {
  const tmp = process.env.TMPDIR;
  process.env.TMPDIR = join(thv.home, "tmp");
  try {
    return await thv.call(["edit", "first", ...flags], { isTty: true, answers, env: { VISUAL: editor } });
  } finally {
    if (tmp === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = tmp;
  }
}

const listLeft = async () => await readdir(join(thv.home, "tmp"));

test("an editor gets the settings as a project file, and what is saved is applied", async () => {
  const editor = await makeEditor('sed -i "s/metric/imperial/; s/memory: 1g/memory: 512m/" "$1"');

  const edited = await edit(`${editor} `, [["Change first, and restart it?", "y"]]);

  expect(edited.code, edited.stderr).toBe(0);
  expect(await readFile(join(thv.home, "seen.0"), "utf8")).toMatch(
    /^# Settings of first.*\nservers:\n {2}first:\n {4}run: mcp\/echo:1\n {4}args:\n {6}- -v\n {4}env:\n {6}UNITS: metric\n {6}API_TOKEN: hunter2\n/s,
  );
  expect(edited.stdout).toMatch(/^first is changed \(env\.UNITS, memory\): http/);
  expect(await readRequest()).toMatchObject({
    env_vars: ["UNITS=imperial", "API_TOKEN=hunter2"],
    limits: { memory_bytes: 512 * 1024 * 1024 },
    cmd_arguments: ["-v"],
  });
  expect(await listLeft()).toEqual([]);
});

test("a text that is saved as it was changes nothing, and one with other comments neither", async () => {
  const before = await readRequest();
  const editor = await makeEditor(":", 'echo "# mine" >> "$1"');

  expect((await edit(editor)).stderr).toContain("Nothing was changed.");
  expect((await edit(editor)).stdout).toContain("first already has these settings.");

  expect(await readRequest()).toEqual(before);
  expect(await listLeft()).toEqual([]);
});

test("a mistake is shown with its line, and the editor opens again with the text", async () => {
  const editor = await makeEditor(
    'sed -i "s/metric/imperial/; s/memory:/memmory:/" "$1"',
    'sed -i "s/memmory:/memory:/" "$1"',
  );

  const edited = await edit(editor, [
    ["Open the editor again?", "y"],
    ["Change first, and restart it?", "y"],
  ]);

  expect(edited.code, edited.stderr).toBe(0);
  expect(edited.stderr).toMatch(/line 14: .*memmory/);
  expect(await readFile(join(thv.home, "seen.1"), "utf8")).toContain("UNITS: imperial");
  expect(await readRequest()).toMatchObject({ env_vars: ["UNITS=imperial", "API_TOKEN=hunter2"] });
});

test.each([
  ["is no YAML", 'echo "{" > "$1"'],
  ["renames the server", 'sed -i "s/^  first:/  second:/" "$1"'],
  ["has another server, too", 'echo "  second: { run: mcp/echo:1 }" >> "$1"'],
  ["puts it into a group", 'echo "    groups: [work]" >> "$1"'],
  ["takes an image that there is not", 'sed -i "s#mcp/echo:1#mcp/nowhere:1#" "$1"'],
])("a text that %s is kept when its user gives up", async (_what, lines) => {
  const before = await readRequest();

  const edited = await edit(await makeEditor(lines), [["Open the editor again?", "n"]], "--yes");

  expect(edited.code).not.toBe(0);
  const [, path = ""] = /Your text is kept in (\S+)/.exec(edited.stderr) ?? [];
  expect(await readFile(path, "utf8")).not.toBe("");
  expect(await readRequest()).toEqual(before);
});

test("an editor that fails or is not there changes nothing", async () => {
  const before = await readRequest();

  expect((await edit(await makeEditor("exit 3"))).stderr).toContain("ended with code 3");
  expect((await edit("/nowhere/editor")).stderr).toContain("ended with code 127");

  expect(await readRequest()).toEqual(before);
  expect(await listLeft()).toEqual([]);
});
