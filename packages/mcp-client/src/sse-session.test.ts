/** HTTP with SSE (2024-11-05), with what servers do with it. */
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ForeignAddress, NotDelivered, RefusedMessage, SessionLost } from "./failures.ts";
import { openSession } from "./open-session.ts";
import { json, type Script, startScripted, status, stream } from "./testing/scripted-server.ts";

const opened: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of opened.splice(0).reverse()) await dispose();
});

const ignore = { onMessage: () => undefined, onLost: () => undefined };

async function serve(script: Script) {
  const server = await startScripted(script, "/sse");
  opened.push(() => server[Symbol.asyncDispose]());
  return server;
}

/** A server that opens its stream with this text, and takes messages with this status. */
async function connect(opening: string, code = 202) {
  let events: ServerResponse | undefined;
  const server = await serve((request, response) => {
    if (request.method === "POST") {
      status(response, code, "Accepted");
      return;
    }
    events = response;
    stream(response, opening.replaceAll("ORIGIN", server.url.origin));
  });
  const said: string[] = [];
  const lost: string[] = [];
  const session = await openSession(
    { url: server.url, maxMessageBytes: 1_000 },
    { onMessage: (text) => void said.push(text.toString("utf8")), onLost: (reason) => lost.push(reason) },
  );
  opened.push(() => session.close());
  const post = async () =>
    await session.post({ body: [Buffer.from("mes"), Buffer.from("sage")], onMessage: () => undefined }).done;
  return { server, session, said, lost, post, events: () => events };
}

describe("the address for messages", () => {
  test.each([
    ["a path", "/messages?id=1", "/messages?id=1"],
    ["a path beside the stream's", "messages", "/messages"],
    ["only a query", "?id=2", "/sse?id=2"],
    ["the whole address", "ORIGIN/deep/messages?a=b", "/deep/messages?a=b"],
  ])("may be %s", async (_title, given, path) => {
    const { server, post } = await connect(`event: endpoint\ndata: ${given}\n\n`);
    await post();

    const { method, body, path: sent } = server.seen.at(-1) ?? {};
    expect({ method, body, sent }).toEqual({ method: "POST", body: "message", sent: path });
  });

  test("may come after comments and other events", async () => {
    const { post, server } = await connect(": hello\n\nevent: ping\ndata: 1\n\nevent: endpoint\ndata: /m\n\n");
    await post();

    expect(server.seen.at(-1)?.path).toBe("/m");
  });

  test("is the first one: a later one leads nowhere", async () => {
    const { post, server, said } = await connect(
      "event: endpoint\ndata: /one\n\nevent: endpoint\ndata: /two\n\ndata: said\n\n",
    );
    await vi.waitFor(() => expect(said).toEqual(["said"]));
    await post();

    expect(server.seen.at(-1)?.path).toBe("/one");
  });

  test.each([
    "http://127.0.0.1:1/messages",
    "//other.example/messages",
    "https://127.0.0.1/",
    "http://",
    "javascript:1",
  ])("must be of the stream's origin: not %s", async (given) => {
    await expect(connect(`event: endpoint\ndata: ${given}\n\n`)).rejects.toBeInstanceOf(ForeignAddress);
  });

  test("must come before the stream ends", async () => {
    const server = await serve((_request, response) => {
      stream(response, "data: something\n\n");
      response.end();
    });

    await expect(openSession({ url: server.url, maxMessageBytes: 1_000 }, ignore)).rejects.toBeInstanceOf(NotDelivered);
  });

  test("is waited for no longer than the caller wants", async () => {
    const server = await serve((_request, response) => stream(response));
    const controller = new AbortController();
    const opening = openSession({ url: server.url, maxMessageBytes: 1_000 }, ignore, { signal: controller.signal });
    opening.catch(() => undefined);
    await vi.waitFor(() => expect(server.seen).toHaveLength(1));
    controller.abort(new Error("too late"));

    await expect(opening).rejects.toThrow("too late");
  });
});

