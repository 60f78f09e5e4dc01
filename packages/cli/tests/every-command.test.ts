/** Every command, from the tree itself: a mistake ends with a hint and an exit code, and leaves no file. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Command } from "../src/command-line/command.ts";
import { type Flag, listFlags } from "../src/command-line/flag.ts";
import { COMMANDS } from "../src/commands.ts";
import { main } from "../src/main.ts";
import { FakeTerminal } from "../src/testing/fake-terminal.ts";
import { ServedThv, type ThvResult } from "../src/testing/served-thv.ts";

const joinWords = ({ path }: Command) => path.join(" ");
const commands = COMMANDS.map((command) => [joinWords(command), command] as const);

/** Arguments that are well formed, and name what there is not. */
function listArguments(command: Command): string[] {
  const words = command.positionals.filter(({ isOptional }) => !isOptional).map(() => "nope");
  const required = listFlags(command)
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => `--${name}=nope`);
  return [...words, ...required];
}

/** One line that says what happened, and never a stack. */
function expectRefusal({ code, stderr }: ThvResult, expected?: number): void {
  if (expected === undefined) expect([0, 70]).not.toContain(code);
  else expect(code).toBe(expected);
  expect(stderr).toMatch(/^(?:.*\n)*?Error: \S/);
  expect(stderr).not.toMatch(/\n\s+at |This is a bug/);
}

describe("a command line that is wrong", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "thv-every-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  /** Without a supervisor: a usage error has to come before the command searches anything. */
  async function thv(argv: readonly string[]): Promise<ThvResult> {
    const fake = new FakeTerminal({ env: { HOME: home } });
    const code = await main({ ...fake.options, argv, signal: new AbortController().signal });
    return { code, stdout: fake.stdout, stderr: fake.stderr };
  }

  async function expectUsageError(argv: readonly string[], part: string): Promise<void> {
    const ran = await thv(argv);

    expectRefusal(ran, 64);
    expect(ran.stderr).toContain(part);
    expect(ran.stderr).toContain("\nHint: ");
    expect(ran.stdout).toBe("");
    expect(await readdir(home)).toEqual([]);
  }

  const needing = commands.filter(([, { positionals }]) => positionals.some(({ isOptional }) => !isOptional));
  test.each(needing)("%s without its argument names it", async (_words, command) => {
    await expectUsageError(command.path, command.positionals[0]?.name ?? "");
  });

  // One that accepts any number of names has no argument too many.
  const bounded = commands.filter(
    ([, { takesRest, positionals }]) => !takesRest && positionals.at(-1)?.isRepeated !== true,
  );
  test.each(bounded)("%s with an argument too many names it", async (_words, command) => {
    const words = command.positionals.map(() => "nope");
    const required = listArguments(command).filter((word) => word.startsWith("--"));
    await expectUsageError([...command.path, ...words, ...required, "surplus-one", "surplus-two"], "surplus-one");
  });

  test.each(commands)("%s with an unknown flag names it", async (_words, command) => {
    await expectUsageError([...command.path, ...listArguments(command), "--frobnicate"], '"--frobnicate"');
  });

  const typed = commands.flatMap(([words, command]) =>
    listFlags(command)
      .filter(isChecked)
      .map((flag) => [words, flag.name, command] as const),
  );
  test.each(typed)("%s --%s with a value of the wrong kind names flag and value", async (_words, flag, command) => {
    await expectUsageError([...command.path, ...listArguments(command), `--${flag}=no such thing`], "no such thing");
  });

  const valued = commands.flatMap(([words, command]) =>
    listFlags(command)
      .filter(({ kind }) => kind !== "bool")
      .map((flag) => [words, flag.name, command] as const),
  );
  test.each(valued)("%s --%s without a value says so", async (_words, flag, command) => {
    await expectUsageError([...command.path, ...listArguments(command), `--${flag}`], `--${flag} needs a value`);
  });

  test.each(commands)("%s --help fits into 20 columns, but for words that are longer", async (_words, command) => {
    const fake = new FakeTerminal({ columns: 20, env: { HOME: home } });
    const argv = [...command.path, "--help"];

    expect(await main({ ...fake.options, argv, signal: new AbortController().signal })).toBe(0);

    const tooLong = fake.stdout.split("\n").filter((line) => line.length > 20 && /\S\s+\S/.test(line.trim()));
    // Commands and their examples are copied, so they stay in one piece.
    const examples = command.examples.map((example) => example.command);
    const isCopied = (line: string) => /^(?:thv|-\w, --|--)/.test(line) || examples.includes(line);
    expect(tooLong.filter((line) => !isCopied(line.trim()))).toEqual([]);
  });
});

