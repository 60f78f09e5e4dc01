/**
 * What vanishes, crashes or never reads must leave nothing: no session, stream or request, no file descriptor, no timer.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { FakeServer } from "../src/testing/fake-server.ts";
import { openPair } from "../src/testing/open-pair.ts";
import { openSession } from "../src/testing/raw-client.ts";
import { countDescriptors, reachableBytes } from "../src/testing/resources.ts";

/** What compiled code and the test itself keep. One reader that is not forgotten keeps up to `maxStreamBytes`. */
const NOISE_BYTES = 2_000_000;
const NOTHING = { sessions: 0, streams: 0, pendingRequests: 0 };

describe("no session, stream or request remains", () => {
  test("of 100 servers that crash with a request in flight, and the session works with the next one", async () => {
    await using pair = await openPair();
    const session = await openSession(pair.endpoint);
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call"}';
    let server = pair.server;

    for (let n = 0; n < 100; n++) {
      const answer = session.post(call);
      await server.receive("tools/call");
      server.exit();
      expect(await (await answer).json()).toMatchObject({ id: 1, error: { code: -32000 } });
      server = new FakeServer({ onRequest: n === 99 ? () => "{}" : undefined });
      pair.endpoint.connect(server.connection);
    }

    expect(await (await session.post(call)).json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(pair.endpoint.counts).toEqual({ ...NOTHING, sessions: 1 });
    expect(server.connection.stdout.listenerCount("data")).toBe(1);
  });

  test("of 100 clients that open a stream and never read", async () => {
    const limits = { maxStreamBytes: 100_000, sessionIdleMs: 2000, sweepMs: 10 };
    await using pair = await openPair({}, { limits });
    const before = countDescriptors();
    const bytesBefore = await reachableBytes();
    const sockets: Socket[] = [];
    for (let n = 0; n < 100; n++) {
      const { headers } = await openSession(pair.endpoint);
      const socket = connect(pair.endpoint.port, "127.0.0.1");
      // Reset by the endpoint: that is what the test waits for.
      socket.on("error", () => undefined);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const host = `host: 127.0.0.1:${pair.endpoint.port}\r\n`;
      socket.write(`GET /mcp HTTP/1.1\r\n${host}accept: text/event-stream\r\n${lines.join("")}\r\n`);
      sockets.push(socket);
    }
    await waitFor(() => pair.endpoint.counts.streams === 100, { what: "all streams" });

    const data = "x".repeat(50_000);
    for (let n = 0; n < 500 && pair.endpoint.counts.streams > 0; n++) {
      pair.server.notify("notifications/message", { data });
      await new Promise(setImmediate);
    }

    await waitFor(() => pair.endpoint.counts.sessions === 0, { what: "the sessions to end" });
    for (const socket of sockets.splice(0)) socket.destroy();
    expect(pair.endpoint.counts).toEqual(NOTHING);
    await waitFor(() => countDescriptors() <= before + 5, { what: "the connections to close" });
    expect((await reachableBytes()) - bytesBefore).toBeLessThan(NOISE_BYTES);
  });

  test("of a connection that was used and then kept idle, while one that waits for its answer stays", async () => {
    await using pair = await openPair({}, { limits: { idleConnectionMs: 500, slowReaderMs: 500 } });
    const session = await openSession(pair.endpoint);
    const waiting = session.post('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
    const message = await pair.server.receive("tools/call");
    const socket = connect(pair.endpoint.port, "127.0.0.1");

    socket.write(`GET /health HTTP/1.1\r\nhost: 127.0.0.1:${pair.endpoint.port}\r\n\r\n`);
    await once(socket.resume(), "close");
    pair.server.answer(message, "{}");

    expect(await (await waiting).json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});
