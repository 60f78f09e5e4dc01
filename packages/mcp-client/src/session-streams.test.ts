/** Streams of streamable HTTP: what the server sends by itself, and answers that go on after their stream has ended. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { NotDelivered, SessionLost } from "./failures.ts";
import { json, status, stream } from "./testing/scripted-server.ts";
import { begin, opened, talk, withSession } from "./testing/scripted-talk.ts";

afterEach(async () => {
  for (const { dispose } of opened.splice(0).reverse()) await dispose();
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
