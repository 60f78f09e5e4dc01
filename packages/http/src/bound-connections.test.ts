import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { boundConnections, countAllowedConnections, PROMPT_TIMEOUTS } from "./bound-connections.ts";
import { listen } from "./listen.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
});

async function serve(max: number, slowReaderMs = 60_000): Promise<{ port: number; waiting: (() => void)[] }> {
  const waiting: (() => void)[] = [];
  const server = createServer({ ...PROMPT_TIMEOUTS }, (request, response) => {
    if (request.url === "/endless") {
      const more = (): void => {
        while (response.write("x".repeat(65_536)));
        response.once("drain", more);
      };
      more();
    } else if (request.url === "/wait") waiting.push(() => response.end("late"));
    else response.end("here");
  });
  boundConnections(server, { max, slowReaderMs });
  servers.push(server);
  return { port: await listen(server), waiting };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

async function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return String((await once(socket, "data"))[0]);
}

describe("boundConnections", () => {
  test("those who send nothing give way to those who come later, the oldest first", async () => {
    const { port } = await serve(5);
    const idle: Socket[] = [];
    for (let at = 0; at < 5; at++) idle.push(await open(port));
    const firstGone = once(idle[0] as Socket, "close");

    expect(await ask(await open(port), "/")).toContain("here");
    await firstGone;
    expect(idle.filter(({ closed }) => closed)).toHaveLength(1);
  });

  test("a request that is being answered keeps its place, and who comes then is turned away", async () => {
    const { port, waiting } = await serve(2);
    const busy = [await open(port), await open(port)];
    const answers = busy.map((socket) => ask(socket, "/wait"));
    await expect.poll(() => waiting.length).toBe(2);
    const late = await open(port);

    await once(late, "close");
    for (const finish of waiting) finish();
    expect((await Promise.all(answers)).every((answer) => answer.includes("late"))).toBe(true);
    expect(await ask(await open(port), "/")).toContain("here");
  });

  test("of 500 who connect and send nothing no more than the bound stay", async () => {
    const { port } = await serve(20);
    const all = await Promise.all(Array.from({ length: 500 }, () => open(port)));

    await expect.poll(() => all.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(20);
    expect(await ask(await open(port), "/")).toContain("here");
  });

  test("a reader who leaves an answer unread is cut off", async () => {
    const { port } = await serve(5, 200);
    const socket = await open(port);
    const closed = once(socket, "close");
    socket.pause();
    socket.write("GET /endless HTTP/1.1\r\nhost: x\r\n\r\n");

    await expect
      .poll(() => new Promise((resolve) => servers[0]?.getConnections((_error, count) => resolve(count))))
      .toBe(0);
    socket.resume();
    await closed;
  });
});

test.each([
  [64, 8],
  [120, 12],
  [1_024, 464],
  [1_048_576, 8_192],
])("with %i files there are %i connections", (files, connections) => {
  expect(countAllowedConnections(files)).toBe(connections);
});
