/** Requests that are authorized, and answers that are judged, by a guard of the caller. */
import type { IncomingMessage } from "node:http";
import { afterEach, expect, test } from "vitest";
import type { ExchangeGuard, GuardedRequest, ServerTarget } from "./exchange.ts";
import { openSession } from "./open-session.ts";
import { json, type Script, startScripted, status, stream } from "./testing/scripted-server.ts";

const opened: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of opened.splice(0).reverse()) await dispose();
});

async function open(script: Script, guard: Partial<ExchangeGuard>, path = "/mcp") {
  const server = await startScripted(script, path);
  const requests: GuardedRequest[] = [];
  const createGuard: ServerTarget["createGuard"] = (request) => {
    requests.push(request);
    return {
      path: request.path,
      authorize: async () => undefined,
      buildHeaders: (headers) => ({ ...headers, authorization: "Bearer t" }),
      judge: async () => false,
      ...guard,
    };
  };
  opened.push(() => server[Symbol.asyncDispose]());
  const session = await openSession(
    { url: server.url, maxMessageBytes: 1_000, createGuard },
    { onMessage: () => undefined, onLost: () => undefined },
  );
  opened.push(() => session.close());
  const ask = async () => {
    const got: string[] = [];
    await session.post({
      body: [Buffer.from("x")],
      onMessage: (text) => void got.push(text.toString("utf8")),
      isAnswered: () => got.length > 0,
    }).done;
    return got;
  };
  return { server, requests, ask };
}

test("a guard adds headers, and sends again until it accepts the answer", async () => {
  let attempts = 0;
  const { ask, server } = await open(
    (_request, response) => {
      attempts += 1;
      if (attempts < 3) status(response, 401);
      else json(response, "answer");
    },
    { judge: async ({ statusCode }: IncomingMessage) => statusCode === 401 },
  );

  expect(await ask()).toEqual(["answer"]);
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer t", "Bearer t", "Bearer t"]);
});

test("a guard that is never satisfied does not send for ever", async () => {
  const { ask, server } = await open((_request, response) => status(response, 401), { judge: async () => true });

  await expect(ask()).rejects.toThrow("in 10 attempts");
  expect(server.seen).toHaveLength(10);
});

test("nothing is sent when the guard has nothing to send it with", async () => {
  const { ask, server } = await open((_request, response) => json(response, "answer"), {
    authorize: async () => {
      throw new Error("sign in first");
    },
  });

  await expect(ask()).rejects.toThrow("sign in first");
  expect(server.seen).toEqual([]);
});

test("what a guard says of an answer is the reason of the failure", async () => {
  const { ask } = await open((_request, response) => status(response, 403), {
    judge: async () => {
      throw new Error("not for you");
    },
  });

  await expect(ask()).rejects.toThrow("not for you");
});

test("each request of HTTP with SSE has its guard, with the path that it goes to", async () => {
  const { ask, requests } = await open(
    (request, response) => {
      if (request.method === "POST") status(response, 202);
      else stream(response, "event: endpoint\ndata: /messages?id=1\n\n");
    },
    {},
    "/sse",
  );
  await ask();

  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /sse", "POST /messages?id=1"]);
});