describe("the stream", () => {
  test("brings every message of the server", async () => {
    const { said, events } = await connect("event: endpoint\ndata: /m\n\n");
    events()?.write('event: message\ndata: {"id":1}\n\ndata: {"method":"x"}\n\nevent: other\ndata: no\n\n');

    await vi.waitFor(() => expect(said).toEqual(['{"id":1}', '{"method":"x"}']));
  });

  test.each([
    ["ends", (response: ServerResponse | undefined) => response?.end()],
    ["breaks", (response: ServerResponse | undefined) => response?.destroy()],
    [
      "brings an event that is too large",
      (response: ServerResponse | undefined) => response?.write(`data: ${"x".repeat(2_000)}`),
    ],
  ])("is the session, which is lost when it %s", async (_title, end) => {
    const { lost, events, post } = await connect("event: endpoint\ndata: /m\n\n");
    end(events());

    await vi.waitFor(() => expect(lost).toEqual(["its stream has ended"]));
    await expect(post()).rejects.toBeInstanceOf(SessionLost);
  });

  test("is closed with the session, which is not lost then", async () => {
    const { session, lost, events } = await connect("event: endpoint\ndata: /m\n\n");
    await session.close();

    await vi.waitFor(() => expect(events()?.closed).toBe(true));
    expect(lost).toEqual([]);
  });

  test.each([404, 405, 500])("is refused with status %i", async (code) => {
    const server = await serve((_request, response) => status(response, code));

    await expect(openSession({ url: server.url, maxMessageBytes: 1_000 }, ignore)).rejects.toBeInstanceOf(
      RefusedMessage,
    );
  });

  test("is no stream when its type is another", async () => {
    const server = await serve((_request, response) => json(response, "{}"));

    await expect(openSession({ url: server.url, maxMessageBytes: 1_000 }, ignore)).rejects.toThrow("something else");
  });
});

describe("a message", () => {
  test.each([200, 202, 204])("is accepted with status %i", async (code) => {
    const { post } = await connect("event: endpoint\ndata: /m\n\n", code);

    await post();
  });

  test("shows with 404 that the session is gone", async () => {
    const { post } = await connect("event: endpoint\ndata: /m\n\n", 404);

    await expect(post()).rejects.toBeInstanceOf(SessionLost);
  });

  test.each([307, 400, 500])("is refused with status %i", async (code) => {
    const { post } = await connect("event: endpoint\ndata: /m\n\n", code);

    await expect(post()).rejects.toBeInstanceOf(RefusedMessage);
  });
});

describe("a request of the caller's own", () => {
  const ownRequest = { body: [Buffer.from("q")], isAnswer: (text: Buffer) => text.toString("utf8") === "answer" };

  test("has its answer by the stream, and leaves the other messages to the session", async () => {
    const { session, said, events, server } = await connect("event: endpoint\ndata: /m\n\n");
    const answered = session.request(ownRequest);
    await vi.waitFor(() => expect(server.seen).toHaveLength(2));
    events()?.write("data: other\n\ndata: answer\n\ndata: answer\n\n");

    expect((await answered).toString("utf8")).toBe("answer");
    await vi.waitFor(() => expect(said).toEqual(["other", "answer"]));
  });

  test("fails when the stream ends before its answer", async () => {
    const { session, events, server } = await connect("event: endpoint\ndata: /m\n\n");
    const answered = session.request(ownRequest);
    answered.catch(() => undefined);
    await vi.waitFor(() => expect(server.seen).toHaveLength(2));
    events()?.end();

    await expect(answered).rejects.toThrow("stream has ended");
  });

  test("fails when the server refuses it", async () => {
    const { session } = await connect("event: endpoint\ndata: /m\n\n", 400);

    await expect(session.request(ownRequest)).rejects.toBeInstanceOf(RefusedMessage);
  });
});
