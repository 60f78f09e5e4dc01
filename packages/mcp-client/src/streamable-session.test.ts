/** Streamable HTTP, with what its specifications allow and advise servers to do, each as a case. */
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AnswerTooLarge, NotDelivered, RefusedMessage, SessionLost } from "./failures.ts";
import { openSession } from "./open-session.ts";
import type { ClientSession, OutgoingMessage } from "./session.ts";
import { json, type Script, type ScriptedServer, startScripted, status, stream } from "./testing/scripted-server.ts";

const opened: { dispose: () => PromiseLike<unknown> }[] = [];
afterEach(async () => {
  for (const { dispose } of opened.splice(0).reverse()) await dispose();
});

interface Talk {
  readonly session: ClientSession;
  readonly server: ScriptedServer;
  /** What the server says by itself. */
  readonly said: readonly string[];
  readonly lost: readonly string[];
  /** Sends a request that is answered by a message with this text. @returns The messages that have come. */
  readonly ask: (answer?: string, more?: Partial<OutgoingMessage>) => Promise<string[]>;
  readonly notify: () => Promise<void>;
}

async function talk(script: Script, { maxMessageBytes = 1_000 } = {}): Promise<Talk> {
  const server = await startScripted(script);
  const said: string[] = [];
  const lost: string[] = [];
  const session = await openSession(
    { url: server.url, maxMessageBytes },
    { onMessage: (text) => void said.push(text.toString("utf8")), onLost: (reason) => lost.push(reason) },
  );
  opened.push({ dispose: () => server[Symbol.asyncDispose]() }, { dispose: () => session.close() });
  const ask = async (answer = "answer", more: Partial<OutgoingMessage> = {}): Promise<string[]> => {
    const got: string[] = [];
    const post = session.post({
      body: [Buffer.from("request")],
      onMessage: (text) => void got.push(text.toString("utf8")),
      isAnswered: () => got.includes(answer),
      ...more,
    });
    await post.done;
    return got;
  };
  const notify = async () =>
    await session.post({ body: [Buffer.from("notification")], onMessage: () => undefined }).done;
  return { session, server, said, lost, ask, notify };
}

/** Opens a session with this id. */
async function begin({ ask, session }: Talk, revision = "2025-06-18"): Promise<void> {
  await ask("answer", { isInitialize: true });
  session.establish(revision);
  session.listen();
}

/** Answers a POST with JSON that opens a session, and everything else as the test says. */
const withSession =
  (script: Script): Script =>
  (request, response) => {
    if (request.method === "POST" && request.headers["mcp-session-id"] === undefined)
      json(response, "answer", { "mcp-session-id": "s1" });
    else script(request, response);
  };

