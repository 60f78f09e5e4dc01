import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { mustRun } from "../command.ts";
import { findRepositoryRoot } from "../repository.ts";
import { getTestEngines } from "../test-engines.ts";
import { waitFor } from "../wait-for.ts";
import { createRun, listAbandonedRuns, makeMountPoints, type RunRecord, removeRun } from "./engine-run.ts";
import { findObstacle } from "./packages.ts";
import { identify, isAlive, listRunProcesses } from "./processes.ts";
import { stopEngine } from "./restart-engine.ts";

type MachineState = Readonly<Record<string, readonly string[]>>;

/** What `npm test` compares about the machine; here about this worker's network. */
const { readMachineState, compareStates } = (await import(
  pathToFileURL(join(findRepositoryRoot(), "scripts/lib/machine-state.mjs")).href
)) as {
  readMachineState(options?: { engineHosts?: readonly string[] }): Promise<MachineState>;
  compareStates(before: MachineState, after: MachineState): string[];
};

const obstacle = await findObstacle();

async function startAndIdentify(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  const identity = child.pid === undefined ? undefined : await identify(child.pid);
  if (identity === undefined) throw new Error(`${command} did not start.`);
  return { child, identity };
}

/** Listens at the socket in its argument, and says so. */
const OWNER = 'require("node:net").createServer().listen(process.argv[1], () => console.log("listens"))';

/** A run of another process, which listens at the run's socket. @param prefix A command that starts the owner. */
async function createOwnedRun(prefix: readonly string[] = []) {
  const [program = "", ...args] = [...prefix, process.execPath, "-e", OWNER];
  let owner: ChildProcess | undefined;
  // As it sees itself in a process namespace of its own; here this is another process.
  const run = await createRun({ pid: 1, startTime: "4711" }, async (socket) => {
    owner = spawn(program, [...args, socket], { stdio: ["ignore", "pipe", "inherit"] });
    await once(owner.stdout as NonNullable<typeof owner.stdout>, "data");
  });
  const end = async () => {
    if (owner?.exitCode !== null || owner.signalCode !== null) return;
    owner.kill("SIGKILL");
    await once(owner, "exit");
  };
  const isFound = async () => (await listAbandonedRuns()).some(({ name }) => name === run.name);
  return { run, isFound, end };
}

/** Engines of another test run, with a container that runs in each. Disposing kills the run. */
class OtherRun implements AsyncDisposable {
  readonly terminal: ChildProcess;
  readonly name: string;
  /** The one in Docker. */
  readonly container: string;

  private constructor(terminal: ChildProcess, name: string, container: string) {
    this.terminal = terminal;
    this.name = name;
    this.container = container;
  }

  static async start(): Promise<OtherRun> {
    const terminal = spawn(process.execPath, [join(findRepositoryRoot(), "testing/engines.mjs")]);
    let output = "";
    terminal.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    const name = await waitFor(() => /(thv-engines-\w+)\/podman\.sock/.exec(output)?.[1], {
      what: "the engines to be ready",
      deadlineMs: 100_000,
    });
    const containers: string[] = [];
    for (const kind of ["docker", "podman"]) {
      const args = ["--host", `unix:///tmp/${name}/${kind}.sock`, "run", "--detach", "--interactive"];
      containers.push((await mustRun("docker", [...args, "toolhive-test/echo:test"])).trim());
    }
    return new OtherRun(terminal, name, containers[0] ?? "");
  }

  get docker() {
    const socket = `/tmp/${this.name}/docker.sock`;
    const host = `unix://${socket}`;
    const command = ["docker", "--host", host] as const;
    return { kind: "docker", name: "docker", socket, host, command, env: {}, origin: "private" } as const;
  }

  async record(): Promise<RunRecord> {
    return JSON.parse(await readFile(`/tmp/${this.name}/run.json`, "utf8")) as RunRecord;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.terminal.kill("SIGKILL");
    const { owner } = await this.record().catch(() => ({ owner: undefined })); // gone already
    if (owner !== undefined && (await isAlive(owner))) await this.untilGone();
  }

  async untilGone(): Promise<void> {
    await waitFor(() => !existsSync(`/tmp/${this.name}`), {
      what: "the engines' folder to be gone",
      deadlineMs: 60_000,
    });
  }
}