function isChecked({ kind, values }: Flag): boolean {
  return ["int", "port", "float", "duration", "memory"].includes(kind) || values !== undefined;
}

describe("a home that cannot be used", () => {
  let file: string;
  beforeEach(async () => {
    file = join(await mkdtemp(join(tmpdir(), "thv-no-home-")), "file");
    await writeFile(file, "");
  });
  afterEach(() => rm(join(file, ".."), { recursive: true, force: true }));

  test.each(commands)("%s says which path it is, or does without", async (_words, command) => {
    const env = {
      HOME: file,
      ...{ XDG_STATE_HOME: join(file, "s"), XDG_DATA_HOME: join(file, "d"), XDG_CONFIG_HOME: join(file, "c") },
      // None of this machine's: `thv doctor` searches one by itself.
      DOCKER_HOST: `unix://${join(file, "engine.sock")}`,
    };
    const fake = new FakeTerminal({ env, input: "" });
    const argv = [...command.path, ...listArguments(command)];

    const code = await main({ ...fake.options, argv, signal: new AbortController().signal });

    expect(code).not.toBe(70);
    expect(fake.stderr).not.toContain("This is a bug");
    expect(await readdir(join(file, ".."))).toEqual(["file"]);
  });
});

describe("what does not exist, and an engine that is away", () => {
  let world: ServedThv;
  beforeEach(async () => {
    world = await ServedThv.start();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  test.each([
    [["restart", "nope"], 3],
    [["logs", "nope"], 3],
    [["export", "nope"], 3],
    [["registry", "info", "nope"], 3],
    [["secret", "get", "nope"], 5],
    [["secret", "delete", "nope"], 5],
    [["secret", "provider", "nope"], 64],
    [["client", "register", "nope"], 2],
    [["client", "remove", "nope"], 2],
    [["client", "undo", "nope"], 2],
    [["run", "no/such:1"], 3],
    [["run", "--from-config", "/nonexistent/nope.json"], 2],
    [["config", "set-ca-cert", "/nonexistent/nope.pem"], 2],
    [["config", "set-registry-url", "/nonexistent/nope.json"], 11],
    [["frobnicate"], 64],
  ] as const)("%j exits %i, names it, and leaves nothing", async (argv, code) => {
    const ran = await world.call(argv);

    expectRefusal(ran, code);
    expect(ran.stdout).toBe("");
    expect([world.served.supervisor.list(), world.served.world.containers]).toEqual([[], []]);
  });

  test.each([
    [["run", "--name", "second", "mcp/echo:1"], 6],
    [["run", "--dry-run", "mcp/echo:1"], 6],
    [["restart", "echo"], undefined],
  ] as const)("%j without an engine says that there is none", async (argv, code) => {
    await world.call(["run", "--name", "echo", "mcp/echo:1"]);
    world.served.world.engine.goDown();

    const ran = await world.call(argv);

    expectRefusal(ran, code);
    expect(world.served.supervisor.list().map(({ name }) => name)).toEqual(["echo"]);
  });

  test("logs of a server on stdio are there without an engine", async () => {
    await world.call(["run", "--name", "echo", "mcp/echo:1"]);
    world.served.world.engine.goDown();

    expect(await world.call(["logs", "echo"])).toEqual({ code: 0, stdout: "echo: ready\n", stderr: "" });
  });

  test.each([[["list", "--all"]], [["version"]], [["client", "status"]], [["registry", "list"]]] as const)(
    "%j needs no engine",
    async (argv) => {
      world.served.world.engine.goDown();

      expect((await world.call(argv)).code).toBe(0);
    },
  );
});
