/** The scripts in real shells: keys are pressed in bash and zsh on a terminal; fish is asked in its own way. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { runCommand } from "@toolhive/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BundledThv, bundleThv } from "../testing/bundle-thv.ts";
import { InteractiveShell, missingProgram } from "../testing/interactive-shell.ts";

const TAB = "\t";
/** Empties the line. */
const CLEAR = "\u0015";
/** Goes to the beginning of the line, makes it the arguments of a command that shows them, and runs it. */
const SHOW_LINE = "\u0001printf '<%s>' \u0005\n";

/** What is typed, and the words that the line has to hold afterwards. */
const CASES: readonly (readonly [typed: string, words: readonly string[]])[] = [
  ["thv vers", ["thv", "version"]],
  ["thv config otel set-e", ["thv", "config", "otel", "set-en"]],
  ["thv stop my-s", ["thv", "stop", "my-server"]],
  ["thv logs pr", ["thv", "logs", "prune"]],
  ["thv list --form", ["thv", "list", "--format"]],
  ["thv list --format=j", ["thv", "list", "--format=json"]],
  ["thv list --format mcps", ["thv", "list", "--format", "mcpservers"]],
  ["thv run everyth", ["thv", "run", "everything"]],
  ["thv client register claude-c", ["thv", "client", "register", "claude-code"]],
  ["thv secret set x --file val", ["thv", "secret", "set", "x", "--file", "value.txt"]],
  ["thv --debug help envi", ["thv", "--debug", "help", "environment"]],
];

let bundled: BundledThv;
let env: Record<string, string>;

beforeAll(async () => {
  bundled = await bundleThv();
  const { directory, program } = bundled;
  const [bin, work, state] = ["bin", "work", "state"].map((name) => join(directory, name)) as [string, string, string];
  await mkdir(bin);
  await mkdir(work);
  await mkdir(join(state, "toolhive/runconfigs"), { recursive: true });
  await writeFile(join(state, "toolhive/runconfigs/my-server.json"), "{}");
  await writeFile(join(work, "value.txt"), "v");
  await writeFile(join(bin, "node-thv"), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 });
  await symlink(join(bin, "node-thv"), join(bin, "thv"));
  env = {
    HOME: directory,
    PATH: [bin, process.env.PATH ?? ""].join(delimiter),
    XDG_STATE_HOME: state,
    XDG_CONFIG_HOME: join(directory, "config"),
    XDG_DATA_HOME: join(directory, "data"),
    TERM: "xterm",
    LANG: "C.UTF-8",
  };
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await runCommand(join(bin, "thv"), ["completion", shell], { env });
    await writeFile(join(directory, `completion.${shell}`), stdout);
    const plain = await runCommand(join(bin, "thv"), ["completion", shell, "--no-descriptions"], { env });
    await writeFile(join(directory, `plain.${shell}`), plain.stdout);
  }
}, 60_000);
afterAll(async () => {
  await bundled[Symbol.asyncDispose]();
});

/** A shell that has read the script and shows `ready>` as its prompt. */
async function openShell(shell: "bash" | "zsh", script = "completion"): Promise<InteractiveShell> {
  const file = join(bundled.directory, `${script}.${shell}`);
  const start = { bash: "bash --norc --noprofile -i", zsh: "zsh -f -i" }[shell];
  const init = {
    bash: `PS1='read''y> '; source ${file}\n`,
    zsh: `PROMPT='read''y> '; LISTMAX=1000; unsetopt AUTO_MENU LIST_BEEP; autoload -U compinit && compinit -u -D && source ${file}\n`,
  }[shell];
  const session = new InteractiveShell(start, { cwd: join(bundled.directory, "work"), env });
  await session.type(init, "ready> ");
  return session;
}

describe.each(["bash", "zsh"] as const)("completion in %s", (shell) => {
  const missing = missingProgram(shell, "script");
  const title = missing === undefined ? "" : ` (left out: ${missing} is not installed)`;

  test.skipIf(missing !== undefined)(`completes commands, flags, values, names and files${title}`, async () => {
    await using session = await openShell(shell);

    for (const [typed, words] of CASES) {
      // The words appear as the output of printf only: what is typed has no "<".
      const shown = words.map((word) => `<${word}>`).join("");
      session.press(typed + TAB);
      await session.type(SHOW_LINE, shown);
    }
  });

  test.skipIf(missing !== undefined)(`lists what is possible with what it is${title}`, async () => {
    await using session = await openShell(shell);

    const screen = await session.type(
      `thv client re${TAB}${TAB}`,
      /Keep a client's settings up to date with the servers/,
    );
    expect(screen).toMatch(/register.*\n?.*remove/s);
    await session.type(CLEAR, "");
  });

  test.skipIf(missing !== undefined)(`lists names alone with --no-descriptions${title}`, async () => {
    await using session = await openShell(shell, "plain");

    const screen = await session.type(`thv client re${TAB}${TAB}`, /register\s+remove/);

    expect(screen).not.toContain("Let a client");
  });
});

describe("completion in fish", () => {
  const missing = missingProgram("fish");
  const title = missing === undefined ? "" : ` (left out: ${missing} is not installed)`;

  async function ask(line: string, script = "completion"): Promise<string[]> {
    const code = `source ${join(bundled.directory, `${script}.fish`)}; complete -C ${JSON.stringify(line)}`;
    const { stdout, stderr } = await runCommand("fish", ["--no-config", "-c", code], {
      cwd: join(bundled.directory, "work"),
      env,
    });
    expect(stderr).toBe("");
    return stdout.trimEnd().split("\n");
  }

  test.skipIf(missing !== undefined)(`completes commands, flags, values, names and files${title}`, async () => {
    for (const [typed, words] of CASES) {
      const candidates = (await ask(typed)).map((line) => line.split("\t")[0]);
      expect(candidates, typed).toEqual(typed.endsWith("set-e") ? ["set-endpoint", "set-env-vars"] : [words.at(-1)]);
    }
  });

  test.skipIf(missing !== undefined)(`shows what each is, and not with --no-descriptions${title}`, async () => {
    expect(await ask("thv client reg")).toEqual(["register\tKeep a client's settings up to date with the servers"]);
    expect(await ask("thv client reg", "plain")).toEqual(["register"]);
  });
});

test("the script for PowerShell asks thv in the same way", async () => {
  const { stdout } = await runCommand(join(bundled.directory, "bin/thv"), ["completion", "powershell"], { env });

  expect(stdout).toContain("Register-ArgumentCompleter -Native -CommandName 'thv'");
  expect(stdout).toContain("__complete --then-empty -- @words");
});
