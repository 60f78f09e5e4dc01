import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readHolder } from "./process-lock.ts";
import { readRecord, supervisorFiles } from "./supervisor-files.ts";

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
