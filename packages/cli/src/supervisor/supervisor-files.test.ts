import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readHolder } from "./lock/process-lock.ts";
import { findPipe, readRecord, supervisorFiles } from "./supervisor-files.ts";

describe("supervisorFiles", () => {
  test("keeps what belongs to the process in the state directory, and the log with the data", () => {
    const files = supervisorFiles({ XDG_STATE_HOME: "/s", XDG_DATA_HOME: "/d" });

    expect(files).toMatchObject({
      lock: "/s/toolhive/supervisor.lock",
      socket: "/s/toolhive/supervisor.sock",
      record: "/s/toolhive/supervisor.json",
      instanceId: "/s/toolhive/instance-id",
      runConfigs: "/s/toolhive/runconfigs",
      log: "/d/toolhive/logs/supervisor.log",
      serverLogs: "/d/toolhive/logs/servers",
    });
  });

  test("moves the socket to a short path of its own when the state directory's is too long for a socket", () => {
    const at = (length: number, letter: string) =>
      supervisorFiles({ XDG_STATE_HOME: `/${letter.repeat(length)}` }).socket;

    for (const length of [50, 73, 74, 75, 76, 200]) {
      expect(Buffer.byteLength(at(length, "s"))).toBeLessThanOrEqual(103);
    }
    expect(at(200, "s")).toMatch(/toolhive-\d+-[0-9a-f]{16}\/supervisor\.sock$/);
    expect(at(200, "s")).toBe(at(200, "s"));
    expect(at(200, "s")).not.toBe(at(200, "t"));
  });

  test("counts bytes, not characters", () => {
    const { socket } = supervisorFiles({ XDG_STATE_HOME: `/${"ü".repeat(60)}` });

    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103);
  });
});

describe("the pipe of a supervisor on Windows", () => {
  const pipe = "\\\\.\\pipe\\toolhive-0b7c9d64-3a51-4a3e-9d0e-6a1f5d1c2b3a";

  async function findIn(lock: string | undefined): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "supervisor-files-"));
    try {
      const path = join(directory, "supervisor.lock");
      if (lock !== undefined) await writeFile(path, lock);
      return findPipe(path);
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  test("is the one that its lock names", async () => {
    expect(await findIn(JSON.stringify({ pid: process.pid, startTicks: "", pipe }))).toBe(`${pipe}-api`);
  });

  test.each([
    ["there is no lock", undefined],
    ["its holder was killed", JSON.stringify({ pid: 2 ** 22 + 1, startTicks: "", pipe })],
    ["the lock names no pipe", JSON.stringify({ pid: process.pid, startTicks: "" })],
    [
      "the lock names one of another program",
      JSON.stringify({ pid: process.pid, startTicks: "", pipe: "\\\\.\\pipe\\x" }),
    ],
    ["the lock is damaged", "{"],
  ])("is one that nobody can wait at when %s", async (_, lock) => {
    const [first, second] = [await findIn(lock), await findIn(lock)];

    expect(first).toMatch(/^\\\\\.\\pipe\\toolhive-[0-9a-f-]{36}$/);
    expect(first).not.toContain(pipe);
    expect(second).not.toBe(first);
  });
});

test.skipIf(process.platform === "win32")(
  "a link to an endless device is nobody's record and nobody's lock",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "supervisor-files-"));
    const path = join(directory, "supervisor.json");
    try {
      await symlink("/dev/zero", path);
      expect([await readRecord(path), await readHolder(path)]).toEqual([undefined, undefined]);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);
