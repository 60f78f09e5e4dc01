import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { listen } from "@toolhive/core/listen";
import { describe, expect, test } from "vitest";
import { mustRun } from "../command.ts";
import { repositoryRoot } from "../repository.ts";
import { waitFor } from "../wait-for.ts";
import {
  createRun,
  listAbandonedRuns,
  pickNetwork,
  readRecord,
  removeDeadRules,
  removeRun,
  writeRecord,
} from "./engine-run.ts";
import { findObstacle } from "./packages.ts";
import { removePodmanRules } from "./packet-rules.ts";
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

  test("a port that a killed Podman had published is free again, and other ports stay as they are", async () => {
    const owner = await startAndIdentify("sleep", ["600"]);
    const run = await createRun(owner.identity);
    const [dead, alive] = [await pickNetwork([]), await pickNetwork([])];
    await writeRecord(run, { ...(await readRecord(run)), networks: [alive] });
    const chain = `NETAVARK-DN-T${run.name.slice(-6)}`;
    const server = createServer((_request, response) => response.end("reached"));
    const port = await listen(server);
    const nat = (...rule: string[]) => mustRun("iptables", ["-t", "nat", ...rule]);
    const publish = (destination: string, published: number) =>
      nat("-A", chain, "-p", "tcp", "--dport", `${published}`, "-j", "DNAT", "--to-destination", destination);
    await nat("-N", chain);
    await publish(`${dead}.0.2:9000`, port);
    await publish(`${alive}.0.2:9000`, port === 65_535 ? port - 1 : port + 1);
    await nat("-I", "OUTPUT", "-d", "127.0.0.1", "-p", "tcp", "--dport", `${port}`, "-j", chain);
    const reach = async () => {
      const answer = fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(1_500) });
      return await answer.then((response) => response.text()).catch((error: Error) => error.name);
    };
    try {
      const before = await reach();
      await removeDeadRules();
      const rules = await nat("-S", chain);

      expect([before, await reach()]).toEqual(["TimeoutError", "reached"]);
      expect(rules).toContain(`${alive}.0.2:9000`);
      await removePodmanRules([alive]);
      expect(await nat("-S", chain)).not.toContain("DNAT");
    } finally {
      await nat("-D", "OUTPUT", "-d", "127.0.0.1", "-p", "tcp", "--dport", `${port}`, "-j", chain);
      await nat("-F", chain);
      await nat("-X", chain);
      server.close();
      owner.child.kill("SIGKILL");
      await removeRun(run);
    }
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
