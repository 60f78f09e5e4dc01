/** Where the image of network sidecars comes from: built on a base, or pulled as it is, and what is said when neither works. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTextEntry, type StoredImage, TestImageRegistry, writeTar } from "@toolhive/core/testing";
import { discoverEngine } from "@toolhive/engine";
import { describeEngines, ENGINES_FOR_LOCAL_IMAGES, readStoredImage, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

/** What thv builds on when nothing else is named. */
const DEFAULT_BASE = "docker.io/library/node:22-alpine";
/** Stands for Alpine's package manager, whose packages cannot be fetched here: it has one, and that is put in place. */
const APK = `#!/usr/local/bin/node
const { renameSync } = require("node:fs");
const args = process.argv.slice(2).join(" ");
if (args !== "add --no-cache nftables") throw new Error("apk " + args);
renameSync("/opt/nft", "/usr/sbin/nft");
`;

describeEngines("the image of network sidecars on $kind", ENGINES_FOR_LOCAL_IMAGES, (engine) => {
  let stored: StoredImage;
  let images: TestImageRegistry;
  let home: ThrowawayHome;

  beforeAll(async () => {
    stored = await readStoredImage("toolhive-test/sidecar-base:test");
    images = await TestImageRegistry.start();
  });
  afterAll(async () => {
    await images[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    home = await ThrowawayHome.create();
  });
  afterEach(async () => {
    await home[Symbol.asyncDispose]();
  });

  const runIsolated = (env: Record<string, string> = {}) =>
    runThv(["run", "--name", "apart", "--isolate-network", "toolhive-test/echo:test"], { home, engine, env });
  const must = async (...args: string[]) => {
    const { code, stdout, stderr } = await engine.cli(args);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };

  test("is built on a base that is pulled; a copy in an image registry is pulled by its name", async () => {
    await images.addImage("base", stored);
    const base = `${images.host}/acme/sidecar-base:base`;

    const built = await runIsolated({ TOOLHIVE_SIDECAR_BASE_IMAGE: base });

    expect(built).toMatchObject({ code: 0 });
    const reference = await must("inspect", "--format", "{{.Config.Image}}", "apart.network");
    expect(reference).toMatch(/toolhivelocal\/sidecar:[0-9a-f]{16}$/);
    expect(images.served.join()).toContain("manifests/base");

    await images.addImage("copy", await copySidecar("apart.network"));
    await runThv(["rm", "apart"], { home, engine });
    await home.stopSupervisor();
    const copy = `${images.host}/acme/sidecar:copy`;
    const { code, stderr } = await runIsolated({ TOOLHIVE_SIDECAR_IMAGE: copy });

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    expect(await must("inspect", "--format", "{{.Config.Image}}", "apart.network")).toBe(copy);
    await runThv(["rm", "apart"], { home, engine });
    for (const image of [reference, base, copy]) await engine.cli(["rmi", "--force", image]);
  });

  /** The sidecar's image as somebody else would publish it: its base, the program, how it is started. */
  async function copySidecar(container: string): Promise<StoredImage> {
    await must("cp", `${container}:/toolhive/sidecar.mjs`, join(home.path, "sidecar.mjs"));
    const program = await readFile(join(home.path, "sidecar.mjs"), "utf8");
    const chunks: Uint8Array[] = [];
    for await (const chunk of writeTar([createTextEntry("toolhive/sidecar.mjs", program)])) chunks.push(chunk);
    const layer = Buffer.concat(chunks);
    const path = join(home.path, "program.tar");
    await writeFile(path, layer);
    const config = JSON.parse(stored.config) as {
      config: { Entrypoint: string[]; User: string };
      rootfs: { diff_ids: string[] };
      history?: unknown;
    };
    // Podman reports it as one text.
    const entrypoint: unknown = JSON.parse(await must("inspect", "--format", "{{json .Config.Entrypoint}}", container));
    config.config.Entrypoint = [entrypoint].flat().flatMap((words) => String(words).split(" "));
    config.rootfs.diff_ids.push(`sha256:${createHash("sha256").update(layer).digest("hex")}`);
    delete config.history;
    return { config: JSON.stringify(config), layers: [...stored.layers, path] };
  }

  test("on a base that cannot be pulled is an error with its name and with what to do", async () => {
    const base = `${images.host}/acme/sidecar-base:gone`;

    const { code, stderr } = await runIsolated({ TOOLHIVE_SIDECAR_BASE_IMAGE: base });

    expect([code, stderr]).toEqual([18, expect.stringMatching(/could not be built: .*manifest unknown/s)]);
    expect(stderr).toContain(`Hint: TOOLHIVE_SIDECAR_BASE_IMAGE names ${base}, which the engine must have`);
    expect(stderr).toContain("name it in TOOLHIVE_SIDECAR_IMAGE in the supervisor's environment");
  });

  test("on a base without the packet filter is an error that names it, and the server is not started", async () => {
    const { code, stderr } = await runIsolated({
      TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/echo:test",
    });

    expect([code, stderr]).toEqual([
      18,
      expect.stringContaining("so the server was not started: the image of the sidecar has no nft"),
    ]);
    expect((await engine.cli(["inspect", "apart"])).code).not.toBe(0);
  });

  describe.runIf(engine.origin.startsWith("private"))("on the base that is used when none is named", () => {
    afterEach(async () => {
      await engine.cli(["rmi", "--force", DEFAULT_BASE]);
    });

    /** The base with a stand-in for its package manager, under the base's name; or without one. */
    async function provideBase(apk: string | undefined): Promise<void> {
      const dockerfile = [
        "FROM docker.io/toolhive-test/sidecar-base:test",
        `RUN ["node", "-e", "require('fs').mkdirSync('/opt'); require('fs').renameSync('/usr/sbin/nft', '/opt/nft')"]`,
        ...(apk === undefined ? [] : ["COPY apk /sbin/apk", "ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]),
        "",
      ].join("\n");
      const port = await discoverEngine({ env: { DOCKER_HOST: engine.host }, home: home.path });
      const files = apk === undefined ? [] : [{ ...createTextEntry("apk", apk), isExecutable: true }];
      await port.buildImage(DEFAULT_BASE, () => writeTar([createTextEntry("Dockerfile", dockerfile), ...files]));
    }

    test("gets the packet filter from its package manager", async () => {
      await provideBase(APK);

      const { code, stderr } = await runIsolated();

      expect({ code, stderr }).toMatchObject({ code: 0 });
      const reference = await must("inspect", "--format", "{{.Config.Image}}", "apart.network");
      await runThv(["rm", "apart"], { home, engine });
      await engine.cli(["rmi", "--force", reference]);
    });

    test("is an error that names the package manager when that is missing", async () => {
      await provideBase(undefined);

      const { code, stderr } = await runIsolated();

      expect([code, stderr]).toEqual([18, expect.stringMatching(/could not be built: .*apk/s)]);
      expect(stderr).toContain(`It is built on ${DEFAULT_BASE} with the package nftables`);
    });
  });
});
