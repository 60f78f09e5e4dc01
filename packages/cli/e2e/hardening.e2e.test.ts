import { BOUNDING_ENGINES, describeEngines, runThv, type TestEngine, ThrowawayHome } from "@toolhive/testing";
import { expect, test } from "vitest";
import { callEcho } from "../src/testing/mcp-client.ts";

const MIB = 1024 * 1024;

interface Inspected {
  readonly HostConfig: Record<string, unknown>;
  readonly Config: { readonly Env: string[]; readonly Labels: Record<string, string> };
}

async function inspect(name: string, engine: TestEngine): Promise<Inspected> {
  const { stdout } = await engine.cli(["inspect", name]);
  const [container] = JSON.parse(stdout) as Inspected[];
  if (!container) throw new Error(`no container ${name}`);
  return container;
}

/** The lines of a file of the container's first process, by their names. */
async function processStatus(name: string, engine: TestEngine): Promise<Record<string, string>> {
  const script = "process.stdout.write(require('fs').readFileSync('/proc/self/status','utf8'))";
  const { stdout } = await engine.cli(["exec", name, "node", "-e", script]);
  return Object.fromEntries(stdout.split("\n").map((line) => line.split(/:\s+/, 2) as [string, string]));
}

describeEngines("a container on $kind", BOUNDING_ENGINES, (engine) => {
  test("has no capability, no way to new privileges, bounded resources and nothing of the host's", async () => {
    await using home = await ThrowawayHome.create();

    await runThv(["run", "--name", "hardened", "--env", "MARKER=visible-to-the-server", "mcp/everything:test"], {
      home,
      engine,
    });

    const { HostConfig, Config } = await inspect("hardened", engine);
    expect(HostConfig).toMatchObject({
      Privileged: false,
      Memory: 2048 * MIB,
      MemorySwap: 2048 * MIB,
      CpuPeriod: 100_000,
      CpuQuota: 200_000,
      PidsLimit: 1024,
    });
    expect(JSON.stringify(HostConfig.SecurityOpt)).toContain("no-new-privileges");
    for (const member of ["NetworkMode", "PidMode", "IpcMode", "UTSMode", "UsernsMode"]) {
      expect([member, HostConfig[member]]).not.toEqual([member, "host"]);
    }
    expect(Config.Labels).toMatchObject({ toolhive: "true", "toolhive-name": "hardened" });
    // What the kernel says counts, whatever the engine was asked for.
    expect(await processStatus("hardened", engine)).toMatchObject({
      CapPrm: "0000000000000000",
      CapEff: "0000000000000000",
      CapBnd: "0000000000000000",
      NoNewPrivs: "1",
    });
  });

  test("of a server that speaks HTTP has its port on the loopback address only", async () => {
    await using home = await ThrowawayHome.create();

    const run = await runThv(
      [
        "run",
        "--name",
        "http",
        "--transport",
        "streamable-http",
        "--target-port",
        "3001",
        "mcp/everything:test",
      ].concat("--", "streamableHttp"),
      { home, engine },
    );

    expect(run.code).toBe(0);
    const { HostConfig } = await inspect("http", engine);
    const bindings = Object.values(HostConfig.PortBindings as Record<string, { HostIp: string }[]>).flat();
    expect(bindings.map(({ HostIp }) => HostIp)).toEqual(["127.0.0.1"]);
  });

  test("has the limits and the unchangeable root that were asked for", async () => {
    await using home = await ThrowawayHome.create();
    const flags = ["--memory", "256m", "--cpus", "0.5", "--pids-limit", "64", "--read-only"];

    const run = await runThv(["run", "--name", "small", ...flags, "mcp/everything:test"], { home, engine });

    expect(await callEcho(run.stdout.trim().split(" ").at(-1) ?? "", "still here")).toBe("Echo: still here");
    expect((await inspect("small", engine)).HostConfig).toMatchObject({
      Memory: 256 * MIB,
      CpuQuota: 50_000,
      PidsLimit: 64,
      ReadonlyRootfs: true,
    });
    const write = (path: string) =>
      engine.cli(["exec", "small", "node", "-e", `require('fs').writeFileSync('${path}/x','')`]);
    expect((await write("/app")).stderr).toContain("EROFS");
    expect((await write("/tmp")).code).toBe(0);
  });

  test("of a server that takes more memory than it may is ended, and the machine is not", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["run", "--name", "greedy", "--memory", "128m", "mcp/everything:test"], { home, engine });
    // It gives up at twice its bound, so that no machine suffers where the bound does not hold.
    const grow = "const kept=[];while(kept.length<32)kept.push(Buffer.alloc(8*1024*1024,1))";

    const { code } = await engine.cli(["exec", "greedy", "node", "-e", grow]);

    expect(code).toBe(137);
  });
});

test("a limit that is none is refused before anything is made", async () => {
  await using home = await ThrowawayHome.create();

  const run = await runThv(["run", "--memory", "lots", "mcp/everything:test"], { home });

  expect(run).toMatchObject({ code: 64, stderr: expect.stringContaining('--memory is "lots"') });
});
