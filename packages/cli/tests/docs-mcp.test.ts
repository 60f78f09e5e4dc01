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
