/** Messages over streamable HTTP: when one counts as delivered, what cancels it, and what a server must not answer. */
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AnswerTooLarge, NotDelivered, RefusedMessage } from "./failures.ts";
import type { ClientSession } from "./session.ts";
import { json, type Script, status, stream } from "./testing/scripted-server.ts";
import { opened, talk } from "./testing/scripted-talk.ts";

afterEach(async () => {
  for (const { dispose } of opened.splice(0).reverse()) await dispose();
});

describe("what a server must not do", () => {
  test.each([
    ["an answer", (response: Parameters<Script>[1]) => json(response, "x".repeat(2_000))],
    ["an event", (response: Parameters<Script>[1]) => stream(response, `data: ${"x".repeat(2_000)}`)],
  ])("%s of more bytes than the bound is not kept", async (_title, answer) => {
    const { ask } = await talk((_request, response) => answer(response));

    await expect(ask()).rejects.toBeInstanceOf(AnswerTooLarge);
  });

  test.each([
    ["bytes that are not in the coding they name", "gzip", "unexpected end of file"],
    ["a coding that nobody reads", "zstd-x", "compressed its answer in a way that cannot be read: zstd-x"],
  ])("%s are a failure", async (_title, coding, reason) => {
    const { ask } = await talk((_request, response) => json(response, "x", { "content-encoding": coding }));

    await expect(ask()).rejects.toThrow(reason);
  });

  test("a small compressed answer that becomes a large one is not kept", async () => {
    const { ask } = await talk((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync("x".repeat(2_000)));
    });

    await expect(ask()).rejects.toBeInstanceOf(AnswerTooLarge);
  });

  test.each([301, 307, 401, 403, 500])("status %i is a refusal with its first bytes", async (code) => {
    const { ask } = await talk((_request, response) => status(response, code, '{"error":{}}'));

    await expect(ask()).rejects.toMatchObject({
      name: "RefusedMessage",
      status: code,
      body: Buffer.from('{"error":{}}'),
    });
  });

  test("a switch of protocols is no answer", async () => {
    const { ask } = await talk((_request, response) => {
      response.writeHead(101, { connection: "upgrade", upgrade: "other" }).end();
    });

    await expect(ask()).rejects.toThrow();
  });
});

describe("a message", () => {
  test("that reaches no server is reported as not delivered", async () => {
    const talking = await talk(() => undefined);
    await talking.server[Symbol.asyncDispose]();
    opened.splice(0, 1);

    await expect(talking.ask()).rejects.toBeInstanceOf(NotDelivered);
  });

  test("whose connection breaks before an answer may have arrived", async () => {
    const { ask } = await talk((_request, response) => response.destroy());
    const failure = await ask().catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(NotDelivered);
  });

  test("is sent in the pieces it has, as one text", async () => {
    const { ask, server } = await talk((_request, response) => json(response, "answer"));
    await ask("answer", { body: [Buffer.from("one "), Buffer.from("text")] });

    expect(server.seen[0]?.body).toBe("one text");
    expect(server.seen[0]?.headers).toMatchObject({
      "content-length": "8",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    });
  });

  test("that is cancelled breaks off its answer", async () => {
    let isClosed = false;
    const { session, server } = await talk((_request, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      stream(response);
    });
    const post = session.post({ body: [Buffer.from("x")], onMessage: () => undefined, isAnswered: () => false });
    post.done.catch(() => undefined);
    await vi.waitFor(() => expect(server.seen).toHaveLength(1));
    post.cancel();

    await expect(post.done).rejects.toThrow("cancelled");
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });

  test("that is cancelled before there is a connection has not been delivered", async () => {
    const { session } = await talk((_request, response) => json(response, "answer"));
    const post = session.post({ body: [Buffer.from("x")], onMessage: () => undefined, isAnswered: () => false });
    post.cancel();

    await expect(post.done).rejects.toBeInstanceOf(NotDelivered);
  });

  test("that waits to be continued ends with the session", async () => {
    const { session, ask } = await talk((_request, response) => {
      stream(response, "id: 1\nretry: 60000\ndata: progress\n\n");
      response.end();
    });
    let hasBegun = false;
    const asked = ask("answer", {
      onMessage: () => {
        hasBegun = true;
      },
    });
    asked.catch(() => undefined);
    await vi.waitFor(() => expect(hasBegun).toBe(true));
    await session.close();

    await expect(asked).rejects.toThrow("closed");
  });

  test("after the end of the session is not sent", async () => {
    const { session, ask, server } = await talk((_request, response) => json(response, "answer"));
    await session.close();

    await expect(ask()).rejects.toThrow("closed");
    expect(server.seen).toEqual([]);
  });

  test("of the server is read once the one before it is handled", async () => {
    let release: () => void = () => undefined;
    const got: string[] = [];
    const { ask } = await talk((_request, response) => {
      stream(response, "data: one\n\ndata: two\n\n");
      response.end();
    });
    const asked = ask("answer", {
      onMessage: (text) => {
        got.push(text.toString("utf8"));
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    await vi.waitFor(() => expect(got).toEqual(["one"]));
    release();
    await vi.waitFor(() => expect(got).toEqual(["one", "two"]));
    release();
    await asked;
  });
});

describe("a request of the caller's own", () => {
  const ask = async (session: ClientSession, signal?: AbortSignal) => {
    const answer = await session.request({
      body: [Buffer.from("request")],
      isAnswer: (text) => text.toString("utf8") === "answer",
      signal,
    });
    return answer.toString("utf8");
  };

  test("has its answer as soon as that comes, also when the server keeps the stream open", async () => {
    let isClosed = false;
    const { session, said } = await talk((_request, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      stream(response, "data: progress\n\ndata: answer\n\n");
    });

    expect(await ask(session)).toBe("answer");
    expect(said).toEqual(["progress"]);
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });

  test("fails when the server ends without an answer", async () => {
    const { session } = await talk((_request, response) => json(response, "something else"));

    await expect(ask(session)).rejects.toThrow("before it was complete");
  });

  test("fails as its message does", async () => {
    const { session } = await talk((_request, response) => status(response, 400));

    await expect(ask(session)).rejects.toBeInstanceOf(RefusedMessage);
  });

  test("is given up with the signal, and its answer is broken off", async () => {
    const controller = new AbortController();
    let isClosed = false;
    const { session, server } = await talk((_request, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      stream(response);
    });
    const asked = ask(session, controller.signal);
    asked.catch(() => undefined);
    await vi.waitFor(() => expect(server.seen).toHaveLength(1));
    controller.abort(new Error("too late"));

    await expect(asked).rejects.toThrow("too late");
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });
});
