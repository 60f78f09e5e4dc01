/**
 * What holds on every engine, on those that the whole suite does not run on: transports, isolation, folders, logs, pulls
 * and what happens when the supervisor or the engine ends.
 */
import { once } from "node:events";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { TestImageRegistry } from "@toolhive/core/testing";
import {
  listEnginePairs,
  type OpenPair,
  readStoredImage,
  runCommand,
  runThv,
  stopEngine,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callEcho, withMcpClient } from "../src/testing/mcp-client.ts";

const SIDECAR_BASE = { TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };
const EVERYTHING = "mcp/everything:test";
const HTTP = ["--transport", "streamable-http", "--target-port", "3001"];
/** An address of this network that is no container's and not on the loopback range. */
const OUTSIDE = "10.99.77.1";

const SERVERS = [
  { what: "stdio, open", flags: [], args: [] },
  { what: "stdio, isolated", flags: ["--isolate-network"], args: [] },
  { what: "HTTP, open", flags: HTTP, args: ["--", "streamableHttp"] },
  { what: "HTTP, isolated", flags: [...HTTP, "--isolate-network"], args: ["--", "streamableHttp"] },
] as const;

/** What servers reach outside: two ports at an address that every engine's containers can reach. */
class OutsideServer implements AsyncDisposable {
  readonly #servers: readonly Server[];
  readonly port: number;
  readonly otherPort: number;

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
    const [port = 0, otherPort = 0] = servers.map((server) => (server.address() as AddressInfo).port);
    this.port = port;
    this.otherPort = otherPort;
  }

  static async start(): Promise<OutsideServer> {
    // The network is the tests' own; nothing of the machine has this address.
    await runCommand("ip", ["address", "replace", `${OUTSIDE}/32`, "dev", "lo"]);
    const servers = [0, 1].map(() => createServer((_request, response) => response.end("outside")).listen(0, OUTSIDE));
    await Promise.all(servers.map((server) => once(server, "listening")));
    return new OutsideServer(servers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.close().closeAllConnections();
    await runCommand("ip", ["address", "delete", `${OUTSIDE}/32`, "dev", "lo"]);
  }
}

const pairs = (await listEnginePairs()).filter(({ isInSuite }) => !isInSuite);

