/** An engine that is installed and stopped, and a person who is asked to start it. */
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import { describeStart } from "@toolhive/engine";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { followSocket } from "../../supervisor/supervisor-files.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { ServedThv } from "../../testing/served-thv.ts";
import { withEngine } from "./engine-start.ts";

const WAIT = { timeout: 20_000, interval: 10 };
const COLIMA = { name: "Colima", command: "colima start" };
const QUESTION = "Start it with";
const RUN = ["run", "mcp/echo:1"];

let world: ServedThv;
let programs: string;
let started: string;

beforeEach(async () => {
  world = await ServedThv.start();
  programs = join(world.home, "programs");
  started = join(world.home, "started");
  await mkdir(programs);
  await install(`echo "$@" > '${started}'`);
  engine().goDown({ hint: describeStart(COLIMA) });
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const engine = () => world.served.world.engine;
/** Only programs of the test's own are on this path. */
const env = () => ({ PATH: programs });
const ask = (answer: string, argv = RUN, signal?: AbortSignal) =>
  world.call(argv, { isTty: true, env: env(), answers: [[QUESTION, answer]], signal });

async function install(script: string): Promise<void> {
  await writeFile(join(programs, "colima"), `#!/bin/sh\n${script}\n`);
  await chmod(join(programs, "colima"), 0o755);
}

// The programs on the path are scripts for sh.
describe.skipIf(process.platform === "win32")("a stopped engine (not on Windows, where a script is no program)", () => {
  test("is started when Enter is pressed, and the command goes on", async () => {
    const running = ask("");
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), WAIT);
    engine().comeUp();

    const { code, stdout, stderr } = await running;

    expect([code, stderr]).toEqual([0, expect.stringContaining('Start it with "colima start"?')]);
    expect(stderr).toContain("Waiting for Colima to answer");
    expect(stdout).toContain("echo is running at ");
    expect(await readFile(started, "utf8")).toBe("start\n");
  });

  test("stays stopped when the answer is no, with the message that a pipe gets without a question", async () => {
    const no = await ask("n");
    const piped = await world.call(RUN, { env: env() });

    expect(piped).toMatchObject({ code: 6, stdout: "" });
    expect(piped.stderr).toContain("Hint: Colima is installed and does not answer. Start it: colima start\n");
    expect(piped.stderr).not.toContain(QUESTION);
    expect(no.code).toBe(6);
    expect(no.stderr).toContain("does not answer. Start it: colima start");
    expect(existsSync(started)).toBe(false);
  });

  test("is started before servers are restarted, with one question for all of them", async () => {
    engine().comeUp();
    for (const name of ["one", "two"]) await world.call(["run", "--name", name, "mcp/echo:1"]);
    engine().goDown({ hint: describeStart(COLIMA) });
    const running = ask("", ["restart", "--all"]);
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), WAIT);
    engine().comeUp();

    const { code, stdout, stderr } = await running;

    expect([code, stdout]).toEqual([0, expect.stringMatching(/^one is running at .*\ntwo is running at .*\n$/)]);
    expect(stderr).toContain('Start it with "colima start"?');
  });

  test("leaves a restart waiting for it when the answer is no, as in a pipe", async () => {
    engine().comeUp();
    await world.call(["run", "--name", "one", "mcp/echo:1"]);
    engine().goDown({ hint: describeStart(COLIMA) });

    const no = await ask("n", ["restart", "one"]);
    const piped = await world.call(["restart", "one"], { env: env() });

    expect([no.code, piped.code]).toEqual([6, 6]);
    for (const { stderr } of [no, piped]) expect(stderr).toContain('"one" will be restarted once it is back.');
    expect(piped.stderr).not.toContain(QUESTION);
    expect(existsSync(started)).toBe(false);
  });

  test("is not offered by an error that names another one, or an address of the user's", async () => {
    engine().goDown({ hint: "Start that engine, or unset DOCKER_HOST to search the usual places." });

    const { code, stderr } = await world.call(RUN, { isTty: true, env: env() });

    expect([code, stderr]).toEqual([6, expect.not.stringContaining(QUESTION)]);
    expect(existsSync(started)).toBe(false);
  });

  test.each([
    ["fails", "exit 3", '"colima start" ended with code 3.'],
    ["is killed", "kill -9 $$", '"colima start" ended with SIGKILL.'],
  ])("whose command %s is reported with that", async (_what, script, message) => {
    await install(script);

    const { code, stderr } = await ask("y");

    expect([code, stderr]).toEqual([6, expect.stringContaining(message)]);
    expect(engine().containers.size).toBe(0);
  });

  test("that does not come up in time is reported", async () => {
    const fake = new FakeTerminal({ isTty: true, env: env(), answers: [[QUESTION, "y"]] });
    const client = new ApiClient(followSocket(world.files));
    const signal = new AbortController().signal;
    const context = { terminal: fake.terminal, env: env(), signal, tree: { commands: [], groups: [] } };
    const act = async () => {
      throw new ThvError("ENGINE_UNREACHABLE", "No engine.", { hint: describeStart(COLIMA) });
    };

    await expect(withEngine(client, context, act, { patienceMs: 0 })).rejects.toMatchObject({
      code: "ENGINE_UNREACHABLE",
      message: '"colima start" ended well, and Colima has not answered within 0 s.',
    });
  });

  test.each([
    ["its command runs", "echo > 'STARTED'; exec /bin/sleep 600"],
    ["it is waited for", "echo > 'STARTED'"],
  ])("is given up on at Ctrl-C while %s", async (_what, script) => {
    await install(script.replace("STARTED", started));
    const interrupt = new AbortController();
    const running = ask("y", RUN, interrupt.signal);
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), WAIT);
    interrupt.abort();

    const { code, stderr } = await running;

    expect([code, stderr]).toEqual([130, expect.stringContaining("Interrupted while the container engine started")]);
    expect(engine().containers.size).toBe(0);
  });

  test("is not started when the question is cancelled", async () => {
    const { code } = await ask("\u0003");

    expect(code).toBe(130);
    expect(existsSync(started)).toBe(false);
  });
});
