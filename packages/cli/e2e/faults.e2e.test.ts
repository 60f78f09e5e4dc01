import { spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  countLeftovers,
  describeEngines,
  dropProgress,
  runThv,
  type TestEngine,
  ThrowawayHome,
  waitFor,
} from "@toolhive/testing";
import { describe, expect, test } from "vitest";
import { callEcho } from "../src/testing/mcp-client.ts";

/** What must be the same before and after a command that failed: all but the supervisor and its own files. */
async function remains(engine: TestEngine, home: ThrowawayHome) {
  const { containers, networks, volumes, stateFiles } = await countLeftovers(engine, home);
  return { containers, networks, volumes, runConfigs: stateFiles.filter((file) => file.includes("runconfigs")) };
}

describeEngines("a command that fails on $kind", (engine) => {
  test("run of an image whose registry cannot be reached says so, exits 21 and leaves nothing", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["list", "--all"], { home, engine });
    const before = await remains(engine, home);

    const result = await runThv(["run", "--name", "nope", "example.invalid/no/such:1"], { home, engine });

    expect(result).toMatchObject({ code: 21, stdout: "" });
    expect(result.stderr).toContain('Error: The image registry of "example.invalid/no/such:1" cannot be reached: ');
    expect(result.stderr).toContain("Hint: ");
    expect(await remains(engine, home)).toEqual(before);
  });

  test("run of a server that exits at once shows its last output, exits 8 and leaves nothing", async () => {
    await using home = await ThrowawayHome.create();
    const before = await remains(engine, home);

    const result = await runThv(["run", "--name", "exits", "toolhive-test/exits:test"], { home, engine });

    expect(result).toMatchObject({ code: 8, stdout: "" });
    expect(result.stderr).toContain("| exits: cannot read the configuration file");
    expect(result.stderr).toContain("Error: The server exited with code 3.\nHint: ");
    expect(await remains(engine, home)).toEqual(before);
  });

  test("run under a name that is taken exits 4 and leaves the workload as it is", async () => {
    await using home = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });

    const again = await runThv(["run", "--name", "everything", "mcp/memory:test"], { home, engine });

    expect(again.code).toBe(4);
    expect(again.stderr).toContain(
      'Error: A server named "everything" already exists.\nHint: Choose another name with --name, or remove it: thv rm everything\n',
    );
    expect(await callEcho(run.stdout.trim().split(" ").at(-1) ?? "", "still")).toBe("Echo: still");
  });

  test("run under the name of somebody else's container exits 4, and that container survives", async () => {
    await using home = await ThrowawayHome.create();
    await engine.cli(["create", "--name", "foreign", "mcp/everything:test"]);
    try {
      const before = await engine.cli(["inspect", "--format", "{{.Id}}", "foreign"]);

      const result = await runThv(["run", "--name", "foreign", "mcp/everything:test"], { home, engine });

      expect(result.code).toBe(4);
      expect(result.stderr).toMatch(/A container named "foreign" exists and is not one of yours\.\nHint: .*--name/);
      expect(await engine.cli(["inspect", "--format", "{{.Id}}", "foreign"])).toEqual(before);
    } finally {
      await engine.cli(["rm", "--force", "foreign"]);
    }
  });

  test("a container of another home with the same name is not touched", async () => {
    await using home = await ThrowawayHome.create();
    await using other = await ThrowawayHome.create();
    const run = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home: other, engine });

    const result = await runThv(["run", "--name", "everything", "mcp/everything:test"], { home, engine });

    expect(result.code).toBe(4);
    expect(await callEcho(run.stdout.trim().split(" ").at(-1) ?? "", "mine")).toBe("Echo: mine");
  });

  test("Ctrl-C while a server starts exits 130 and leaves nothing", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["list", "--all"], { home, engine });
    const before = await remains(engine, home);
    const interrupt = new AbortController();
    // The server answers nothing, so the command is surely still waiting when it is interrupted.
    const args = ["run", "--name", "silent", "toolhive-test/echo:test", "--", "--silent"];
    const running = runThv(args, { home, engine, signal: interrupt.signal, killSignal: "SIGINT" });
    await waitFor(async () => (await countLeftovers(engine, home)).containers.includes("silent (running)"), {
      what: "the container to run",
    });

    interrupt.abort();
    const result = await running;

    expect(result).toMatchObject({ code: 130, stdout: "" });
    expect(result.stderr).toContain('Interrupted: "silent" was not started, and nothing of it is left.');
    expect(await remains(engine, home)).toEqual(before);
  });

  test("run that is killed takes nothing back: the server goes on starting", async () => {
    await using home = await ThrowawayHome.create();
    await runThv(["list", "--all"], { home, engine });
    const kill = new AbortController();
    // The server answers only after the command was killed.
    const folder = await mkdtemp(join(tmpdir(), "gate-"));
    await chmod(folder, 0o755);
    const args = ["run", "--name", "orphan", "--volume", `${folder}:/gate:ro`, "toolhive-test/echo:test"];
    const running = runThv([...args, "--", "--gate=/gate/open"], {
      home,
      engine,
      signal: kill.signal,
      killSignal: "SIGKILL",
    });
    await waitFor(async () => (await remains(engine, home)).runConfigs.length > 0, { what: "the start to begin" });

    kill.abort();
    const { stderr, ...result } = await running;
    await writeFile(join(folder, "open"), "");

    expect({ ...result, stderr: dropProgress(stderr) }).toEqual({ code: 137, stdout: "", stderr: "" });
    await waitFor(
      async () => (await runThv(["list", "--format", "json"], { home, engine })).stdout.includes('"status": "running"'),
      { what: "the server to run" },
    );
    await rm(folder, { recursive: true });
  });

  test.each([
    ["stop", "stopped"],
    ["rm", "removed"],
  ])(
    "%s of an unknown workload warns, says on standard output that nothing was left to do, and exits 0",
    async (command, participle) => {
      await using home = await ThrowawayHome.create();

      expect(await runThv([command, "nope"], { home, engine })).toMatchObject({
        code: 0,
        stdout: `nope does not exist, which counts as ${participle} successfully.\n`,
        stderr: "Warning: server not found: nope\n",
      });
    },
  );

  test.each(["restart", "logs"])("%s of an unknown workload exits 3", async (command) => {
    await using home = await ThrowawayHome.create();

    const result = await runThv([command, "nope"], { home, engine });

    expect(result).toMatchObject({
      code: 3,
      stdout: "",
      stderr: 'Error: There is no server "nope".\nHint: See all servers: thv list --all\n',
    });
  });
});

