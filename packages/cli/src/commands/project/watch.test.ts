/** `thv up --watch`: saves are applied, mistakes are survived, and grants are asked about. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

const WAIT = { timeout: 20_000, interval: 20 };

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const placeFile = (name: string) => join(thv.home, name);
const server = (members: string) => `servers:\n  first: { run: "mcp/echo:1"${members} }\n`;
/** As editors do: a whole file takes the place of the old one. */
async function save(text: string, name = "thv.yaml"): Promise<void> {
  await writeFile(placeFile("new"), text);
  await rename(placeFile("new"), placeFile(name));
}
const begin = (...more: readonly string[]) =>
  thv.begin(["up", "--file", placeFile("thv.yaml"), "--watch", "--yes", ...more]);
const count = (text: string, part: string) => text.split(part).length - 1;

test("a save is shown and applied, also of a file that it extends, until the command is ended", async () => {
  await save(server(""), "base.yaml");
  await save('extends: [base.yaml]\nservers:\n  second: { run: "mcp/echo:1" }\n');
  const watching = begin();
  await expect.poll(() => watching.output.stderr, WAIT).toContain("to be saved; Ctrl-C ends this.");
  expect(watching.output.stdout).toContain("first is created");

  await save(server(", memory: 512m"), "base.yaml");
  await expect.poll(() => watching.output.stdout, WAIT).toContain("first is changed (memory)");
  expect(watching.output.stderr).toContain("~ first differs:\n    memory");

  await watching[Symbol.asyncDispose]();
  expect(await watching.done).toBe(0);
});

test("each of several files is followed", async () => {
  await save(server(""), "base.yaml");
  await save('servers:\n  second: { run: "mcp/echo:1" }\n', "own.yaml");
  const watching = thv.begin([
    "up",
    ...["base.yaml", "own.yaml"].flatMap((name) => ["--file", placeFile(name)]),
    "--watch",
    "--yes",
  ]);
  await expect.poll(() => watching.output.stderr, WAIT).toContain("to be saved; Ctrl-C ends this.");

  await save(server(", memory: 512m"), "base.yaml");
  await expect.poll(() => watching.output.stdout, WAIT).toContain("first is changed (memory)");
  await save('servers:\n  second: { run: "mcp/echo:1", memory: 256m }\n', "own.yaml");
  await expect.poll(() => watching.output.stdout, WAIT).toContain("second is changed (memory)");
  await watching[Symbol.asyncDispose]();
});

test("a save that cannot be read is reported with its line, and the next one is applied", async () => {
  await save(server(""));
  const watching = begin();
  await expect.poll(() => watching.output.stderr, WAIT).toContain("Waiting for");

  await save("servers:\n  first: { run: [");
  await expect.poll(() => watching.output.stderr, WAIT).toContain("Error: ");
  expect(watching.output.stderr).toContain("line 2");
  expect(thv.served.world.engine.find("first")).toBeDefined();
  await expect.poll(() => count(watching.output.stderr, "Waiting for"), WAIT).toBe(2);

  await save(server(", memory: 512m"));
  await expect.poll(() => watching.output.stdout, WAIT).toContain("first is changed (memory)");
  await watching[Symbol.asyncDispose]();
});

test("what a later save brings is not allowed by --yes", async () => {
  await save(server(""));
  const watching = begin();
  await expect.poll(() => watching.output.stderr, WAIT).toContain("Waiting for");

  await save(server(", args: [--all]"));

  await expect.poll(() => watching.output.stderr, WAIT).toContain("needs your permission for first");
  expect(thv.served.supervisor.getUsable("first").config.cmd_args).toEqual([]);
  await watching[Symbol.asyncDispose]();
});

test("a project at an image registry has no file to watch", async () => {
  const { code, stderr } = await thv.call(["up", "oci://localhost:1/a/b", "--watch"]);

  expect([code, stderr]).toEqual([64, expect.stringContaining("--watch is for a file")]);
});
