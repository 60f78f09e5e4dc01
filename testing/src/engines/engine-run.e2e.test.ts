import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mustRun } from "../command.ts";
import { repositoryRoot } from "../repository.ts";
import { waitFor } from "../wait-for.ts";
import { createRun, listAbandonedRuns, pickNetwork, readRecord, removeRun, writeRecord } from "./engine-run.ts";
import { findObstacle } from "./packages.ts";
import { identify, isAlive, listProcessesOf } from "./processes.ts";

const obstacle = await findObstacle();

async function startAndIdentify(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  const identity = child.pid === undefined ? undefined : await identify(child.pid);
  if (identity === undefined) throw new Error(`${command} did not start.`);
  return { child, identity };
}

describe.skipIf(obstacle !== undefined)(`private engines (skipped where ${obstacle ?? "they cannot be run"})`, () => {
  test("a run whose owner was killed is found, and its processes, bridge and folder are removed", async () => {
    const owner = await startAndIdentify("sleep", ["600"]);
    const run = await createRun(owner.identity);
    const network = await pickNetwork([]);
    await writeRecord(run, { ...(await readRecord(run)), networks: [network] });
    const bridge = `thvt${run.name.slice(-6)}`;
    await mustRun("ip", ["link", "add", "name", bridge, "type", "bridge"]);
    await mustRun("ip", ["address", "add", `${network}.0.1/24`, "dev", bridge]);
    const daemon = await startAndIdentify("sh", ["-c", "sleep 600; true", run.name]);
    const isFound = async () => (await listAbandonedRuns()).some(({ name }) => name === run.name);
    const isFoundWhileOwned = await isFound();

    owner.child.kill("SIGKILL");
    await waitFor(async () => !(await isAlive(owner.identity)), { what: "the owner to be gone" });
    const isFoundAfterwards = await isFound();
    await removeRun(run);

    expect([isFoundWhileOwned, isFoundAfterwards]).toEqual([false, true]);
    expect(await isAlive(daemon.identity)).toBe(false);
    expect(await mustRun("ip", ["-brief", "link"])).not.toContain(bridge);
    expect(existsSync(run.directory)).toBe(false);
  });

  test("engines whose test run is killed go away by themselves, with what ran in them", async () => {
    const terminal = spawn(process.execPath, [join(repositoryRoot(), "testing/engines.mjs")]);
    let output = "";
    terminal.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const name = await waitFor(() => /(thv-engines-\w+)\/podman\.sock/.exec(output)?.[1], {
      what: "the engines to be ready",
      deadlineMs: 100_000,
    });
    const docker = `unix:///tmp/${name}/docker.sock`;
    await mustRun("docker", ["--host", docker, "run", "--detach", "--interactive", "toolhive-test/echo:test"]);
    const env = { ...process.env, HOME: `/tmp/${name}/h/somebody` };
    const supervisor = spawn("sleep", ["600"], { env, stdio: "ignore", detached: true });
    const before = await listProcessesOf(name);

    terminal.kill("SIGKILL");

    await waitFor(() => !existsSync(`/tmp/${name}`), { what: "the engines' folder to be gone", deadlineMs: 60_000 });
    expect(before.length).toBeGreaterThan(4);
    expect(before.map(({ pid }) => pid)).toContain(supervisor.pid);
    expect(await listProcessesOf(name)).toEqual([]);
    expect(await mustRun("ip", ["-brief", "link"])).not.toContain(name.slice(-6));
  });
});
