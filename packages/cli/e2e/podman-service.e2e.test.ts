/** A machine with Podman whose API nobody serves: the supervisor serves it itself. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { getTestEngines, listProcessIds, runThv, ThrowawayHome, waitFor } from "@toolhive/testing";
import { describe, expect, test } from "vitest";

const IMAGE = "toolhive-test/echo:test";
const podman = getTestEngines().find(({ kind }) => kind === "podman");
const isTaken = ["/var/run/podman/podman.sock", "/var/run/docker.sock"].some((path) => existsSync(path));

/** The private Podman keeps its state in folders that only its own mount namespace shows. */
async function findEngineProcess(host: string): Promise<number> {
  for (const pid of await listProcessIds()) {
    const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    if (words[0]?.endsWith("podman") && words.includes(host) && words.includes("service")) return pid;
  }
  throw new Error(`No Podman serves ${host}.`);
}

/** The same Podman for the supervisor, on a PATH whose other one is for no test. */
async function writePodman(home: ThrowawayHome, pid: number): Promise<void> {
  const { stdout } = await promisify(execFile)("sh", ["-c", "command -v podman"]);
  const script = `#!/bin/sh\nexec nsenter --target=${pid} --mount ${stdout.trim()} "$@"\n`;
  await writeFile(join(home.path, "bin/podman"), script, { mode: 0o755 });
}

describe.skipIf(podman === undefined || isTaken || process.getuid?.() !== 0)(
  "without an engine's socket (needs root, Podman, and a machine that serves no engine at the usual places)",
  () => {
    const listServices = async (home: ThrowawayHome) => {
      const found: number[] = [];
      for (const { pid } of await home.listProcesses()) {
        const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
        if (command.includes("system\0service")) found.push(pid);
      }
      return found;
    };

    test("a server runs in the user's Podman, through a service that comes back and leaves with the supervisor", async () => {
      if (podman === undefined) throw new Error("Podman is not there.");
      await using home = await ThrowawayHome.create();
      // So that its containers are removed with the home.
      home.env(podman);
      await writePodman(home, await findEngineProcess(podman.host));
      const thv = (...args: string[]) => runThv(args, { home, env: podman.env });

      const doctor = await thv("doctor");
      expect(doctor.stdout).toContain("Podman is installed; its service is started when it is needed");
      expect(await thv("run", "--name", "served", IMAGE)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("is running at"),
      });
      expect((await podman.cli(["ps", "--format", "{{.Names}}"])).stdout.split("\n")).toContain("served");
      expect((await thv("doctor")).stdout).toMatch(/engine: Podman .*podman\.sock/);

      const [service] = await listServices(home);
      expect(service).toBeDefined();
      process.kill(service ?? 0, "SIGKILL");
      await waitFor(async () => (await listServices(home)).some((pid) => pid !== service), { what: "another service" });
      await waitFor(async () => (await thv("mcp", "list", "tools", "--server", "served")).stdout.includes("echo"), {
        what: "the server to answer again",
      });

      expect(await thv("rm", "served")).toMatchObject({ code: 0 });
      await home.stopSupervisor();
      expect(await listServices(home)).toEqual([]);
    });
  },
);