describe("a server may answer a request", () => {
  test("with one text of JSON, whose bytes stay as they are", async () => {
    const text = '{ "id":1.0 ,\r\n"result":{"x":"\\u00e4ä"} }';
    const { ask } = await talk((_request, response) => json(response, text));

    expect(await ask()).toEqual([text]);
  });

  test("with a batch (2025-03-26), which is handed on whole", async () => {
    const { ask } = await talk((_request, response) => json(response, '[{"id":1},{"id":2}]'));

    expect(await ask()).toEqual(['[{"id":1},{"id":2}]']);
  });

  test("with a stream, with requests and notifications before the answer", async () => {
    const { ask } = await talk((_request, response) => {
      stream(response, "data: progress\n\nevent: message\ndata: question\n\n: comment\n\ndata: answer\n\n");
      response.end();
    });

    expect(await ask()).toEqual(["progress", "question", "answer"]);
  });

  test("with a stream whose type has parameters and capitals", async () => {
    const { ask } = await talk((_request, response) => {
      stream(response, "data: answer\n\n", { "content-type": "Text/Event-Stream; charset=utf-8" });
      response.end();
    });

    expect(await ask()).toEqual(["answer"]);
  });

  test.each(["application/json", "text/event-stream"])(
    "with %s in a coding that no request asked for",
    async (type) => {
      const text = type === "application/json" ? "answer" : "data: answer\n\n";
      const { ask } = await talk((_request, response) => {
        response.writeHead(200, { "content-type": type, "content-encoding": "GZIP" }).end(gzipSync(text));
      });

      expect(await ask()).toEqual(["answer"]);
    },
  );

  test("only after a request that says who asks", async () => {
    const peer = await talk(
      withSession((request, response) => {
        const isKnown = request.headers["user-agent"] === "toolhive";
        if (request.method === "POST" && isKnown) json(response, "answer");
        else status(response, isKnown ? 405 : 403);
      }),
    );
    await begin(peer);

    expect(await peer.ask()).toEqual(["answer"]);
    await vi.waitFor(() => expect(peer.server.seen).toHaveLength(3));
    expect(peer.server.seen.map(({ headers }) => headers["user-agent"])).toEqual(Array(3).fill("toolhive"));
  });

  test("with events of other names, which are no messages", async () => {
    const { ask } = await talk((_request, response) => {
      stream(response, "event: ping\ndata: {}\n\ndata: answer\n\n");
      response.end();
    });

    expect(await ask()).toEqual(["answer"]);
  });

  test.each([202, 200])("with status %i and nothing, though it should not", async (code) => {
    const { ask } = await talk((_request, response) => status(response, code));

    expect(await ask()).toEqual([]);
  });

  test("with a stream that it ends before the answer and gives no ids: the request ends without one", async () => {
    const { ask, server } = await talk((_request, response) => {
      stream(response, "data: progress\n\n");
      response.end();
    });

    expect(await ask()).toEqual(["progress"]);
    expect(server.seen.map(({ method }) => method)).toEqual(["POST"]);
  });
});

describe("a server may answer a notification", () => {
  test.each([202, 200, 204])("with status %i and no body", async (code) => {
    const { notify } = await talk((_request, response) => status(response, code));

    await notify();
  });

  test("with a text that says so, which is no message", async () => {
    const { notify, said } = await talk((_request, response) => status(response, 202, "Accepted"));

    await notify();
    expect(said).toEqual([]);
  });

  test("with a stream that it never ends, though it must not: nobody waits for it", async () => {
    let isClosed = false;
    const { notify } = await talk((_request, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      stream(response);
    });

    await notify();
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });

  test("with a refusal", async () => {
    const { notify } = await talk((_request, response) => status(response, 400, "no"));

    await expect(notify()).rejects.toBeInstanceOf(RefusedMessage);
  });
});

