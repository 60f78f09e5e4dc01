import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listen } from "@toolhive/http";
import { waitFor } from "@toolhive/testing";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

/** Writes down how it was called, serves a page from a child of its own, and says its token. */
const NPX = `#!${process.execPath}
const { writeFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const { argv, env, pid } = process;
const code = "require('node:http').createServer((_, r) => r.end('page')).listen(process.env.CLIENT_PORT)";
const child = spawn(process.execPath, ["-e", code], { stdio: "inherit" });
writeFileSync(env.HOME + "/called.json", JSON.stringify({ args: argv.slice(2), env, pids: [pid, child.pid] }));
console.log("Session token: 0123abcd");
`;

let context: ServedThv;

beforeEach(async () => {
  context = await ServedThv.start();
  await context.call(["run", "--name", "echo", "mcp/echo:1"]);
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

async function withNpx(script: string): Promise<Record<string, string>> {
  const bin = join(context.home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "npx"), script, { mode: 0o755 });
  return { PATH: bin, SECRET_TOKEN: "hunter2" };
}

async function freePorts(): Promise<[ui: string, proxy: string]> {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(servers.map(async (server) => String(await listen(server))));
  for (const server of servers) server.close();
  return ports as [string, string];
}

/** Addresses at which this machine answers on a port. */
async function listAddresses(port: number): Promise<string[]> {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = all.filter(({ scopeid }) => !scopeid).map(({ address }) => address);
  const open: string[] = [];
  for (const address of own) {
    const socket = connect({ host: address, port });
    const answer = await Promise.race([once(socket, "connect"), once(socket, "error")]).catch(() => "refused");
    if (answer !== "refused" && socket.readyState === "open") open.push(address);
    socket.destroy();
  }
  return open;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("inspector", () => {
  test("prints the page's address with the server in it, hands on no secrets, and ends all it started with Ctrl-C", async () => {
    const env = await withNpx(NPX);
    const [ui, proxy] = await freePorts();
    const running = context.begin(["inspector", "echo", "-u", ui, "-p", proxy], { env });
    await waitFor(() => running.output.stdout.includes("\n"), { what: "the page's address" });
    const page = new URL(running.output.stdout.trim());

    expect(await (await fetch(page)).text()).toBe("page");
    await running[Symbol.asyncDispose]();

    expect(await running.done).toBe(0);
    expect([page.host, Object.fromEntries(page.searchParams)]).toEqual([
      `localhost:${ui}`,
      {
        transport: "streamable-http",
        serverUrl: context.served.supervisor.describe("echo").url,
        MCP_PROXY_FULL_ADDRESS: `http://localhost:${proxy}`,
        MCP_PROXY_AUTH_TOKEN: "0123abcd",
      },
    ]);
    const called = JSON.parse(await readFile(join(context.home, "called.json"), "utf8")) as {
      args: string[];
      env: Record<string, string>;
      pids: number[];
    };
    expect(called.args).toEqual(["--yes", "@modelcontextprotocol/inspector@0.15.0"]);
    expect(called.env).toMatchObject({ CLIENT_PORT: ui, SERVER_PORT: proxy, MCP_AUTO_OPEN_ENABLED: "false" });
    expect(called.env).not.toHaveProperty("SECRET_TOKEN");
    await waitFor(() => !called.pids.some(isAlive), { what: "the processes to be gone" });
  });

  test("has its page on loopback only, and ends with all it started when thv is killed", async () => {
    const env = await withNpx(NPX);
    const [ui, proxy] = await freePorts();
    const guarded = fileURLToPath(new URL("./inspector-process.ts", import.meta.url));
    const bundle = join(context.home, "inspector.mjs");
    const program = `import { InspectorProcess } from ${JSON.stringify(guarded)};
      InspectorProcess.start({ ui: ${ui}, proxy: ${proxy} }, process.env);`;
    await build({
      stdin: { contents: program, resolveDir: "." },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: bundle,
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    const thv = spawn(process.execPath, [bundle], { env: { ...env, HOME: context.home }, stdio: "inherit" });
    await waitFor(async () => (await fetch(`http://127.0.0.1:${ui}/`)).ok, { what: "the page" });
    const listening = await listAddresses(Number(ui));
    const { pids } = JSON.parse(await readFile(join(context.home, "called.json"), "utf8")) as { pids: number[] };

    thv.kill("SIGKILL");

    await waitFor(() => !pids.some(isAlive), { what: "the processes to be gone" });
    expect(listening).toEqual(["127.0.0.1"]);
  });

  test("that cannot be started says what npx said", async () => {
    const env = await withNpx("#!/bin/sh\necho 'npm error code ENOTFOUND' >&2\nexit 1\n");
    const [ui, proxy] = await freePorts();

    const { code, stdout, stderr } = await context.call(["inspector", "echo", "-u", ui, "-p", proxy], { env });

    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toContain("The MCP Inspector could not be started: npm error code ENOTFOUND");
  });

  test("without npx says what to install", async () => {
    const [ui, proxy] = await freePorts();

    const { code, stderr } = await context.call(["inspector", "echo", "-u", ui, "-p", proxy], {
      env: { PATH: "/nonexistent" },
    });

    expect([code, stderr]).toEqual([2, expect.stringContaining("Install Node.js with npm.")]);
  });

  test.each([["ui-port"], ["mcp-proxy-port"]])("with a busy --%s exits 7 and starts nothing", async (flag) => {
    const busy = createServer();
    const port = await listen(busy);
    const [ui, proxy] = await freePorts();
    const argv = ["inspector", "echo", "-u", ui, "-p", proxy, `--${flag}`, String(port)];

    const { code, stderr } = await context.call(argv, { env: { PATH: "/nonexistent" } });

    expect([code, stderr]).toEqual([
      7,
      expect.stringMatching(`^Error: Port ${port} is in use( by .*)?\\.\nHint: Choose another: --${flag}\n$`),
    ]);
    busy.close();
  });

  test.each([
    [["nope"], 3, 'There is no server "nope".'],
    [["echo", "--ui-port", "0"], 64, "must be between 1 and 65535"],
  ])("with %j exits %i", async (argv, expected, text) => {
    const { code, stderr } = await context.call(["inspector", ...argv]);

    expect([code, stderr]).toEqual([expected, expect.stringContaining(text)]);
  });

  test("of a stopped server says how to start it", async () => {
    await context.call(["stop", "echo"]);

    const { code, stderr } = await context.call(["inspector", "echo"]);

    expect([code, stderr]).toEqual([8, 'Error: "echo" is stopped.\nHint: Start it: thv restart echo\n']);
  });
});
