import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "@toolhive/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isShown } from "../command-line/command.ts";
import { listFlags } from "../command-line/flag.ts";
import { COMMAND_GROUPS, COMMANDS } from "../commands.ts";
import { missingProgram } from "../testing/interactive-shell.ts";
import { manPages } from "./man-pages.ts";

const pages = manPages({ version: "v1.2.3", date: "2025-07-20" });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "thv-man-"));
  for (const { file, text } of pages) await writeFile(join(folder, file), text);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe("the manual", () => {
  test("has a page for thv, and for each command and group", () => {
    const nodes = [...COMMANDS.filter(isShown), ...COMMAND_GROUPS];

    expect(pages.map(({ file }) => file).sort()).toEqual(
      ["thv.1", ...nodes.map(({ path }) => `${["thv", ...path].join("-")}.1`)].sort(),
    );
  });

  const man = missingProgram("man", "mandoc");
  const title = man === undefined ? "" : ` (left out: ${man} is not installed)`;

  test.skipIf(man !== undefined)(`has nothing that mandoc finds wrong${title}`, async () => {
    const files = pages.map(({ file }) => join(folder, file));
    const { stdout, stderr } = await runCommand("mandoc", ["-Tlint", "-Wwarning", ...files]);

    expect(stdout + stderr).toBe("");
  });

  test.skipIf(man !== undefined)(`is shown by man without a warning, with every option${title}`, async () => {
    for (const [file, command] of [
      ["thv-proxy.1", COMMANDS.find(({ path }) => path[0] === "proxy")],
      ["thv-list.1", COMMANDS.find(({ path }) => path[0] === "list")],
    ] as const) {
      const env = { PATH: process.env.PATH, MANWIDTH: "80", LC_ALL: "C.UTF-8" };
      const { code, stdout, stderr } = await runCommand("man", ["--warnings", "-l", join(folder, file)], { env });

      expect([code, stderr]).toEqual([0, ""]);
      for (const { name, hidden } of listFlags(command ?? { flags: {} }))
        expect(stdout.includes(`--${name}`)).toBe(hidden !== true);
      expect(stdout).toMatch(/^SEE ALSO\n +thv\(1\)$/m);
    }
  });
});