describe.each(pairs)("on $title", ({ obstacle, isRootless, kind, open }) => {
  describe.skipIf(obstacle !== undefined)("a server", () => {
    let pair: OpenPair;
    let home: ThrowawayHome;

    beforeAll(async () => {
      pair = await open();
    });
    beforeEach(async () => {
      home = await ThrowawayHome.create(pair.user);
    });
    afterEach(async () => {
      await home[Symbol.asyncDispose]();
    });

    const thv = async (...args: string[]) => {
      const { code, stdout, stderr } = await runThv(args, { home, engine: pair.engine, env: SIDECAR_BASE });
      if (code !== 0) throw new Error(`thv ${args.join(" ")} ended with ${code}: ${stderr}`);
      return stdout.trim();
    };
    const must = async (...args: string[]) => {
      const { code, stdout, stderr } = await pair.engine.cli(args);
      if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
      return stdout.trim();
    };
    /** @returns Its address. */
    const start = async (name: string, { flags, args }: { flags: readonly string[]; args: readonly string[] }) =>
      (await thv("run", "--name", name, ...flags, EVERYTHING, ...args)).split(" ").at(-1) ?? "";
    const answers = async (address: string) => {
      const answer = await callEcho(address, "there").catch(() => undefined); // it is away, or comes back just now
      return answer === "Echo: there";
    };

    test.each(SERVERS)("on $what answers, stops and starts again", async (server) => {
      const address = await start("ev", server);
      expect(await callEcho(address, "hello")).toBe("Echo: hello");

      await thv("stop", "ev");
      await thv("restart", "ev");

      expect(await callEcho(address, "again")).toBe("Echo: again");
    });

    test.each(SERVERS)("on $what answers at the same address once its supervisor was killed", async (server) => {
      const address = await start("ev", server);
      const supervisor = await home.findSupervisor();
      if (!supervisor) throw new Error("no supervisor is running");

      process.kill(supervisor.pid, "SIGKILL");
      await waitFor(async () => (await home.findSupervisor()) === undefined, { what: "the supervisor to be gone" });
      await thv("list");

      await waitFor(() => answers(address), { what: "the server to answer" });
    });

    test("of each transport, open and isolated, answers again once the engine was killed and started", async () => {
      const addresses = await Promise.all(SERVERS.map((server, at) => start(`ev${at}`, server)));

      await (await stopEngine(pair.engine, "SIGKILL")).start();

      for (const [at, address] of addresses.entries()) {
        await waitFor(() => answers(address), { what: `${SERVERS[at]?.what} to answer`, deadlineMs: 60_000 });
      }
    });

    test("that is isolated reaches what its profile lists, and nothing else; its sidecar ends in good order", async () => {
      await using outside = await OutsideServer.start();
      const profile = { network: { outbound: { allow_host: [OUTSIDE], allow_port: [outside.port] } } };
      await writeFile(join(home.workDirectory, "some.json"), JSON.stringify(profile));
      const isolated = ["--isolate-network", "--permission-profile"];
      await start("free", { flags: [], args: [] });
      await start("some", { flags: [...isolated, "some.json"], args: [] });
      await start("none", { flags: [...isolated, "none"], args: [] });
      const reach = async (name: string, port: number) => {
        const program = `fetch("http://${OUTSIDE}:${port}/", { signal: AbortSignal.timeout(5000) }).then((r) => r.text()).then(console.log, () => console.log("closed"))`;
        return (await must("exec", name, "node", "-e", program)) === "outside";
      };

      expect(await reach("free", outside.port)).toBe(true);
      expect(await reach("some", outside.port)).toBe(true);
      expect(await reach("free", outside.otherPort)).toBe(true);
      expect(await reach("some", outside.otherPort)).toBe(false);
      expect(await reach("none", outside.port)).toBe(false);
      await thv("stop", "some");
      expect(await must("inspect", "--format", "{{.State.ExitCode}}", "some.network")).toBe("0");
      expect((await pair.engine.cli(["logs", "some.network"])).stderr).toBe("");
    });

    test("reads a folder of the user's, and what it says on standard error is in its logs", async () => {
      const notes = join(home.path, "notes");
      await mkdir(notes);
      await chmod(notes, 0o755);
      await writeFile(join(notes, "a.txt"), "of the user");
      if (pair.user) for (const path of [notes, join(notes, "a.txt")]) await chown(path, pair.user.uid, pair.user.gid);
      const run = await thv("run", "--name", "files", "--volume", `${notes}:/projects:ro`, "mcp/filesystem:latest");

      const text = await withMcpClient(run.split(" ").at(-1) ?? "", async (client) => {
        const { content } = await client.callTool({ name: "read_text_file", arguments: { path: "/projects/a.txt" } });
        return JSON.stringify(content);
      });

      expect(text).toContain("of the user");
      await waitFor(async () => (await thv("logs", "files")).includes("Filesystem Server"), { what: "the logs" });
    });

    describe("whose image is not there", () => {
      let images: TestImageRegistry;
      beforeAll(async () => {
        images = await TestImageRegistry.start();
      });
      afterAll(async () => {
        await images[Symbol.asyncDispose]();
      });

      test.skipIf(isRootless && kind === "docker")(
        "is pulled, once (skipped on rootless Docker: this machine's loopback address is not its own)",
        async () => {
          await images.addImage("one", await readStoredImage(EVERYTHING));
          const reference = `${images.host}/acme/everything:one`;

          const run = await thv("run", "--name", "pulled", reference);
          const served = images.served.length;
          await thv("run", "--name", "again", reference);

          expect(await callEcho(run.split(" ").at(-1) ?? "", "hello")).toBe("Echo: hello");
          expect(served).toBeGreaterThan(0);
          expect(images.served.length).toBe(served);
          await thv("rm", "pulled", "again");
          await pair.engine.cli(["rmi", "--force", reference]);
        },
      );
    });

    const missing = async () => {
      const findings = JSON.parse((await runThv(["doctor", "--format", "json"], { home, engine: pair.engine })).stdout);
      return (findings as { check: string }[]).some(({ check }) => check === "limits");
    };

    // Each ends by itself soon after the bound, so that no machine suffers where the bound does not hold.
    test.runIf(isRootless).each([
      {
        what: "memory",
        flags: ["--memory", "256m"],
        script:
          "const kept=[];setInterval(()=>{if(kept.length<48)kept.push(Buffer.alloc(8*1024*1024,1));console.log(kept.length*8)},20)",
      },
      {
        what: "processes",
        flags: ["--pids-limit", "120"],
        script:
          "const {spawn}=require('child_process');let n=0;setInterval(()=>{if(n<30){n++;spawn(process.execPath,['-e','setTimeout(()=>{},30000)'],{detached:true})}console.log(n)},50)",
      },
    ])(
      "that takes too much of the $what is ended, and answers again (a rootless engine)",
      async ({ what, flags, script }) => {
        const address = await start("greedy", { flags, args: [] });
        const end = "setTimeout(()=>process.exit(),30000);";

        const { code } = await pair.engine.cli(["exec", "greedy", "node", "-e", end + script]);

        expect([what, code]).toEqual([what, 137]);
        await waitFor(() => answers(address), { what: "the server to answer" });
      },
    );

    test.runIf(isRootless)("gets no limit that nothing keeps, and the user learns it (a rootless engine)", async () => {
      const refused = await runThv(["run", "--cpus", "0.5", EVERYTHING], { home, engine: pair.engine });
      const run = await runThv(["run", "--name", "ev", EVERYTHING], { home, engine: pair.engine });

      // Where control groups are delegated, the engine keeps all three.
      const isUnlimited = await missing();
      expect(refused.stderr.includes("cannot limit processors: --cpus 0.5")).toBe(isUnlimited);
      expect(run.stdout + run.stderr).toContain(isUnlimited ? "the supervisor ends the server at its bound" : "ev");
    });
  });
});
