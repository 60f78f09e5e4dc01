/**
 * Published servers of npm, PyPI and Go, pinned, started by `thv run` on a real engine: their images are built by the package
 * managers, and each gives what the same image gives without this product, also when it is isolated and after a restart.
 */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  describeEngines,
  findPackageObstacle,
  keepPackages,
  loadPackages,
  PACKAGE_ENV,
  PINNED_SERVERS,
  type PinnedServer,
  runThv,
  ThrowawayHome,
} from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { withMcpClient } from "../../src/testing/mcp-client.ts";

const ENV = { ...PACKAGE_ENV, TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };
/** Milliseconds for the build of an image on a busy machine: Go compiles its own library, too. */
const BUILD_MS = 20 * 60_000;
/** Nothing of the network is open. */
const CLOSED = ["--isolate-network", "--permission-profile", "none"];

const obstacles = new Map<string, string | undefined>();
for (const { manager } of PINNED_SERVERS) {
  if (!obstacles.has(manager)) obstacles.set(manager, await findPackageObstacle(manager));
}

describeEngines("published packages on $kind", { kinds: ["docker"] }, (engine) => {
  /** Images that were built, each with a second name: thv removes the first one with the last server that has it. */
  const built = new Map<string, string>();
  let home: ThrowawayHome;
  beforeAll(async () => {
    home = await ThrowawayHome.create();
    await loadPackages(engine);
  }, BUILD_MS);
  afterAll(async () => {
    for (const [image, name] of built) await engine.cli(["tag", name, image]);
    if (built.size === PINNED_SERVERS.length) await keepPackages(engine, [...built.keys()]);
    await engine.cli(["rmi", "--force", ...built.keys(), ...built.values(), ...Object.values(PACKAGE_ENV)]);
    await home[Symbol.asyncDispose]();
  }, BUILD_MS);

  const thv = async (...args: string[]) => {
    const result = await runThv(args, { home, engine, env: ENV });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stdout.trim();
  };

  for (const server of PINNED_SERVERS) {
    const obstacle = obstacles.get(server.manager);
    const title = `${server.target}${obstacle === undefined ? "" : ` (not run: ${obstacle})`}`;
    describe.skipIf(obstacle !== undefined)(title, () => {
      test("gives what it gives without thv, also when it is isolated and after a restart", {
        timeout: BUILD_MS,
      }, async () => {
        const url = (await thv("run", "--name", "plain", ...listWords(server))).split(" ").at(-1) ?? "";
        const through = await withMcpClient(url, async (client) => await ask(client, server));
        const image = (await engine.cli(["inspect", "--format", "{{.Config.Image}}", "plain"])).stdout.trim();
        built.set(image, image.replace("toolhivelocal/", "toolhive-test/"));
        await engine.cli(["tag", image, built.get(image) ?? ""]);
        const direct = await askDirectly(engine.command, image, server);
        const closed = await thv("run", "--name", "closed", ...CLOSED, ...listWords(server));
        await thv("restart", "closed");
        const again = await withMcpClient(closed.split(" ").at(-1) ?? "", async (client) => await ask(client, server));

        expect([direct.tools, direct.prompts, direct.resources].map(({ length }) => length)).toEqual(server.counts);
        expect(through).toEqual(direct);
        expect(again).toEqual(direct);
      });
      afterEach(async () => await thv("rm", "--all", "--yes"));
    });
  }
});

function listWords({ target, environment = {}, arguments: args = [] }: PinnedServer): string[] {
  const variables = Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  return [...variables, target, ...(args.length === 0 ? [] : ["--", ...args])];
}

async function ask(client: Client, { call }: PinnedServer) {
  const capabilities = client.getServerCapabilities();
  const { tools } = await client.listTools();
  const prompts = capabilities?.prompts === undefined ? [] : (await client.listPrompts()).prompts;
  const resources = capabilities?.resources === undefined ? [] : (await client.listResources()).resources;
  return { tools, prompts, resources, answer: await client.callTool({ ...call, arguments: { ...call.arguments } }) };
}

/** As a client starts an image by itself, which is what people do without this product. */
async function askDirectly([command = "", ...before]: readonly string[], image: string, server: PinnedServer) {
  const { environment = {}, arguments: args = [] } = server;
  const variables = Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const client = new Client({ name: "direct", version: "1.0.0" });
  const words = [...before, "run", "--interactive", "--rm", "--network", "none", ...variables, image, ...args];
  await client.connect(new StdioClientTransport({ command, args: words, stderr: "ignore" }));
  try {
    return await ask(client, server);
  } finally {
    await client.close();
  }
}
