import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTextEntry, writeTar } from "@toolhive/core/testing";
import { discoverEngine } from "@toolhive/engine";
import { describeEngines, runCommand, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
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
  const base = `docker.io/toolhive-test/package-base-${engine.kind}:test`;
  const env = { TOOLHIVE_NPX_BASE_IMAGE: base, TOOLHIVE_UVX_BASE_IMAGE: base, TOOLHIVE_GO_BASE_IMAGE: base };
  let home: ThrowawayHome;

  beforeAll(async () => {
    home = await ThrowawayHome.create();
    await buildBase(engine, home, base);
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
    ["npx://@acme/echo@1.0.0", "npm install", "@acme/echo@1.0.0"],
    ["uvx://acme-echo#echo", "uv tool install", "acme-echo"],
    ["go://acme.example/echo", "go install", "acme.example/echo@latest"],
  ])(
    "%s is installed by its build, run without rights, shared, and cleared away",
    async (target, manager, specifier) => {
      const run = await runThv(["run", "--name", "one", target, "--", "an argument"], { home, engine, env });
      expect(run).toMatchObject({ code: 0, stderr: expect.anything() });
      expect(
        await withMcpClient(urlIn(run.stdout), async (client) =>
          (await client.listTools()).tools.map(({ name }) => name),
        ),
      ).toEqual(["echo", "sleep", "crash", "say", "flood"]);
      const logs = await runThv(["logs", "one"], { home, engine, env });
      expect(logs.stdout).toMatch(new RegExp(`installed by ${manager}\\b.* ${specifier.replaceAll(".", "\\.")}; `));
      expect(logs.stdout).toContain('called with ["an argument"] as 10001 in /home/toolhive, which it may change');
      const images = await listImages();
      expect(images).toHaveLength(1);

      const second = await runThv(["run", "--name", "two", target], { home, engine, env });
      expect(second.code).toBe(0);
      expect(await listImages()).toEqual(images);

      await runThv(["rm", "one"], { home, engine, env });
      expect(await listImages()).toEqual(images);
      await runThv(["rm", "two"], { home, engine, env });
      await waitFor(async () => (await listImages()).length === 0, { what: "the image to be cleared away" });
    },
  );

  test("a package starts and starts again read-only and without any network", async () => {
    const closed = ["--isolate-network", "--permission-profile", "none", "--read-only"];
    const isolated = { ...env, TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };
    await using other = await ThrowawayHome.create();

    const run = await runThv(["run", "--name", "shut", ...closed, "npx://@acme/echo@2"], {
      home: other,
      engine,
      env: isolated,
    });
    const restart = await runThv(["restart", "shut"], { home: other, engine, env: isolated });

    expect([run, restart]).toMatchObject([{ code: 0 }, { code: 0 }]);
    const logs = await runThv(["logs", "shut"], { home: other, engine, env: isolated });
    expect(logs.stdout).toContain("called with [] as 10001 in /home/toolhive, which it may not change");
    await runThv(["rm", "shut"], { home: other, engine, env: isolated });
    await waitFor(async () => (await listImages()).length === 0, { what: "the image to be cleared away" });
  });

  test("a package of several programs says how to name one, and leaves nothing", async () => {
    const run = await runThv(["run", "--name", "many", "npx://@acme/many"], { home, engine, env });

    expect(run).toMatchObject({
      code: 13,
      stderr: expect.stringMatching(/The package npx:\/\/@acme\/many has these programs.*: echo, other\./),
    });
    expect(run.stderr).toContain("'npx://@acme/many#echo'");
    expect(await listImages()).toEqual([]);
    const chosen = await runThv(["run", "--name", "many", "npx://@acme/many#other"], { home, engine, env });
    expect(chosen.code).toBe(0);
    await runThv(["rm", "many"], { home, engine, env });
    await waitFor(async () => (await listImages()).length === 0, { what: "the image to be cleared away" });
  });

  test("no stage of a build stays as an image without a name", async () => {
    const list = async () => (await engine.cli(["images", "--quiet", "--filter", "label=toolhive-build-stage"])).stdout;
    const run = await runThv(["run", "--name", "staged", "go://acme.example/staged"], { home, engine, env });

    expect([run.code, await list()]).toEqual([0, ""]);
    await runThv(["rm", "staged"], { home, engine, env });
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
    expect((await runThv(["logs", "go-one"], { home, engine, env })).stdout).toContain("installed by go build ");
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

/** The server that each stand-in installs: the echo server, which says first how it came and how it was started. */
const SERVER = `#!/usr/local/bin/node
let may = "may";
try {
  require("node:fs").writeFileSync("written", "");
} catch {
  may = "may not";
}
const args = JSON.stringify(process.argv.slice(2));
console.error("installed by", INSTALLED + ";", "called with", args, "as", process.getuid(), "in", process.cwd() + ", which it", may, "change");
import("/app-base/echo-server.mjs");
`;

/** What the package managers do here, where no package registry can be reached: they make the files that the real ones make. */
const MANAGER = `#!/usr/local/bin/node
const { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } = require("node:fs");
const { basename, dirname, join } = require("node:path");
const args = process.argv.slice(2);
const manager = basename(process.argv[1]);
const text = readFileSync("/app-base/server", "utf8").replace("INSTALLED", JSON.stringify([manager, ...args].join(" ")));
const install = (path) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
};
console.log("\\u001b[32m" + manager, "installs\\u001b[0m");
if (manager === "npm") {
  const folder = args[args.indexOf("--prefix") + 1];
  const name = args.at(-1).replace(/^(@?[^@]+)@.*$/, "$1");
  const links = join(folder, "node_modules/.bin");
  mkdirSync(links, { recursive: true });
  for (const program of name === "@acme/many" ? ["echo", "other"] : ["echo"]) {
    install(join(folder, "node_modules", name, program + ".js"));
    symlinkSync("../" + name + "/" + program + ".js", join(links, program));
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { [name]: "1.0.0" } }));
} else if (manager === "uv") {
  const path = join(process.env.UV_TOOL_DIR, args.at(-1), "bin/echo");
  install(path);
  mkdirSync(process.env.UV_TOOL_BIN_DIR, { recursive: true });
  symlinkSync(path, join(process.env.UV_TOOL_BIN_DIR, "echo"));
} else if (args[0] === "build") install(args[args.indexOf("-o") + 1]);
else install(join(process.env.GOBIN, basename(args[1]).replace(/@.*$/, "")));
`;

/** A base image with stand-ins for the package managers and this machine's shell, made through the same port. */
async function buildBase({ host }: Pick<TestEngine, "host">, home: ThrowawayHome, reference: string): Promise<void> {
  const engine = await discoverEngine({ env: { DOCKER_HOST: host }, home: home.path });
  const names = ["npm", "uv", "go"];
  const { stdout } = await runCommand("ldd", ["/bin/sh"]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
  const copied = await Promise.all(
    ["/bin/sh", ...libraries].map(async (path, at) => ({ path, name: `file-${at}`, bytes: await readFile(path) })),
  );
  const dockerfile = [
    "FROM docker.io/toolhive-test/echo:test",
    "USER 0",
    ...copied.map(({ path, name }) => `COPY ${name} ${path}`),
    ...names.map((name) => `COPY ${name} /usr/local/bin/${name}`),
    "COPY server echo-server.mjs /app-base/",
    "ENTRYPOINT []",
    "",
  ].join("\n");
  const echoServer = await readFile(new URL("../../../testing/fixtures/echo-server.mjs", import.meta.url), "utf8");
  await engine.buildImage(reference, () =>
    writeTar([
      createTextEntry("Dockerfile", dockerfile),
      createTextEntry("echo-server.mjs", echoServer),
      createTextEntry("server", SERVER),
      ...names.map((name) => ({ ...createTextEntry(name, MANAGER), isExecutable: true })),
      ...copied.map(({ name, bytes }) => ({
        kind: "file" as const,
        path: name,
        isExecutable: true,
        size: bytes.length,
        content: () => [bytes],
      })),
    ]),
  );
}