describe.skipIf(obstacle !== undefined)(`private engines (skipped where ${obstacle ?? "they cannot be run"})`, () => {
  test("a run whose owner was killed is found, and its processes, control groups and folders are removed", async () => {
    const { run, isFound, end } = await createOwnedRun();
    const mountPoint = `/tmp/thv-mount-${run.name.slice(-6)}`;
    await makeMountPoints(run, ["/tmp", mountPoint]);
    const id = run.name.slice(-6).padEnd(64, "0");
    await mkdir(join(run.directory, "podman/storage/overlay-containers", id), { recursive: true });
    const [hierarchy = ""] = (await mustRun("findmnt", ["-n", "-o", "TARGET", "-t", "cgroup,cgroup2"])).split("\n");
    const groups = [`${run.name}/some-container`, `libpod_parent/libpod-${id}`].map((name) => join(hierarchy, name));
    for (const group of groups) await mkdir(group, { recursive: true });
    const daemon = await startAndIdentify("sh", ["-c", "sleep 600; true", run.name]);
    const isFoundWhileOwned = await isFound();

    await end();
    const isFoundAfterwards = await isFound();
    // Two test runs that begin find it both.
    await Promise.all([removeRun(run), removeRun(run)]);

    expect([isFoundWhileOwned, isFoundAfterwards]).toEqual([false, true]);
    expect(await isAlive(daemon.identity)).toBe(false);
    expect([...groups, join(hierarchy, run.name), mountPoint, run.directory].filter(existsSync)).toEqual([]);
  });

  test("a run in another process namespace is not taken for abandoned as long as its owner lives", async () => {
    const { run, isFound, end } = await createOwnedRun(["unshare", "--pid", "--fork", "--kill-child"]);
    try {
      expect(await isFound()).toBe(false);

      await end();
      await waitFor(isFound, { what: "the kernel to end the namespace with its first process" });
    } finally {
      await end();
      await removeRun(run);
    }
    expect(existsSync(run.directory)).toBe(false);
  });

  test("a run of an older checkout, without a socket, is judged by its owner's process", async () => {
    const owner = await startAndIdentify("sleep", ["600"]);
    const run = await createRun(owner.identity, async () => undefined);
    const isFound = async () => (await listAbandonedRuns()).some(({ name }) => name === run.name);
    const isFoundWhileOwned = await isFound();

    owner.child.kill("SIGKILL");
    await waitFor(async () => !(await isAlive(owner.identity)), { what: "the owner to be gone" });
    const isFoundAfterwards = await isFound();
    await removeRun(run);

    expect([isFoundWhileOwned, isFoundAfterwards]).toEqual([false, true]);
  });

  test("engines whose test run is killed go away by themselves, with what ran in them", async () => {
    const machine = await readMachineState();
    await using run = await OtherRun.start();
    const env = { ...process.env, HOME: `/tmp/${run.name}/h/somebody` };
    const supervisor = spawn("sleep", ["600"], { env, stdio: "ignore", detached: true });
    const before = await listRunProcesses(run.name);

    run.terminal.kill("SIGKILL");

    await run.untilGone();
    expect(before.length).toBeGreaterThan(4);
    expect(before.map(({ pid }) => pid)).toContain(supervisor.pid);
    // The kernel removes processes, interfaces and control groups a moment after their end.
    await expect.poll(() => listRunProcesses(run.name)).toEqual([]);
    await expect.poll(async () => compareStates(machine, await readMachineState())).toEqual([]);
  });

  test("the machine's Docker and its network stay as they are when engines of tests run, are restarted and are killed", async () => {
    // For the engines that are started here, those of this worker's network are the machine's.
    const docker = getTestEngines().find(({ kind, origin }) => kind === "docker" && origin.startsWith("private"));
    if (docker === undefined) throw new Error("There is no private Docker beside the tests.");
    const args = ["run", "--detach", "--publish", "127.0.0.1::3001", "mcp/everything:test", "streamableHttp"];
    const container = (await docker.cli(args)).stdout.trim();
    try {
      const published = (await docker.cli(["port", container, "3001/tcp"])).stdout.trim();
      const reach = async () => (await fetch(`http://${published}/mcp`, { signal: AbortSignal.timeout(2_000) })).status;
      await waitFor(reach, { what: "the published port to answer" });
      await waitFor(async () => (await mustRun("ip", ["-6", "address", "show", "tentative"])) === "", {
        what: "the container's interface to have its addresses",
      });
      const machine = await readMachineState({ engineHosts: [docker.host] });
      const changes = async () => compareStates(machine, await readMachineState({ engineHosts: [docker.host] }));

      await using first = await OtherRun.start();
      const whileTheyRun = await changes();
      await (await stopEngine(first.docker, "SIGKILL")).start();
      const afterRestart = await changes();
      // A paused container is the hardest to end, because it takes no signal.
      for (const action of ["start", "pause"]) {
        await mustRun("docker", ["--host", first.docker.host, action, first.container]);
      }
      const { owner } = await first.record();
      process.kill(owner.pid, "SIGKILL");
      await waitFor(async () => !(await isAlive(owner)), { what: "the owner to be gone" });
      await using second = await OtherRun.start(); // it finds what the killed owner left, and removes it
      second.terminal.kill("SIGTERM");
      await second.untilGone();

      expect({ whileTheyRun, afterRestart }).toEqual({ whileTheyRun: [], afterRestart: [] });
      expect(existsSync(`/tmp/${first.name}`)).toBe(false);
      expect(await changes()).toEqual([]);
      expect(await reach()).toBe(400);
    } finally {
      await docker.cli(["rm", "--force", container]);
    }
  });
});
