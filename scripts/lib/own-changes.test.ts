import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readMachineState } from "./machine-state.mjs";
import { findChanges, judgeChanges } from "./own-changes.mjs";

const ID = "4f".repeat(32);
const DOCKER = "engine at unix:///var/run/docker.sock";

const MACHINE = {
  links: ["lo up mtu 65536", "docker0 up mtu 1500"],
  addresses: ["docker0 inet 172.17.0.1/16 scope global docker0"],
  routes: ["172.17.0.0/16 dev docker0 proto kernel"],
  "packet rules": ["-A FORWARD -j DOCKER-USER"],
  settings: ["/proc/sys/net/ipv4/ip_forward 0"],
  mounts: ["/ / rw ext4 /dev/vda rw"],
  "control groups": [],
  processes: [],
  folders: [],
  files: ["/etc/resolv.conf 100644 aa", "/home/jo/.config/toolhive/config.yaml 100600 bb"],
  supervisor: [],
  [DOCKER]: ["container 1 /web running nginx:1"],
};

describe("judgeChanges", () => {
  const gone = Object.keys(MACHINE).filter((topic) => !["control groups", "processes", "folders"].includes(topic));

  test.each(gone.filter((topic) => topic !== "supervisor"))("what goes of the machine's %s is named alone", (topic) => {
    const lines = (MACHINE[topic as keyof typeof MACHINE] ?? []).filter((line) => !line.includes("/toolhive/"));
    const rest = (MACHINE[topic as keyof typeof MACHINE] ?? []).filter((line) => line.includes("/toolhive/"));
    const { own, others } = judgeChanges(MACHINE, { ...MACHINE, [topic]: rest });

    expect({ own, others }).toEqual({ own: [], others: lines.map((line) => `${topic}: gone: ${line}`) });
  });

  test.each([
    ["links", "br-0123456789ab up mtu 1500 link/ether 02:42:00:00:00:01"],
    ["addresses", "veth0a1b2c3 inet6 fe80::1/64 scope link"],
    ["routes", "10.244.0.0/24 dev cni0 proto kernel"],
    ["packet rules", "-A POSTROUTING -s 10.88.0.0/16 -j MASQUERADE"],
    ["mounts", "/ /var/lib/docker/overlay2/x/merged rw overlay overlay rw"],
    ["control groups", `/sys/fs/cgroup/memory/docker/${ID}`],
    ["files", "/root/.docker/config.json 100600 cc"],
    [DOCKER, "container 2 /db running postgres:16"],
    [DOCKER, "image 3 app:test"],
  ])("%s: new from somebody else is named alone: %s", (topic, line) => {
    const known = (MACHINE as Record<string, readonly string[]>)[topic] ?? [];

    expect(judgeChanges(MACHINE, { ...MACHINE, [topic]: [...known, line] })).toEqual({
      own: [],
      others: [`${topic}: new: ${line}`],
    });
  });

  test.each([
    ["links", "thv-test0 up mtu 1500"],
    ["routes", "10.9.0.0/24 dev thv-test0 proto kernel"],
    ["packet rules", "-A FORWARD -i thv-test0 -j ACCEPT"],
    ["mounts", "/ /tmp/thv-engines-AbCdEf/docker/data rw overlay overlay rw"],
    ["mounts", "net:[4026532] /run/netns/thv-test0 rw nsfs nsfs rw"],
    ["control groups", "/sys/fs/cgroup/memory/thv-engines-AbCdEf"],
    ["control groups", `/sys/fs/cgroup/memory/libpod_parent/libpod-${ID}`],
    ["processes", "4711 dockerd --host unix:///tmp/thv-engines-AbCdEf/docker.sock"],
    ["folders", "thv-engines-AbCdEf"],
    ["files", "/root/.docker/config.json 100600 cc naming /thv-a1B2c3"],
    ["files", "/home/jo/.local/state/toolhive/runconfigs/echo.json 100600 dd"],
    [DOCKER, "container 2 /echo running toolhive-test/echo:test"],
    [DOCKER, "container 3 /everything exited docker.io/mcp/everything:test"],
    [DOCKER, "image 4 toolhive-test/exits:test"],
  ])("%s: left by this run fails: %s", (topic, line) => {
    const known = (MACHINE as Record<string, readonly string[]>)[topic] ?? [];

    expect(judgeChanges(MACHINE, { ...MACHINE, [topic]: [...known, line] })).toEqual({
      own: [`${topic}: new: ${line}`],
      others: [],
    });
  });

  test.each(["before", "after"])("files of the user's thv are the user's where a supervisor runs %s", (when) => {
    const before = { ...MACHINE, supervisor: when === "before" ? ["process 7"] : [] };
    const line = "/home/jo/.local/state/toolhive/runconfigs/echo.json 100600 dd";
    const after = { ...MACHINE, supervisor: when === "after" ? ["process 8"] : [], files: [...MACHINE.files, line] };

    expect(judgeChanges(before, after)).toEqual({ own: [], others: [`files: new: ${line}`] });
  });

  test("a machine as before has no changes", () => {
    expect(judgeChanges(MACHINE, { ...MACHINE })).toEqual({ own: [], others: [] });
  });
});

describe("findChanges", () => {
  const left = { ...MACHINE, folders: ["thv-engines-AbCdEf"] };

  test("what a first check finds on its way is no change", async () => {
    const looks = [left, left, MACHINE];

    expect(await findChanges(MACHINE, async () => looks.shift() ?? MACHINE, 0)).toEqual({ own: [], others: [] });
  });

  test("what stays is one", async () => {
    expect((await findChanges(MACHINE, async () => left, 0)).own).toEqual(["folders: new: thv-engines-AbCdEf"]);
  });
});

describe.skipIf(process.platform !== "linux")("on this machine (skipped where it is not Linux)", () => {
  /** A process that names a run's folder, as its engines do, and is marked as one of a test run. */
  async function startNaming(folder: string, testRun: string): Promise<ChildProcess> {
    const script = 'console.log("ready"); setTimeout(() => {}, 600_000)';
    const child = spawn(process.execPath, ["-e", script, folder], {
      env: { PATH: process.env.PATH, TOOLHIVE_TEST_RUN: testRun },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout as NonNullable<typeof child.stdout>, "data");
    return child;
  }

  test("folders and processes of the run fail, those of another test run do not, also when their owner was killed", async () => {
    const [mine, theirs] = [`mine-${process.pid}`, `theirs-${process.pid}`];
    const before = await readMachineState({ runId: mine, engineHosts: [] });
    const made: { folder: string; child: ChildProcess }[] = [];
    try {
      for (const testRun of [mine, theirs]) {
        const folder = await mkdtemp(join(tmpdir(), "thv-engines-"));
        // The owner is nobody's process, as after a kill.
        const owner = { pid: 2 ** 22, startTime: "1" };
        await writeFile(join(folder, "run.json"), JSON.stringify({ owner, testRun, mountPoints: [] }));
        made.push({ folder, child: await startNaming(folder, testRun) });
      }
      const { own } = judgeChanges(before, await readMachineState({ runId: mine, engineHosts: [] }));

      const [myName, theirName] = made.map(({ folder }) => basename(folder));
      expect(own).toContain(`folders: new: ${myName}`);
      expect(own).toContainEqual(
        expect.stringMatching(new RegExp(`^processes: new: ${made[0]?.child.pid} .*${myName}`)),
      );
      expect(own.filter((change) => change.includes(theirName ?? ""))).toEqual([]);
    } finally {
      for (const { folder, child } of made) {
        child.kill("SIGKILL");
        await rm(folder, { recursive: true });
      }
    }
  });
});
