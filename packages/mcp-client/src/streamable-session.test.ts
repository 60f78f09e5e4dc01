/** Streamable HTTP, with what its specifications allow and advise servers to do, each as a case. */
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { RefusedMessage, SessionLost } from "./failures.ts";
import { json, status, stream } from "./testing/scripted-server.ts";
import { begin, opened, talk, withSession } from "./testing/scripted-talk.ts";

afterEach(async () => {
  for (const { dispose } of opened.splice(0).reverse()) await dispose();
});

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
