/** `thv proxy stdio` from its arguments to its end. */
import type { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../../main.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import { ServedThv } from "../../testing/served-thv.ts";

let context: ServedThv;
beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
});

function begin(server: string) {
  const fake = new FakeTerminal({ env: context.env });
  const interrupt = new AbortController();
  const done = main({ ...fake.options, argv: ["proxy", "stdio", server], signal: interrupt.signal });
  return { fake, done, interrupt, stdin: fake.options.stdin as unknown as PassThrough };
}

const PING = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`;

test("answers on its output, one message a line, and ends with its input", async () => {
  await using server = await McpFixture.start({ answers: { ping: () => ({}) } });
  const { fake, done, stdin } = begin(`${server.origin}/mcp`);
  stdin.end(PING);

  expect(await done).toBe(0);
  expect([fake.stdout, fake.stderr]).toEqual([`${JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} })}\n`, ""]);
});

test("ends when its output is closed", async () => {
  await using server = await McpFixture.start({ answers: { ping: () => new Promise(() => undefined) } });
  const { fake, done, stdin } = begin(`${server.origin}/mcp`);
  stdin.write(PING);
  await vi.waitFor(() => expect(server.methods).toEqual(["ping"]));

  const { stdout } = fake.options as unknown as { stdout: PassThrough };
  stdout.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));

  expect(await done).toBe(0);
});

test.each([
  ["absent", 3, 'There is no server "absent"'],
  ["ftp://x", 64, "must begin with http"],
])("of %s ends with exit code %i", async (server, code, message) => {
  const { fake, done } = begin(server);

  expect(await done).toBe(code);
  expect([fake.stdout, fake.stderr]).toEqual(["", expect.stringContaining(message)]);
});