describe("without a usable engine", () => {
  const env = { DOCKER_HOST: "unix:///nonexistent/docker.sock" };

  test("run names the socket that was tried and what to do, and exits 6", async () => {
    await using home = await ThrowawayHome.create();

    const result = await runThv(["run", "mcp/everything"], { home, env });

    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(result.stderr).toContain("/nonexistent/docker.sock, named by DOCKER_HOST, does not answer.\nHint: ");
  });

  test("list works and shows nothing", async () => {
    await using home = await ThrowawayHome.create();

    const result = await runThv(["list", "--format", "json"], { home, env });

    expect(result).toMatchObject({ code: 0, stdout: "[]\n" });
  });

  test.skipIf(process.getuid?.() !== 0)(
    "a socket that may not be used is told apart from one that is not there (needs root to become another user)",
    async () => {
      await using home = await ThrowawayHome.create();
      const directory = join(home.path, "engine");
      await mkdir(directory);
      const server = createServer().listen(join(directory, "docker.sock"));
      await chmod(join(directory, "docker.sock"), 0o600);
      await chown(home.path, 65534, 65534);
      try {
        const child = spawn(process.execPath, [join(home.path, "bin/thv"), "run", "mcp/everything"], {
          uid: 65534,
          gid: 65534,
          cwd: "/",
          env: {
            PATH: process.env.PATH ?? "",
            HOME: join(home.path, "nobody"),
            DOCKER_HOST: `unix://${directory}/docker.sock`,
          },
        });
        let stderr = "";
        child.stderr.on("data", (chunk) => {
          stderr += chunk;
        });
        const code = await new Promise((resolve) => child.once("close", resolve));

        expect(stderr).toContain(
          `Error: No permission to use the container engine at ${directory}/docker.sock.\nHint: `,
        );
        expect(code).toBe(6);
      } finally {
        server.close();
      }
    },
  );
});
