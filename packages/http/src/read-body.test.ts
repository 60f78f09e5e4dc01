import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listen } from "./listen.ts";
import { type BodyBounds, type BodyFailure, readBody } from "./read-body.ts";

const opened: { server: Server; socket: Socket }[] = [];
afterEach(async () => {
  for (const { server, socket } of opened.splice(0)) {
    socket.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
});

/** @returns The connection, and what becomes of the body of its request. */
async function post(bounds: BodyBounds, head: string): Promise<{ socket: Socket; outcome: Promise<string> }> {
  let resolve: (text: string) => void = () => undefined;
  const outcome = new Promise<string>((settle) => {
    resolve = settle;
  });
  const server = createServer((request, response) => {
    readBody(request, bounds)
      .then(String, ({ problem }: BodyFailure) => problem)
      .then((text) => {
        resolve(text);
        response.end(text);
      });
  });
  const socket = connect(await listen(server), "127.0.0.1");
  opened.push({ server, socket });
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}`);
  return { socket, outcome };
}

test("a body that comes in pieces is whole, and may be as large as the bound", async () => {
  const { socket, outcome } = await post({ maxBytes: 6 }, "Content-Length: 6\r\n\r\nab");
  for (const piece of ["c", "d", "ef"]) socket.write(piece);

  expect(await outcome).toBe("abcdef");
});

test("a length above the bound is refused before a byte of it came", async () => {
  const { outcome } = await post({ maxBytes: 6 }, "Content-Length: 7\r\n\r\n");

  expect(await outcome).toBe("too-large");
});

test("a body of unknown length is refused as soon as it passes the bound, over a connection that stays open", async () => {
  const { socket, outcome } = await post({ maxBytes: 6 }, "Transfer-Encoding: chunked\r\n\r\n8\r\nabcdefgh\r\n");

  expect(await outcome).toBe("too-large");
  expect(String((await once(socket, "data"))[0])).toContain("too-large");
});

test("a sender who goes away in the middle is not waited for", async () => {
  const { socket, outcome } = await post({ maxBytes: 6 }, "Content-Length: 6\r\n\r\nab");
  await once(socket, "connect");
  socket.end();

  expect(await outcome).toBe("incomplete");
});

test("a body that does not arrive in time is not waited for", async () => {
  const { outcome } = await post({ maxBytes: 6, timeoutMs: 20 }, "Content-Length: 6\r\n\r\nab");

  expect(await outcome).toBe("too-slow");
});
