import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import {
  countLeftovers,
  describeEngines,
  type EngineChoice,
  type ProbeRows,
  probeEgress,
  runThv,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EgressHosts, openEgressHosts, openLateContainer, SIBLING_PORT } from "../src/testing/egress-hosts.ts";
import { EGRESS_COLUMNS, listAttempts, readExpected } from "../src/testing/egress-table.ts";
import { callEcho, withMcpClient } from "../src/testing/mcp-client.ts";

const SIDECAR_BASE = { TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };
const addressIn = (stdout: string) => stdout.trim().split(" ").at(-1) ?? "";

const ASKS_FOR_ROOT: EngineChoice = {
  findObstacle: () => (process.getuid?.() === 0 ? undefined : "only root connects the hosts outside with the engine"),
};

describeEngines("the network of a server on $kind", ASKS_FOR_ROOT, (engine) => {
  let hosts: EgressHosts;
  beforeAll(async () => {
    hosts = await openEgressHosts(engine);
  });
  afterAll(async () => {
    await hosts[Symbol.asyncDispose]();
  });

  /** A home with a profile file for each column, and a supervisor that knows the made-up names. */
  async function openHome() {
    const home = await ThrowawayHome.create();
    const profiles = {
      hosts: {
        allow_host: ["allowed.test", "rebound.test", "other-rebound.test", "sibling.test"],
        allow_port: [hosts.httpPort, SIBLING_PORT],
      },
      ports: { allow_port: [hosts.httpPort, SIBLING_PORT] },
      "sibling-listed": { insecure_allow_all: true, allow_host: [hosts.sibling.address] },
      "allow-all": { insecure_allow_all: true },
    };
    for (const [name, outbound] of Object.entries(profiles)) {
      await writeFile(join(home.workDirectory, `${name}.json`), JSON.stringify({ network: { outbound } }));
    }
    const names = [
      `allowed.test=${hosts.address}`,
      `other.test=${hosts.address}`,
      `rebound.test=${hosts.hostAddress}`,
      `other-rebound.test=${hosts.otherHostAddress}`,
      `sibling.test=${hosts.sibling.address}`,
    ];
    const env = { ...SIDECAR_BASE, TOOLHIVE_SIDECAR_HOSTS: names.join(",") };
    return { home, thv: (args: readonly string[]) => runThv(args, { home, engine, env }) };
  }

  const profileFlag = (profile: string) => (profile in { none: 1, network: 1 } ? profile : `${profile}.json`);

  const probe = (name: string, rows: ProbeRows, expected?: Record<string, string>) =>
    probeEgress(
      async (args) => {
        const { stdout, stderr } = await engine.cli(["exec", name, "node", "/app/probe.mjs", ...args]);
        if (stdout === "") throw new Error(stderr);
        return stdout;
      },
      rows,
      expected,
    );

  test.each(EGRESS_COLUMNS)(
    "with the profile %s, isolated: %s, is open as the truth table says (%s)",
    async (profile, isIsolated, who) => {
      const { home, thv } = await openHome();
      await using _home = home;
      const flags = ["--permission-profile", profileFlag(profile), ...(isIsolated ? ["--isolate-network"] : [])];

      const run = await thv(["run", "--name", "probed", ...flags, "toolhive-test/echo:test"]);

      expect(run).toMatchObject({ code: 0 });
      const expected = readExpected(who, hosts);
      expect(await probe("probed", listAttempts(hosts, isIsolated), expected)).toEqual(expected);
    },
  );

  /** What a container of the engine's own reaches, which isolation is compared with. */
  const probePlainly = (rows: ProbeRows) =>
    probeEgress(async (args) => {
      const plain = ["run", "--rm", "--entrypoint", "node", "toolhive-test/echo:test", "/app/probe.mjs"];
      return (await engine.cli([...plain, ...args])).stdout;
    }, rows);

  const siblings = () => ({
    sibling: ["http", hosts.sibling.address, SIBLING_PORT],
    "container on another network": ["http", hosts.cousin.address, SIBLING_PORT],
  });

  test.each(["hosts", "ports", "network", "allow-all"])(
    "with the profile %s and isolated is closed to other containers, by address and by an allowed name",
    async (profile) => {
      const { home, thv } = await openHome();
      await using _home = home;
      const flags = ["--permission-profile", profileFlag(profile), "--isolate-network"];
      await thv(["run", "--name", "probed", ...flags, "toolhive-test/echo:test"]);

      const named = { "allowed name of the sibling": ["http", "sibling.test", SIBLING_PORT] };

      expect(await probe("probed", { ...siblings(), ...named })).toEqual({
        sibling: "closed",
        "container on another network": "closed",
        "allowed name of the sibling": "closed",
      });
    },
  );

  test("reaches a sibling whose address is listed, and that one only", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    const flags = ["--permission-profile", "sibling-listed.json", "--isolate-network"];
    await thv(["run", "--name", "probed", ...flags, "toolhive-test/echo:test"]);

    // With rules of another engine on the machine, Docker's containers may be closed to each other.
    const { sibling } = await probePlainly(siblings());
    expect(["sibling", "closed"]).toContain(sibling);
    expect(await probe("probed", siblings())).toEqual({ sibling, "container on another network": "closed" });
  });

  test("with hosts and not isolated is as open to its siblings as the engine's own containers are", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    await thv(["run", "--name", "probed", "--permission-profile", "hosts.json", "toolhive-test/echo:test"]);

    expect(await probe("probed", siblings())).toEqual(await probePlainly(siblings()));
  });

  test("is closed to a network of the engine that was made while it runs", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    const flags = ["--permission-profile", "allow-all.json", "--isolate-network"];
    await thv(["run", "--name", "probed", ...flags, "toolhive-test/echo:test"]);
    await using late = await openLateContainer(engine);
    const rows = { late: ["http", late.address, SIBLING_PORT] };

    const isRefused = async () => {
      const { late: answer } = await probe("probed", rows);
      const { stdout } = await thv(["logs", "probed"]);
      return answer === "closed" && stdout.includes(`network: denied ${late.address}:${SIBLING_PORT}`);
    };
    await waitFor(isRefused, { what: "the new network to be closed", deadlineMs: 60_000 });
  });

  test("says in logs and status what was refused, and the line that allows it does", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    const isolated = ["--isolate-network", "toolhive-test/echo:test"];
    await thv(["run", "--name", "told", "--permission-profile", "hosts.json", ...isolated]);
    const row = { other: ["http", hosts.address, hosts.httpPort, "other.test"] };
    expect(await probe("told", row)).toEqual({ other: "closed" });

    const logs = await waitFor(
      async () => {
        const { stdout } = await thv(["logs", "told"]);
        return stdout.includes("network: denied other.test") && stdout;
      },
      { what: "the log to tell of the denial", deadlineMs: 40_000 },
    );
    const client = new ApiClient({ socketPath: join(home.stateDirectory, "supervisor.sock") });
    const { denied } = await client.call("listDenied", { params: { name: "told" } });
    expect(denied).toContainEqual({ host: "other.test", port: hosts.httpPort, count: 1, last_at: expect.any(String) });
    const status = await waitFor(
      async () => /network: denied .*/.exec((await thv(["list", "--format", "json"])).stdout)?.[0],
      { what: "the status to tell of the denial", deadlineMs: 40_000 },
    );
    const line = /network: denied other\.test:\d+\. To allow it: (.*)/.exec(logs)?.[1] ?? "";
    await writeFile(join(home.workDirectory, "better.json"), `{"network":{"outbound":{${line}}}}`);
    await thv(["rm", "told"]);
    await thv(["run", "--name", "told", "--permission-profile", "better.json", ...isolated]);

    expect(status).toContain("network: denied other.test");
    const opened = { other: "http other.test" };
    expect(await probe("told", row, opened)).toEqual(opened);
  });

  test("is learned, enforced as it was learned, and opened for one more host, all without a restart", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    const started = async () => (await engine.cli(["inspect", "-f", "{{.State.StartedAt}}", "learner"])).stdout;
    const run = await thv(["run", "--name", "learner", "--learn", "toolhive-test/echo:test"]);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    const before = await started();
    const { address, hostAddress, httpPort, otherPort, tcpPort } = hosts;
    const rows = {
      named: ["http", "allowed.test", httpPort, "allowed.test"],
      proxied: ["proxy", "allowed.test", httpPort],
      raw: ["tcp", address, tcpPort],
      machine: ["http", hostAddress, httpPort],
    };
    const open = { named: "http allowed.test", proxied: "connected", raw: "raw", machine: "closed" };
    expect(await probe("learner", rows, open)).toEqual(open);

    const learned = await thv(["permission", "learn", "learner", "--apply", "--format", "json"]);

    expect(learned, learned.stderr).toMatchObject({ code: 0 });
    const ports = [httpPort, tcpPort].sort((left, right) => left - right);
    expect(JSON.parse(learned.stdout)).toMatchObject({
      restarted: false,
      profile: {
        network: {
          outbound: { insecure_allow_all: false, allow_host: [address, "allowed.test"].sort(), allow_port: ports },
        },
      },
    });
    const other = { other: ["http", "allowed.test", otherPort, "allowed.test"] };
    await waitFor(async () => (await probe("learner", other)).other === "closed", { what: "the rules to be enforced" });
    expect(await probe("learner", rows, open)).toEqual(open);
    expect(await thv(["permission", "allow", "learner", `allowed.test:${otherPort}`])).toMatchObject({ code: 0 });
    await waitFor(async () => (await probe("learner", other)).other === "http allowed.test", { what: "the new rule" });
    expect(await started()).toBe(before);
  });

  test("of one that speaks HTTP is isolated too, and its clients reach it", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    const http = ["--transport", "streamable-http", "--target-port", "3001"];

    const run = await thv([
      "run",
      "--name",
      "web",
      "--permission-profile",
      "none",
      ...http,
      "mcp/everything:test",
      "--",
      "streamableHttp",
    ]);

    expect(run).toMatchObject({ code: 0 });
    expect(await callEcho(addressIn(run.stdout), "through the sidecar")).toBe("Echo: through the sidecar");
    const { stdout } = await engine.cli([
      "exec",
      "web",
      "node",
      "-e",
      `fetch("http://${hosts.address}:${hosts.httpPort}/").then((r)=>console.log(r.status),()=>console.log("closed"))`,
    ]);
    expect(stdout.trim()).toBe("403");
    const ports = await engine.cli(["inspect", "--format", "{{json .HostConfig.PortBindings}}", "web.network"]);
    expect(ports.stdout).toContain('"HostIp":"127.0.0.1"');
  });

  test("is gone with the sidecar, and comes back isolated with a new one; removal leaves nothing", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    const before = await countLeftovers(engine, home);
    const run = await thv([
      "run",
      "--name",
      "cut",
      "--permission-profile",
      "hosts.json",
      "--isolate-network",
      "toolhive-test/echo:test",
    ]);
    const rows = listAttempts(hosts, true);
    const startedAt = async () => (await engine.cli(["inspect", "--format", "{{.State.StartedAt}}", "cut"])).stdout;
    const first = await startedAt();

    await engine.cli(["kill", "cut.network"]);
    await waitFor(async () => (await startedAt()) !== first, { what: "the server to be started anew" });
    await waitFor(async () => (await thv(["list"])).stdout.includes("running"), { what: "the workload to run" });

    const { tools } = await withMcpClient(addressIn(run.stdout), (client) => client.listTools());
    expect(tools.map(({ name }) => name)).toContain("echo");
    expect(
      await probe("cut", { a: rows["allowed host, allowed port"], b: rows["other host"], c: rows["raw TCP"] }),
    ).toEqual({
      a: "http allowed.test",
      b: "closed",
      c: "closed",
    });
    await thv(["rm", "cut"]);
    const { containers, networks, volumes } = await countLeftovers(engine, home);
    expect({ containers, networks, volumes }).toEqual({
      containers: before.containers,
      networks: before.networks,
      volumes: before.volumes,
    });
  });

  test("ends with its sidecar in good order when the engine stops it", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    await thv(["run", "--name", "orderly", "--isolate-network", "toolhive-test/echo:test"]);

    await thv(["stop", "orderly"]);

    const { stdout } = await engine.cli(["inspect", "--format", "{{.State.ExitCode}}", "orderly.network"]);
    const logs = await engine.cli(["logs", "orderly.network"]);
    expect({ code: stdout.trim(), stderr: logs.stderr }).toEqual({ code: "0", stderr: "" });
  });

  test("stays closed while nobody supervises it, and after the next supervisor took over", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    await thv([
      "run",
      "--name",
      "left",
      "--permission-profile",
      "hosts.json",
      "--isolate-network",
      "toolhive-test/echo:test",
    ]);
    const supervisor = await home.findSupervisor();
    if (!supervisor) throw new Error("no supervisor is running");
    const rows = listAttempts(hosts, true);
    const some = { a: rows["allowed host, allowed port"], b: rows["other host"], c: rows["service of the host"] };

    process.kill(supervisor.pid, "SIGKILL");
    await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });
    await waitFor(async () => (await thv(["list"])).stdout.includes("running"), { what: "the workload to run" });

    expect(await probe("left", some)).toEqual({ a: "http allowed.test", b: "closed", c: "closed" });
  });

  test("is not opened by starting the container by hand: Docker refuses without the sidecar, Podman starts both", async () => {
    const { home, thv } = await openHome();
    await using _home = home;
    await thv([
      "run",
      "--name",
      "byhand",
      "--permission-profile",
      "none",
      "--isolate-network",
      "toolhive-test/echo:test",
    ]);
    await thv(["stop", "byhand"]);

    const started = await engine.cli(["start", "byhand"]);

    if (engine.kind === "docker") {
      expect(started.code).not.toBe(0);
      return;
    }
    const isReady = async () =>
      (await engine.cli(["logs", "byhand.network"])).stdout.split("sidecar: ready").length === 3;
    await waitFor(isReady, { what: "the sidecar to be ready again" });
    const { "raw TCP": tcp, "service of the host": host } = listAttempts(hosts, true);
    // Its input has ended with the start, and so may it have by now; then there is nothing that could reach anything.
    const { stdout } = await engine.cli(["exec", "byhand", "node", "/app/probe.mjs", JSON.stringify({ tcp, host })]);
    if (stdout !== "") expect(JSON.parse(stdout)).toEqual({ tcp: "closed", host: "closed" });
  });

  test("that cannot be filtered keeps the server from starting, and no container remains", async () => {
    await using home = await ThrowawayHome.create();
    const env = { TOOLHIVE_SIDECAR_IMAGE: "toolhive-test/exits:test" };
    const before = (await countLeftovers(engine, home)).containers;

    const run = await runThv(["run", "--name", "unfiltered", "--isolate-network", "mcp/everything:test"], {
      home,
      engine,
      env,
    });

    expect(run.code).toBe(18);
    expect(run.stderr).toContain("The network sidecar did not become ready, so the server was not started.");
    expect((await countLeftovers(engine, home)).containers).toEqual(before);
  });
});
