/**
 * A thousand clients that vanish without a word and a hundred server processes that die leave memory, file descriptors
 * and children as they were.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { FakeServer } from "../src/testing/fake-server.ts";
import { openPair } from "../src/testing/open-pair.ts";
import { initializeBody, openSession } from "../src/testing/raw-client.ts";
import { countDescriptors, countHandles, reachableBytes } from "../src/testing/resources.ts";

const SESSIONS = 1000;
const CRASHES = 100;

/** Initializes a session and opens its stream, both on one connection. */
async function openOnSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    received += chunk;
  });
  const readUntil = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(received)?.[1];
      if (found !== undefined) return found;
      if (/^HTTP\/1\.1 [45]/m.test(received)) throw new Error(`refused: ${received}`);
      await once(socket, "data");
    }
  };
  const body = initializeBody();
  const head = `host: 127.0.0.1:${port}\r\naccept: application/json, text/event-stream\r\n`;
  socket.write(
    `POST /mcp HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const id = await readUntil(/mcp-session-id: (\S+)/i);
  await readUntil(/("serverInfo")/);
  socket.write(`GET /mcp HTTP/1.1\r\n${head}mcp-session-id: ${id}\r\n\r\n`);
  await readUntil(/(text\/event-stream)/);
  return socket;
}

async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Math.min(20, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => openOnSocket(port)))));
  }
  return sockets;
}

describe("memory, file descriptors and children return to the start", () => {
  test("after 1,000 sessions that initialize, listen and vanish", { timeout: 60_000 }, async () => {
    await using pair = await openPair({}, { limits: { sessionIdleMs: 3000, sweepMs: 10 } });
    const { endpoint } = pair;
    const vanish = async (sockets: Socket[]): Promise<void> => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await waitFor(() => endpoint.counts.sessions === 0 && endpoint.counts.streams === 0, {
        what: "the sessions to end",
      });
    };
    // What is made once (code, pools, tables of that size) is made before the start is measured; it is about 1 MB.
    await vanish(await openSockets(endpoint.port, SESSIONS));
    const descriptors = countDescriptors();
    const before = await reachableBytes();

    const sockets = await openSockets(endpoint.port, SESSIONS);
    const held = (await reachableBytes()) - before;
    const heldDescriptors = countDescriptors();
    const { sessions } = endpoint.counts;
    await vanish(sockets);

    expect(sessions).toBe(SESSIONS);
    // A leak would show: what is alive is seen by the same measurement.
    expect(held).toBeGreaterThan(SESSIONS * 1000);
    await waitFor(() => countDescriptors() <= descriptors, { what: "the file descriptors to close" });
    if (descriptors > 0) expect(heldDescriptors).toBeGreaterThanOrEqual(descriptors + SESSIONS);
    const left = (await reachableBytes()) - before;
    expect(left).toBeLessThan(held / 10);
    expect(endpoint.counts).toEqual({ sessions: 0, streams: 0, pendingRequests: 0 });
  });

  test("after 100 server processes that die as soon as they are spoken to", { timeout: 60_000 }, async () => {
    await using pair = await openPair({ onRequest: () => "{}" });
    const session = await openSession(pair.endpoint);
    // The test runner may have a child of its own.
    const children = countHandles("ProcessWrap");
    const crash = async (): Promise<void> => {
      const child = spawn("sh", ["-c", "read line; exit 7"], { stdio: ["pipe", "pipe", "ignore"] });
      const closed = once(child, "close");
      pair.endpoint.connect({ stdin: child.stdin, stdout: child.stdout });
      expect((await closed)[0]).toBe(7);
    };
    await crash();
    const descriptors = countDescriptors();
    const before = await reachableBytes();

    for (let n = 0; n < CRASHES; n++) await crash();

    await waitFor(() => countHandles("ProcessWrap") <= children, { what: "the children to be reaped" });
    await waitFor(() => countDescriptors() <= descriptors, { what: "the pipes to close" });
    // Each child had two pipes with buffers of 16 KiB and more.
    expect((await reachableBytes()) - before).toBeLessThan(CRASHES * 8000);
    pair.endpoint.connect(new FakeServer({ onRequest: () => "{}" }).connection);
    const answer = await session.post('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});