describe("the session", () => {
  test("is named in everything after initialize, with the revision, when the server gives it an id", async () => {
    const talking = await talk(withSession((_request, response) => status(response, 202)));
    await begin(talking);
    await talking.notify();
    await talking.session.close();

    const named = talking.server.seen.map(({ method, headers }) => [
      method,
      headers["mcp-session-id"],
      headers["mcp-protocol-version"],
    ]);
    expect(named[0]).toEqual(["POST", undefined, undefined]);
    expect(named.slice(1).sort()).toEqual([
      ["DELETE", "s1", "2025-06-18"],
      ["GET", "s1", "2025-06-18"],
      ["POST", "s1", "2025-06-18"],
    ]);
  });

  test("names its revision before the client has said that it is initialized", async () => {
    const talking = await talk(withSession((_request, response) => status(response, 202)));
    await talking.ask("answer", { isInitialize: true });
    talking.session.establish("2025-11-25");
    await talking.notify();

    expect(talking.server.seen.at(-1)?.headers["mcp-protocol-version"]).toBe("2025-11-25");
    expect(talking.server.seen.map(({ method }) => method)).toEqual(["POST", "POST"]);
  });

  test("has no id when the server gives none, and nothing to end", async () => {
    const talking = await talk((request, response) => {
      if (request.method === "POST") json(response, "answer");
      else status(response, 405);
    });
    await begin(talking);
    await talking.ask();
    await talking.session.close();

    expect(talking.server.seen.map(({ headers }) => headers["mcp-session-id"]).filter(Boolean)).toEqual([]);
    expect(talking.server.seen.map(({ method }) => method)).not.toContain("DELETE");
  });

  test("is asked for anew by a further initialize, which names none", async () => {
    const talking = await talk(withSession((_request, response) => status(response, 405)));
    await begin(talking);
    await talking.ask("answer", { isInitialize: true });

    expect(talking.server.seen.at(-1)?.headers["mcp-session-id"]).toBeUndefined();
  });

  test("takes no id from another answer than that of initialize", async () => {
    const { ask, server } = await talk((_request, response) => json(response, "answer", { "mcp-session-id": "other" }));
    await ask();
    await ask();

    expect(server.seen.at(-1)?.headers["mcp-session-id"]).toBeUndefined();
  });

  test("is gone when the server answers a message with 404, which it has not taken then", async () => {
    const talking = await talk(withSession((_request, response) => status(response, 404)));
    await begin(talking, "2025-03-26");

    await expect(talking.ask()).rejects.toBeInstanceOf(SessionLost);
  });

  test("is not gone by a 404 when it has no id: then there is no such address", async () => {
    const { ask } = await talk((_request, response) => status(response, 404, "not here"));

    await expect(ask()).rejects.toMatchObject({ name: "RefusedMessage", status: 404, body: Buffer.from("not here") });
  });

  test("lives on when the server has never had a stream of its own, and says so with 404", async () => {
    const talking = await talk(
      withSession((request, response) => {
        if (request.method === "POST") json(response, "answer");
        else status(response, 404, "<html>");
      }),
    );
    await begin(talking);
    await vi.waitFor(() => expect(talking.server.seen.at(-1)?.method).toBe("GET"));

    expect(await talking.ask()).toEqual(["answer"]);
    expect(talking.lost).toEqual([]);
  });

  test("is gone when the server answers with 404 where its stream was, and is not ended once more", async () => {
    let streams = 0;
    const talking = await talk(
      withSession((_request, response) => {
        streams += 1;
        if (streams > 1) return status(response, 404);
        stream(response, "retry: 1\n\n");
        response.end();
      }),
    );
    await begin(talking);
    await vi.waitFor(() => expect(talking.lost).toEqual(["its session has ended"]));
    await talking.session.close();

    expect(talking.server.seen.map(({ method }) => method)).not.toContain("DELETE");
  });

  test.each([405, 404, 500])("may not be ended by clients, and says so with %i", async (code) => {
    const talking = await talk(
      withSession((request, response) => status(response, request.method === "DELETE" ? code : 405)),
    );
    await begin(talking);
    await talking.session.close();

    expect(talking.server.seen.at(-1)?.method).toBe("DELETE");
  });

  test("does not belong to a message with headers of its own", async () => {
    const talking = await talk(withSession((_request, response) => status(response, 405)));
    await begin(talking);
    await expect(talking.ask("answer", { headers: { "mcp-method": "tools/list" } })).resolves.toEqual(["answer"]);

    const { headers } = talking.server.seen.at(-1) ?? {};
    expect([headers?.["mcp-session-id"], headers?.["mcp-method"]]).toEqual([undefined, "tools/list"]);
  });
});

describe("what the server says by itself", () => {
  test("comes on a stream of the session's own", async () => {
    const talking = await talk(withSession((_request, response) => stream(response, "data: one\n\ndata: two\n\n")));
    await begin(talking);

    await vi.waitFor(() => expect(talking.said).toEqual(["one", "two"]));
  });

  test.each([405, 404, 400, 501])(
    "comes nowhere when the server has no such stream, and says so with %i",
    async (code) => {
      // Without a session, 404 means that there is nothing there.
      const talking = await talk((request, response) => {
        if (request.method === "POST") json(response, "answer");
        else status(response, code === 501 ? 405 : code);
      });
      await begin(talking);
      await vi.waitFor(() => expect(talking.server.seen).toHaveLength(2));
      await talking.ask();

      expect([talking.said, talking.lost]).toEqual([[], []]);
    },
  );

  test("is read again when its stream has ended, after the event that came last and the pause that the server wants", async () => {
    const talking = await talk(
      withSession((request, response) => {
        const isFirst = request.headers["last-event-id"] === undefined;
        stream(response, isFirst ? "id: 7\nretry: 1\ndata: one\n\n" : "data: two\n\n");
        if (isFirst) response.end();
      }),
    );
    await begin(talking);
    await vi.waitFor(() => expect(talking.said).toEqual(["one", "two"]));

    expect(talking.server.seen.at(-1)?.headers["last-event-id"]).toBe("7");
  });

  test("is read anew when the server does not know the event that came last", async () => {
    let streams = 0;
    const talking = await talk(
      withSession((request, response) => {
        streams += 1;
        if (streams === 1) {
          stream(response, "id: old\nretry: 1\n\n");
          response.end();
        } else if (request.headers["last-event-id"] !== undefined) status(response, 400);
        else stream(response, "data: fresh\n\n");
      }),
    );
    await begin(talking);

    await vi.waitFor(() => expect(talking.said).toEqual(["fresh"]), { timeout: 10_000 });
  });

  test.each([409, 503])("is asked for again after status %i, which passes", async (code) => {
    let streams = 0;
    const talking = await talk(
      withSession((_request, response) => {
        streams += 1;
        if (streams === 1) status(response, code);
        else stream(response, "data: later\n\n");
      }),
    );
    await begin(talking);

    await vi.waitFor(() => expect(talking.said).toEqual(["later"]), { timeout: 10_000 });
  });
});

