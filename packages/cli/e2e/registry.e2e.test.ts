import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTextEntry, writeTar } from "@toolhive/core/testing";
import { discoverEngine } from "@toolhive/engine";
import { describeEngines, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callEcho, withMcpClient } from "../src/testing/mcp-client.ts";

const urlIn = (stdout: string) => stdout.trim().split(" ").at(-1) ?? "";

describeEngines("servers of the registry on $kind", (engine) => {
  test("run by name needs nothing but the name", async () => {
    await using home = await ThrowawayHome.create();

    const run = await runThv(["run", "everything"], { home, engine });

    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^everything is running at http:/) });
    expect(await callEcho(urlIn(run.stdout), "hello")).toBe("Echo: hello");
  });

  test("a server of a registry file gets its arguments first, its defaults, and is refused without what it needs", async () => {
    await using home = await ThrowawayHome.create();
    const server = {
      image: "mcp/filesystem:test",
      description: "Reads the files of a folder.",
      tier: "Community",
      status: "Active",
      transport: "stdio",
      tools: ["read_file"],
      args: ["/projects"],
      env_vars: [
        { name: "TOKEN", description: "A token that it needs.", required: true, secret: true },
        { name: "MODE", description: "A word with a default.", required: false, default: "calm" },
      ],
    };
    const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: { files: server } };
    await writeFile(join(home.workDirectory, "registry.json"), JSON.stringify(registry));
    await runThv(["config", "set-registry-url", "registry.json"], { home, engine });

    const refused = await runThv(["run", "files"], { home, engine });
    const run = await runThv(["run", "--env", "TOKEN=t", "files", "--", "/tmp"], { home, engine });

    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot start without TOKEN") });
    expect(run.code).toBe(0);
    const folders = await withMcpClient(urlIn(run.stdout), (client) =>
      client.callTool({ name: "list_allowed_directories", arguments: {} }),
    );
    expect(JSON.stringify(folders)).toMatch(/\/projects.*\/tmp/);
    const { stdout } = await engine.cli(["inspect", "--format", "{{json .Config.Env}}", "files"]);
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(["TOKEN=t", "MODE=calm"]));
  });
});

describeEngines("servers given as a package on $kind", (engine) => {
  /** What a package manager does here: says how it was called, and becomes the echo server. */
  const MANAGER = [
    "#!/usr/local/bin/node",
    'console.error("called:", JSON.stringify(process.argv.slice(2)), "as", process.getuid(), "in", process.cwd());',
    'require("node:fs").writeFileSync("written", "");',
    'import("/app-base/echo-server.mjs");',
    "",
  ].join("\n");
  const base = `docker.io/toolhive-test/package-base-${engine.kind}:test`;
  const env = { TOOLHIVE_NPX_BASE_IMAGE: base, TOOLHIVE_UVX_BASE_IMAGE: base, TOOLHIVE_GO_BASE_IMAGE: base };
  let home: ThrowawayHome;

  beforeAll(async () => {
    home = await ThrowawayHome.create();
    await buildBase(engine, home, base, MANAGER);
  });
  afterAll(async () => {
    await (await discoverEngine({ env: { DOCKER_HOST: engine.host }, home: home.path })).removeImage(base);
    await home[Symbol.asyncDispose]();
  });

  const listImages = async () =>
    (await engine.cli(["images", "--format", "{{.Repository}}:{{.Tag}}"])).stdout
      .split("\n")
      // The image of sidecars stays: it is built once for all.
      .filter((line) => /toolhivelocal\/(npx|uvx|go)-/.test(line));

  test.each([
    ["npx://@acme/echo@1.0.0", '["--yes","--","@acme/echo@1.0.0"]'],
    ["uvx://acme-echo", '["acme-echo"]'],
    ["go://acme.example/echo", '["run","acme.example/echo@latest"]'],
  ])("%s is built, run without rights, shared, and cleared away", async (target, args) => {
    const run = await runThv(["run", "--name", "one", target], { home, engine, env });
    expect(run).toMatchObject({ code: 0, stderr: expect.anything() });
    expect(
      await withMcpClient(urlIn(run.stdout), async (client) =>
        (await client.listTools()).tools.map(({ name }) => name),
      ),
    ).toEqual(["echo", "sleep", "crash", "say", "flood"]);
    const logs = await runThv(["logs", "one"], { home, engine, env });
    expect(logs.stdout).toContain(`called: ${args} as 10001 in /home/toolhive`);
    const images = await listImages();
    expect(images).toHaveLength(1);

    const second = await runThv(["run", "--name", "two", target], { home, engine, env });
    expect(second.code).toBe(0);
    expect(await listImages()).toEqual(images);

    await runThv(["rm", "one"], { home, engine, env });
    expect(await listImages()).toEqual(images);
    await runThv(["rm", "two"], { home, engine, env });
    await waitFor(async () => (await listImages()).length === 0, { what: "the image to be cleared away" });
  });

  test("a folder with Go source is taken along, and a changed one is built anew", async () => {
    const folder = join(home.workDirectory, "server");
    await mkdir(folder);
    await writeFile(join(folder, "main.go"), "package main\n");
    const first = await runThv(["run", "--name", "go-one", "go://./server"], { home, engine, env });
    await writeFile(join(folder, "main.go"), "package main // changed\n");

    const second = await runThv(["run", "--name", "go-two", "go://./server"], { home, engine, env });

    expect([first.code, second.code]).toEqual([0, 0]);
    expect((await runThv(["logs", "go-one"], { home, engine, env })).stdout).toContain('called: ["run","."]');
    expect(await listImages()).toHaveLength(2);
    await runThv(["rm", "go-one"], { home, engine, env });
    await runThv(["rm", "go-two"], { home, engine, env });
    await waitFor(async () => (await listImages()).length === 0, { what: "the images to be cleared away" });
  });

  test("a build that fails says why and leaves nothing", async () => {
    const folder = join(home.workDirectory, "broken");
    await mkdir(folder);
    await writeFile(join(folder, "Dockerfile"), `FROM ${base}\nCOPY nothing-like-this /\n`);

    const run = await runThv(["run", "--name", "broken", "go://./broken"], { home, engine, env });

    expect(run).toMatchObject({ code: 13, stderr: expect.stringMatching(/could not be built: .*nothing-like-this/s) });
    expect((await runThv(["list", "--all", "--format", "json"], { home, engine, env })).stdout).toBe("[]\n");
    expect(await listImages()).toEqual([]);
  });
});

/** A base image with stand-ins for the package managers, made through the same port. */
async function buildBase(
  { host }: Pick<TestEngine, "host">,
  home: ThrowawayHome,
  reference: string,
  manager: string,
): Promise<void> {
  const engine = await discoverEngine({ env: { DOCKER_HOST: host }, home: home.path });
  const names = ["npx", "uvx", "go"];
  const dockerfile = [
    "FROM docker.io/toolhive-test/echo:test",
    ...names.map((name) => `COPY ${name} /usr/local/bin/${name}`),
    "COPY echo-server.mjs /app-base/echo-server.mjs",
    "ENTRYPOINT []",
    "",
  ].join("\n");
  const echoServer = await readFile(new URL("../../../testing/fixtures/echo-server.mjs", import.meta.url), "utf8");
  await engine.buildImage(
    reference,
    writeTar([
      createTextEntry("Dockerfile", dockerfile),
      createTextEntry("echo-server.mjs", echoServer),
      ...names.map((name) => ({ ...createTextEntry(name, manager), isExecutable: true })),
    ]),
  );
}
