import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "./engines/processes.ts";
import { countLeftovers, describeEngines, ThrowawayHome, waitFor } from "./index.ts";

const LISTEN = "require('net').createServer().listen(0, '127.0.0.1')";

function startIn(home: ThrowawayHome, script: string) {
  return spawn(process.execPath, ["-e", script], { env: home.env(), stdio: "ignore", detached: true });
}

test("disposing of a home ends the supervisor of its note, then removes the folder", async () => {
  const home = await ThrowawayHome.create();
  const child = startIn(home, LISTEN);
  await mkdir(home.stateDirectory, { recursive: true });
  await writeFile(join(home.stateDirectory, "supervisor.json"), JSON.stringify({ pid: child.pid }));
  const supervisor = await waitFor(() => home.findSupervisor(), { what: "the supervisor to be seen" });

  await home[Symbol.asyncDispose]();

  expect(await isAlive(supervisor)).toBe(false);
  expect(existsSync(home.path)).toBe(false);
});

test("disposing of a home ends a process that ignores SIGTERM", async () => {
  const home = await ThrowawayHome.create();
  startIn(home, `process.on('SIGTERM', () => {}); ${LISTEN}`);
  const [stubborn] = await waitFor(
    async () => {
      const processes = await home.listProcesses();
      return processes.length > 0 && processes;
    },
    { what: "the process to be seen" },
  );

  await home[Symbol.asyncDispose]();

  expect(stubborn && (await isAlive(stubborn))).toBe(false);
});

test("a note that names a process of somebody else ends nothing", async () => {
  const home = await ThrowawayHome.create();
  await mkdir(home.stateDirectory, { recursive: true });
  await writeFile(join(home.stateDirectory, "supervisor.json"), JSON.stringify({ pid: process.pid }));

  expect(await home.findSupervisor()).toBeUndefined();
  await home[Symbol.asyncDispose]();
});

describeEngines("with $kind", { isOneEnough: true }, (engine) => {
  test("sockets, processes and files of a home are counted", async () => {
    await using home = await ThrowawayHome.create();
    const socket = join(home.env().XDG_RUNTIME_DIR ?? "", "a.sock");
    await writeFile(join(home.path, "config/a.yaml"), "a: 1\n");
    startIn(home, `${LISTEN}; require('net').createServer().listen(${JSON.stringify(socket)})`);

    const found = await waitFor(
      async () => {
        const left = await countLeftovers(engine, home);
        return left.sockets.length === 2 && left;
      },
      { what: "both sockets to be counted" },
    );

    expect(found.processes).toHaveLength(1);
    expect(found.sockets).toEqual([socket, expect.stringMatching(/^tcp 127\.0\.0\.1:\d+$/)]);
    expect(found.stateFiles).toEqual(["config/a.yaml", "run/a.sock"]);
  });
});

test("socket paths below a home stay under 100 characters", async () => {
  await using home = await ThrowawayHome.create();

  expect(join(home.stateDirectory, "supervisor.sock").length).toBeLessThan(100);
});
