import { once } from "node:events";
import { Agent, createServer, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { closeGracefully } from "./close-gracefully.ts";
import { listen } from "./listen.ts";

/** Far longer than a test may last, so that only what is expected can end it. */
const LONG_MS = 600_000;

async function openWaiting() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => void waiting.push(response));
  const port = await listen(server);
  return { server, port, waiting };
}

test("a running request is answered, and its connection, kept alive by the client, is not waited for", async () => {
  const { server, port, waiting } = await openWaiting();
  const agent = new Agent({ keepAlive: true });
  const sent = request({ port, agent }).end();
  const answered = once(sent, "response");
  await expect.poll(() => waiting.length).toBe(1);

  const closed = closeGracefully(server, LONG_MS);
  waiting[0]?.end("late");
  const [response] = await answered;
  response.resume();
  await closed;

  expect(response.statusCode).toBe(200);
  agent.destroy();
});

test("what does not end within the grace is cut", async () => {
  const { server, port, waiting } = await openWaiting();
  const sent = request({ port }).end();
  const failed = once(sent, "error");
  await expect.poll(() => waiting.length).toBe(1);

  await closeGracefully(server, 20);

  expect(String((await failed)[0])).toContain("socket hang up");
});

test("the last answers are sent when nothing new is accepted any more", async () => {
  const { server, port, waiting } = await openWaiting();
  const answered = once(request({ port }).end(), "response");
  await expect.poll(() => waiting.length).toBe(1);

  await closeGracefully(server, LONG_MS, () => {
    expect(server.listening).toBe(false);
    waiting[0]?.end();
  });

  expect((await answered)[0].statusCode).toBe(200);
  const refused = once(connect(port, "127.0.0.1"), "connect");
  await expect(refused).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
