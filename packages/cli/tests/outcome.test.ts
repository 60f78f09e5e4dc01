/** What a command says about a workload is true when it says it, and clients' files say the same. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ThvError } from "@toolhive/core";
import { silentServer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

let context: ServedThv;
beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
  vi.restoreAllMocks();
});

const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);
const runEcho = () => thv(["run", "--name", "echo", "mcp/echo:1"]);

/** The time that a server has for its first answer is over at once; all others stay as they are. */
function hurryFirstAnswer(): void {
  const original = setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((run, ms) => original(run, ms === 120_000 ? 1 : ms));
}

describe("run of a server that never answers", () => {
  test("says that it is not ready, shows its last output, exits 8 and leaves nothing", async () => {
    const { world, supervisor } = context.served;
    world.engine.images.set("mcp/echo:1", (process) => {
      process.writeErr("waiting for a licence");
      silentServer(process);
    });
    hurryFirstAnswer();

    const { code, stdout, stderr } = await runEcho();

    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toContain("  | waiting for a licence\n");
    expect(stderr).toMatch(/^Error: "echo" failed to start and was removed: .*within 120 s\.$/m);
    expect([supervisor.list(), world.containers, world.disk.size]).toEqual([[], [], 0]);
  });
});

test("run of a remote server that does not answer exits 8 and leaves nothing", async () => {
  const { world, supervisor } = context.served;
  const url = "https://docs.example.com/mcp";
  const message = `${url} does not run: nothing answers at docs.example.com:443.`;
  world.network.remoteProblems.set(url, new ThvError("SERVER_NOT_READY", message, { hint: "Start it." }));

  const { code, stdout, stderr } = await thv(["run", "--name", "docs", url]);

  expect([code, stdout]).toEqual([8, ""]);
  expect(stderr).toContain(message);
  expect([supervisor.list(), world.disk.size]).toEqual([[], 0]);
});

describe("while the engine is away", () => {
  test.each([
    ["stop", "stopped"],
    ["restart", "restarted"],
    ["rm", "removed"],
  ])("%s exits 6 and says that it will be done, and then it is", async (verb, participle) => {
    const { world, supervisor } = context.served;
    await runEcho();
    world.engine.goDown();

    const { code, stdout, stderr } = await thv([verb, "echo"]);

    expect(stderr).toMatch(
      new RegExp(`^Error: The fake engine does not answer\\. "echo" will be ${participle} once it is back\\.\nHint: `),
    );
    expect([code, stdout]).toEqual([6, ""]);
    world.engine.comeUp();
    const expected = { stop: "stopped", restart: "running", rm: undefined }[verb];
    await vi.waitFor(() => expect(supervisor.list()[0]?.status).toBe(expected), { timeout: 20_000 });
  });
});

test("a client's file lists a server when run and restart return, and no more when stop and rm do", async () => {
  const { clients, home } = context.served;
  await mkdir(join(home, ".cursor"));
  await clients.register(["cursor"]);
  const entries = async () => {
    const text = await readFile(join(home, ".cursor/mcp.json"), "utf8").catch(() => "{}");
    return Object.keys((JSON.parse(text) as { mcpServers?: object }).mcpServers ?? {});
  };

  await runEcho();
  expect(await entries()).toEqual(["echo"]);
  await thv(["stop", "echo"]);
  expect(await entries()).toEqual([]);
  await thv(["restart", "echo"]);
  expect(await entries()).toEqual(["echo"]);
  await thv(["rm", "echo"]);
  expect(await entries()).toEqual([]);
});

describe("a name with a typing mistake", () => {
  test.each([
    ["everythng", "thv run everything"],
    ["gihtub", "thv run github"],
  ])("%s is taken for an image, and the hint names the server that was meant", async (name, meant) => {
    const { code, stderr } = await thv(["run", name]);

    expect(code).toBe(3);
    expect(stderr).toContain(`\nHint: Did you mean: ${meant}\n`);
  });

  test("that is like no server's keeps the hint about images", async () => {
    const { stderr } = await thv(["run", "quite-another-thing"]);

    expect(stderr).not.toContain("Did you mean");
  });

  test("is found by a search", async () => {
    const { code, stderr } = await thv(["search", "everythng"]);

    expect([code, stderr]).toEqual([0, expect.stringContaining('1 server matches "everythng".\n')]);
  });
});
