/** `thv docs mcp` as a client starts it: a process with pipes, and the official client at the other end. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encodeTestPack } from "@toolhive/docs/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BundledThv, bundleThv } from "../src/testing/bundle-thv.ts";

let thv: BundledThv;
let env: Record<string, string>;
beforeAll(async () => {
  thv = await bundleThv();
  const pack = join(thv.directory, "docs.pack");
  // Beside the program, as an installation has it.
  await writeFile(pack, await encodeTestPack());
  env = { HOME: thv.directory, PATH: process.env.PATH ?? "" };
});
afterAll(async () => await thv[Symbol.asyncDispose]());

const start = (...args: string[]) =>
  spawn(process.execPath, [thv.program, "docs", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });

/** Ends a program with exit code 86 when it opens a connection or resolves a name. */
const OFFLINE = `
  import { createRequire, syncBuiltinESMExports } from "node:module";
  const require = createRequire("/");
  const leave = () => process.exit(86);
  require("node:net").Socket.prototype.connect = leave;
  require("node:dns").lookup = leave;
  require("node:dgram").Socket.prototype.send = leave;
  globalThis.fetch = leave;
  syncBuiltinESMExports();
`;

describe("without a network and an engine", () => {
  let offline: Record<string, string>;
  beforeAll(() => {
    offline = { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(OFFLINE)}` };
  });
  const read = async (command: readonly string[]) => {
    const child = spawn(process.execPath, command, { env: offline, stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    const [code] = await once(child, "close");
    return { code, out };
  };

  test("pages are searched and read", async () => {
    expect(await read([thv.program, "docs", "permission", "profile", "hosts"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("Limit permissions"),
    });
    expect(await read([thv.program, "docs", "faq"])).toMatchObject({ code: 0 });
    // What would show a connection does show one.
    const connect = 'import("node:net").then(({ connect }) => connect(9, "127.0.0.1"))';
    expect(await read(["--eval", connect])).toMatchObject({ code: 86 });
  });

  test("an assistant gets its answers", async () => {
    const client = new Client({ name: "cli-tests", version: "1.0.0" });
    const command = { command: process.execPath, args: [thv.program, "docs", "mcp"], env: offline };
    await client.connect(new StdioClientTransport({ ...command, stderr: "pipe" }));

    for (const [name, args] of [
      ["search_docs", { query: "permission profile hosts" }],
      ["read_page", { path: "faq" }],
      ["explain_error", { error: "PORT_IN_USE" }],
      ["describe_command", { name: "thv run" }],
    ] as const) {
      expect((await client.callTool({ name, arguments: args })).isError ?? false, name).toBe(false);
    }
    await client.close();
  });
});

describe.each([undefined, "2026-07-28"] as const)("a client of revision %s", (pin) => {
  test("is answered, and ends it by closing its end", async () => {
    const options = pin === undefined ? {} : { versionNegotiation: { mode: { pin } } };
    const client = new Client({ name: "cli-tests", version: "1.0.0" }, options);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [thv.program, "docs", "mcp"],
      env,
      stderr: "pipe",
    });
    await client.connect(transport);

    const { content } = await client.callTool({
      name: "search_docs",
      arguments: { query: "permission profile hosts" },
    });

    expect(content[0]).toMatchObject({ type: "text", text: expect.stringContaining("[1] Limit permissions") });
    await client.close();
    expect(transport.pid).toBeNull();
  });
});

test("the protocol alone is on standard output, and the end of the input is its end", async () => {
  const child = start("mcp");
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  child.stdin.write(`not JSON\n${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await expect.poll(() => out).toContain("toolhive-docs");
  child.stdin.end();

  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  for (const line of out.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test("Ctrl-C ends it", async () => {
  const child = start("mcp");
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
  await once(child.stdout, "data");
  child.kill("SIGINT");

  const [code, signal] = await once(child, "exit");
  expect([code, signal]).not.toEqual([1, null]);
});

test("a reader who has had enough of a page fails nothing", async () => {
  const child = start("reference/cli/thv_run");
  child.stdout.once("data", () => child.stdout.destroy());

  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});