describe("an answer whose stream ends early", () => {
  test("is continued after its last event, as often as the server ends it (2025-11-25: to be polled)", async () => {
    let streams = 0;
    const { ask, server } = await talk((request, response) => {
      if (request.method === "POST") stream(response, "id: p0\nretry: 1\ndata:\n\n");
      else {
        streams += 1;
        stream(response, streams < 6 ? `id: p${streams}\ndata:\n\n` : "id: p9\ndata: answer\n\n");
      }
      response.end();
    });

    expect(await ask()).toEqual(["answer"]);
    expect(server.seen.slice(1).map(({ headers }) => headers["last-event-id"])).toEqual([
      "p0",
      "p1",
      "p2",
      "p3",
      "p4",
      "p5",
    ]);
  });

  test("is continued, too, when its connection breaks", async () => {
    const { ask } = await talk((request, response) => {
      if (request.method === "POST") {
        stream(response, "id: 1\nretry: 1\ndata: progress\n\ndata: ha");
        setImmediate(() => response.destroy());
      } else {
        stream(response, "data: answer\n\n");
        response.end();
      }
    });

    expect(await ask()).toEqual(["progress", "answer"]);
  });

  test("is not continued once the answer has come", async () => {
    const { ask, server } = await talk((_request, response) => {
      stream(response, "id: 1\nretry: 1\ndata: answer\n\n");
      response.end();
    });
    await ask();

    expect(server.seen).toHaveLength(1);
  });

  test.each([
    [405, "does not continue it: status 405"],
    [400, "does not continue it: status 400"],
    [404, "does not continue it: status 404"],
  ])("is lost when the server refuses to continue it with %i, and is not sent again", async (code, reason) => {
    const talking = await talk(
      withSession((request, response) => {
        if (request.method !== "POST") {
          status(response, code);
          return;
        }
        stream(response, "id: 1\nretry: 1\n\n");
        response.end();
      }),
    );
    await talking.ask("answer", { isInitialize: true });
    const failure = await talking.ask().catch((error: unknown) => error);

    expect(failure).toMatchObject({ message: expect.stringContaining(reason) });
    // It has arrived: neither may stand for that.
    expect(failure).not.toBeInstanceOf(SessionLost);
    expect(failure).not.toBeInstanceOf(NotDelivered);
    expect(talking.lost).toHaveLength(code === 404 ? 1 : 0);
  });

  test("is given up after attempts in a row that bring nothing", async () => {
    const { ask, server } = await talk((request, response) => {
      if (request.method === "POST") stream(response, "id: 1\nretry: 1\n\n");
      else stream(response);
      response.end();
    });

    expect(await ask()).toEqual([]);
    expect(server.seen.length).toBeLessThan(10);
  });

  test("is given up when the server is gone, and does not count as undelivered", async () => {
    const talking = await talk((_request, response) => {
      stream(response, "id: 1\nretry: 1\n\n");
      setImmediate(() => response.destroy());
      void talking.server[Symbol.asyncDispose]();
    });
    opened.splice(0, 1);
    const failure = await talking.ask().catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(NotDelivered);
  });
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
