import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { describe, expect, test } from "vitest";

const SETTINGS = '{\n  // mine\n  "theme": "dark"\n}\n';

async function installCursor(home: ThrowawayHome): Promise<string> {
  await mkdir(join(home.path, ".cursor"));
  const path = join(home.path, ".cursor/mcp.json");
  await writeFile(path, SETTINGS);
  return path;
}

describeEngines("a registered client on $kind", (engine) => {
  test("gets a server's address when it runs, and its settings back to the byte when it is gone", async () => {
    await using home = await ThrowawayHome.create();
    const path = await installCursor(home);
    await runThv(["client", "register", "cursor"], { home, engine });

    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });

    const url = run.stdout.trim().split(" ").at(-1) ?? "none";
    const whileItRuns = await readFile(path, "utf8");
    expect(whileItRuns).toContain(`"url": "${url}"`);
    expect(whileItRuns).toContain('// mine\n  "theme": "dark"');
    await runThv(["stop", "everything"], { home, engine });
    expect(await readFile(path, "utf8")).toBe(SETTINGS);
    await runThv(["restart", "everything"], { home, engine });
    expect(await readFile(path, "utf8")).toContain(`"url": "${url}"`);
    await runThv(["rm", "everything"], { home, engine });
    expect(await readFile(path, "utf8")).toBe(SETTINGS);
  });
});

describe("thv client", () => {
  test("registers, shows and removes clients without an engine", async () => {
    await using home = await ThrowawayHome.create();
    await installCursor(home);
    const steps: [args: string[], stdout: unknown][] = [
      [["setup", "--all"], "Registered: cursor\n"],
      [["list-registered"], "Registered clients:\n  - cursor\n"],
      [
        ["status"],
        expect.stringMatching(/^CLIENT TYPE +INSTALLED +REGISTERED\nroo-code +no +no\n(.*\n)*cursor +yes +yes\n/),
      ],
      [["register", "VSCode"], "vscode is registered.\n"],
      [
        ["list-registered", "--format", "json"],
        `${JSON.stringify(
          ["cursor", "vscode"].map((name) => ({ name, groups: ["default"] })),
          null,
          2,
        )}\n`,
      ],
      [["remove", "cursor"], "cursor is not registered.\n"],
    ];

    for (const [args, stdout] of steps) {
      const result = await runThv(["client", ...args], { home });
      expect({ args, ...result }).toMatchObject({ code: 0, stdout });
    }
  });

  test.each([
    [["register", "emacs"], 2, 'There is no client "emacs".'],
    [["remove", "emacs"], 2, 'There is no client "emacs".'],
    [["setup"], 64, "thv client setup asks questions, and this is not a terminal."],
  ])("%j fails with exit code %d and says why", async (args, code, reason) => {
    await using home = await ThrowawayHome.create();
    await installCursor(home);

    const result = await runThv(["client", ...args], { home });

    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(reason) });
  });
});
