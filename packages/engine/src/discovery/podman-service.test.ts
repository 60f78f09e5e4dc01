import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { formatAddress } from "../connection/engine-address.ts";
import { isUsable } from "./candidate.ts";
import { PodmanService } from "./podman-service.ts";

let directory: string;
let service: PodmanService;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-podman-"));
});
afterEach(async () => {
  await service.stop();
  await rm(directory, { recursive: true });
});

const socketPath = () => join(directory, "state/podman.sock");

/** @param script What `podman` does; absent: it is not installed. */
async function create(script?: string, options: { startMs?: number; platform?: NodeJS.Platform; mode?: number } = {}) {
  const { startMs = 60_000, platform = "linux", mode = 0o755 } = options;
  if (script !== undefined) {
    await writeFile(join(directory, "podman"), `#!/bin/sh\n${script}\n`);
    await chmod(join(directory, "podman"), mode);
  }
  // Nothing but the script: a real Podman further down the path would be found instead.
  const env = { PATH: directory };
  service = new PodmanService({ env, platform, socketPath: socketPath(), startMs });
  return service;
}

/** Listens at the socket, and writes its process id, as often as it starts. */
const SERVES = () =>
  `echo $$ >> "${directory}/pids"; exec "${process.execPath}" -e '
    require("node:net").createServer((s) => s.end()).listen(process.argv[1].slice("unix://".length));' "$4"`;

async function readPids(): Promise<number[]> {
  const { readFile } = await import("node:fs/promises");
  return (await readFile(join(directory, "pids"), "utf8")).trim().split("\n").map(Number);
}

/** Whether a process is there, also as a zombie. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Failures that a real Podman has too rarely; the end-to-end tests start a real one. */
describe("Podman's service (a script stands in for podman)", () => {
  test("is started on a socket of ours, once, and ended with us", async () => {
    const podman = await create(SERVES());

    const place = await podman.start();
    await podman.start();

    expect(place && isUsable(place) && formatAddress(place.address)).toBe(socketPath());
    expect((await stat(join(directory, "state"))).mode & 0o777).toBe(0o700);
    const pids = await readPids();
    expect(pids).toHaveLength(1);
    await podman.stop();
    expect(exists(pids[0] as number)).toBe(false);
  });

  test("that has died is started again", async () => {
    const podman = await create(SERVES());
    await podman.start();
    process.kill((await readPids())[0] as number, "SIGKILL");
    await vi.waitFor(async () => expect(exists((await readPids())[0] as number)).toBe(false));

    expect(await podman.start()).toHaveProperty("address");
    expect(await readPids()).toHaveLength(2);
  });

  test.each([
    ["ends at once", 'echo "Error: unknown command" >&2; exit 125', {}, /^it ended with 125: Error: unknown command$/],
    ["hangs", "exec /bin/sleep 600", { startMs: 200 }, /^it did not answer within 0\.2 s$/],
    ["may not be executed", "true", { mode: 0o644 }, /^podman cannot be run \(EACCES\)$/],
  ])("that %s is named with its reason", async (_what, script, options, problem) => {
    const podman = await create(script, options);

    expect(await podman.start()).toEqual({ origin: "podman system service", problem: expect.stringMatching(problem) });
  });

  test("is not searched where Podman is not installed, or runs in a machine", async () => {
    expect(await (await create()).start()).toBeUndefined();
    expect(await (await create(SERVES(), { platform: "darwin" })).start()).toBeUndefined();
  });

  test("is given up with its caller, and leaves no process", async () => {
    const podman = await create(`echo $$ > "${directory}/pids"; exec /bin/sleep 600`);
    const stop = new AbortController();
    const starting = podman.start(stop.signal);
    await vi.waitFor(readPids, { timeout: 10_000 });
    stop.abort(new Error("enough"));

    await expect(starting).rejects.toThrow();
    await podman.stop();
    expect(exists((await readPids())[0] as number)).toBe(false);
  });
});
