/** The recipe of the client guide, section "Connect from a container": a client in a container calls a server of this machine. */
import { describeEngines, ENGINES_BESIDE_MACHINE, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "contained", version: "1" } },
};

/** What each engine calls its machine in a container, and what has to be said for that when the container is started. */
const RECIPES = {
  docker: { name: "host.docker.internal", flags: ["--add-host", "host.docker.internal:host-gateway"] },
  podman: { name: "host.containers.internal", flags: [] },
} as const;

describeEngines("a client in a container of $kind", ENGINES_BESIDE_MACHINE, (engine) => {
  let home: ThrowawayHome;
  let port: number;
  let address: string;
  beforeAll(async () => {
    home = await ThrowawayHome.create();
    const flags = ["--name", "shared", "--host", "0.0.0.0", "--allowed-host", "tools.example.test"];
    const run = await runThv(["run", ...flags, "mcp/everything:test"], { home, engine });
    if (run.code !== 0) throw new Error(run.stderr);
    port = Number(new URL(run.stdout.trim().split(" ").at(-1) ?? "").port);
    const { name, flags: recipe } = RECIPES[engine.kind];
    const script = `require("dns").lookup("${name}", 4, (error, found) => console.log(error ?? found))`;
    address = await inContainer(recipe, script);
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
  });

  async function inContainer(flags: readonly string[], script: string): Promise<string> {
    const run = ["run", "--rm", ...flags, "--entrypoint", "node", "mcp/everything:test", "-e", script];
    const { code, stdout, stderr } = await engine.cli(run);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  /** @returns The status, and the server's name when it answers. */
  async function callAt(name: string, flags: readonly string[]): Promise<string> {
    const request = {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(INITIALIZE),
    };
    return await inContainer(
      flags,
      `fetch("http://${name}:${port}/mcp", ${JSON.stringify(request)}).then(async (answer) => {
         console.log(answer.status, /"serverInfo":\\{"name":"([^"]+)"/.exec(await answer.text())?.[1] ?? "");
       }, (error) => console.log(error.cause ?? error));`,
    );
  }

  test("reaches a server by the name that the guide says", async () => {
    const { name, flags } = RECIPES[engine.kind];

    expect(await callAt(name, flags)).toMatch(/^200 \S+/);
  });

  test("reaches it by a name that was given with --allowed-host", async () => {
    const flags = ["--add-host", `tools.example.test:${address}`];

    expect(await callAt("tools.example.test", flags)).toMatch(/^200 \S+/);
  });

  test("is refused under any other name, as a page after DNS rebinding is", async () => {
    const flags = ["--add-host", `evil.example.test:${address}`];

    expect(await callAt("evil.example.test", flags)).toBe("403");
  });
});
