/** Which engine is found on a machine, and what is said where none answers. */
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { FakeDaemon, json, VERSION } from "../testing/fake-daemon.ts";
import { discoverEngine } from "./discover-engine.ts";

describe("discoverEngine", () => {
  test("passes over a stale socket to the first engine that answers", async () => {
    await using daemon = await FakeDaemon.start();
    const runtime = join(daemon.directory, "run");
    await mkdir(join(runtime, "podman"), { recursive: true });
    const stale = createServer().listen(join(runtime, "podman/podman.sock"));
    await new Promise((resolve) => stale.close(resolve));
    await writeFile(join(runtime, "podman/podman.sock"), "");
    await symlink(daemon.socketPath, join(runtime, "docker.sock"));

    const engine = await discoverEngine({
      env: { XDG_RUNTIME_DIR: runtime },
      home: daemon.directory,
      root: daemon.directory,
    });

    expect(engine.info.address).toBe(join(runtime, "docker.sock"));
  });

  test("names what was tried, and what to do, when nobody answers", async () => {
    const home = await mkdtemp(join(tmpdir(), "thv-home-"));
    try {
      const finding = discoverEngine({ env: { DOCKER_HOST: `unix://${home}/none.sock` }, home });

      await expect(finding).rejects.toMatchObject({
        code: "ENGINE_UNREACHABLE",
        message: `The container engine at ${home}/none.sock, named by DOCKER_HOST, does not answer.`,
        hint: expect.stringContaining("DOCKER_HOST"),
      });
    } finally {
      await rm(home, { recursive: true });
    }
  });

  test("does not wait for ever for an engine that accepts and says nothing", async () => {
    await using daemon = await FakeDaemon.start();
    daemon.answer("GET /version", () => undefined);

    await expect(
      discoverEngine({
        env: { DOCKER_HOST: `unix://${daemon.socketPath}` },
        home: "/nonexistent",
        deadlines: { firstMs: 60_000, patientMs: 50 },
      }),
    ).rejects.toMatchObject({
      code: "ENGINE_UNREACHABLE",
    });
  });

  test("has more patience with an engine that was named than with one of the usual places", async () => {
    await using daemon = await FakeDaemon.start();
    const engine = await discoverEngine({
      env: { DOCKER_HOST: `unix://${daemon.socketPath}` },
      home: "/nonexistent",
      deadlines: { firstMs: 0, patientMs: 60_000 },
    });

    expect(engine.info.address).toContain(daemon.socketPath);
  });

  test("asks a silent engine of the usual places again, with more patience, when no other answers", async () => {
    await using daemon = await FakeDaemon.start();
    const home = join(daemon.directory, "home");
    await mkdir(join(home, ".docker/run"), { recursive: true });
    await symlink(daemon.socketPath, join(home, ".docker/run/docker.sock"));
    // Later than the first patience ends. On a busy machine that may be before the first question has come.
    daemon.answer("GET /version", (request, response) => {
      setTimeout(() => json(200, VERSION)(request, response), 500);
    });

    const deadlines = { firstMs: 50, patientMs: 60_000 };
    const engine = await discoverEngine({ env: {}, home, root: daemon.directory, deadlines });

    expect(engine.info.address).toBe(join(home, ".docker/run/docker.sock"));
  });

  test("ends with its signal", async () => {
    await using daemon = await FakeDaemon.start();
    daemon.answer("GET /version", () => undefined);
    const leave = new AbortController();

    const finding = discoverEngine({
      env: { DOCKER_HOST: `unix://${daemon.socketPath}` },
      home: "/nonexistent",
      signal: leave.signal,
    });
    leave.abort(new Error("enough"));

    await expect(finding).rejects.toThrow("enough");
  });

  test.skipIf(process.getuid?.() !== 0)(
    "reports a socket that may not be used otherwise than one that does not exist (needs root to become another user)",
    async () => {
      await using daemon = await FakeDaemon.start();
      await chmod(daemon.directory, 0o755);
      await chmod(daemon.socketPath, 0o600);
      const program = join(daemon.directory, "discover.mjs");
      await build({
        stdin: {
          contents: `import { discoverEngine } from "./discover-engine.ts";
            await discoverEngine({ env: process.env, home: "/" }).catch(({ code, hint }) => console.log(code, hint));`,
          resolveDir: import.meta.dirname,
          loader: "ts",
        },
        bundle: true,
        platform: "node",
        format: "esm",
        outfile: program,
        external: ["@napi-rs/*"],
        logLevel: "error",
      });
      await chown(program, 65534, 65534);

      const { stdout } = await promisify(execFile)(process.execPath, [program], {
        uid: 65534,
        gid: 65534,
        env: { PATH: process.env.PATH, DOCKER_HOST: `unix://${daemon.socketPath}` },
      });

      expect(stdout).toMatch(/^ENGINE_PERMISSION .*group/);
    },
  );
});
