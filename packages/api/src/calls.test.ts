/** Calls through the API: what their stream holds, questions and answers, and every bound. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiClient, type OperationAnswer } from "./client.ts";
import { MAX_CALLS, MAX_QUESTIONS } from "./contract/parts/limits.ts";
import { type McpSession, type OpenMcpOptions, RpcFailure } from "./live/mcp-access.ts";
import { ServedWorld } from "./testing/served-world.ts";

type News = OperationAnswer<"callWorkload">;
const WAIT = { timeout: 10_000, interval: 5 };

let served: ServedWorld;
let client: ApiClient;
const params = { name: "it" };
const body = { method: "tools/call", params: { name: "add" } } as const;

beforeEach(async () => {
  served = await ServedWorld.start();
  client = new ApiClient({ host: "127.0.0.1", port: served.port });
  await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "it" } });
  await vi.waitFor(() => expect(served.supervisor.describe("it").status).toBe("running"), WAIT);
});
afterEach(async () => {
  expect(served.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

/** A server whose calls do what the test says. */
function answerWith(call: (options: OpenMcpOptions) => Promise<unknown>, list: McpSession["list"] = async () => []) {
  const closed = vi.fn();
  served.mcp.open = async (_url, options) => ({
    list,
    call: () => call(options),
    [Symbol.asyncDispose]: async () => closed(),
  });
  return closed;
}

async function callAll(onNews: (news: News) => void = () => undefined): Promise<News[]> {
  const all: News[] = [];
  for await (const news of client.stream("callWorkload", { params, body })) {
    all.push(news);
    onNews(news);
  }
  return all;
}

describe("what a server offers", () => {
  test("is listed as the server has it", async () => {
    const kinds: string[] = [];
    answerWith(
      async () => ({}),
      async (kind) => {
        kinds.push(kind);
        return [{ name: `a ${kind}`, more: [1] }];
      },
    );

    expect(await client.call("listWorkloadTools", { params })).toEqual({
      tools: [{ name: "a tools", more: [1] }],
      states: [{ name: "a tools", own_name: "a tools", state: "offered" }],
    });
    expect(await client.call("listWorkloadPrompts", { params })).toMatchObject({ prompts: [{ name: "a prompts" }] });
    expect(await client.call("listWorkloadResources", { params })).toMatchObject({
      resources: [{ name: "a resources" }],
      resource_templates: [{ name: "a resourceTemplates" }],
    });
    expect(kinds).toEqual(["tools", "prompts", "resources", "resourceTemplates"]);
  });

  test("is refused above its bound, and of a server that is stopped", async () => {
    answerWith(
      async () => ({}),
      async () => [{ text: "x".repeat(9 * 1024 * 1024) }],
    );
    await expect(client.call("listWorkloadTools", { params })).rejects.toMatchObject({ message: /more than 8 MiB/ });
    await client.call("stopWorkload", { params });
    await vi.waitFor(() => expect(served.supervisor.describe("it").status).toBe("stopped"), WAIT);

    await expect(client.call("listWorkloadTools", { params })).rejects.toMatchObject({
      code: "SERVER_NOT_READY",
      message: '"it" is stopped.',
      hint: "Start it: thv restart it",
    });
  });
});

describe("a call", () => {
  test("has every message, asks its caller, and ends with the result", async () => {
    const closed = answerWith(async ({ onMessage, onQuestion, signal }) => {
      onMessage?.("out", { id: 1 });
      const answer = await onQuestion?.("elicitation/create", { message: "Which?" }, signal);
      onMessage?.("in", { id: 1 });
      return { content: [], answer };
    });
    let callId = "";

    const news = await callAll((each) => {
      if (each.type === "begin") callId = each.call_id;
      if (each.type !== "question") return;
      const answer = { question_id: each.question_id, result: { action: "accept" } };
      void client.call("answerCall", { params: { call_id: callId }, body: answer });
    });

    expect(news).toEqual([
      { type: "begin", call_id: callId },
      { type: "message", direction: "out", at: expect.any(String), message: { id: 1 } },
      {
        type: "question",
        question_id: expect.any(String),
        method: "elicitation/create",
        params: { message: "Which?" },
      },
      { type: "message", direction: "in", at: expect.any(String), message: { id: 1 } },
      { type: "end", ms: expect.any(Number), result: { content: [], answer: { action: "accept" } } },
    ]);
    expect(closed).toHaveBeenCalledOnce();
    const late = { question_id: "x", result: {} };
    await expect(client.call("answerCall", { params: { call_id: callId }, body: late })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("reports to the server why no client answers", async () => {
    answerWith(async ({ onQuestion, signal }) => await onQuestion?.("sampling/createMessage", {}, signal));
    let callId = "";

    const news = await callAll((each) => {
      if (each.type === "begin") callId = each.call_id;
      if (each.type !== "question") return;
      const answer = { question_id: each.question_id, error: { message: "declined by hand" } };
      void client.call("answerCall", { params: { call_id: callId }, body: answer });
    });

    expect(news.at(-1)).toMatchObject({ type: "end", error: { message: "declined by hand" } });
  });

  test("that the server refuses has the server's error, and one that cannot be sent has ours", async () => {
    answerWith(async () => {
      throw new RpcFailure("no such tool", -32602, { name: "add" });
    });
    expect((await callAll()).at(-1)).toMatchObject({
      type: "end",
      error: { message: "no such tool", rpc_code: -32602, data: { name: "add" } },
    });
    served.mcp.open = async () => {
      throw new Error("not at home");
    };
    expect((await callAll()).at(-1)).toMatchObject({ type: "end", error: { message: "not at home" } });
  });

  test("is cancelled when its caller leaves", async () => {
    let cancelled = false;
    const closed = answerWith(async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      cancelled = true;
      throw signal.reason;
    });
    const news = client.stream("callWorkload", { params, body });
    await news.next();
    await news.return(undefined);

    await vi.waitFor(() => expect([cancelled, closed.mock.calls.length]).toEqual([true, 1]), WAIT);
    await vi.waitFor(() => expect(served.server.openRequests).toBe(0), WAIT);
  });

  test("ends when its messages are too many", async () => {
    answerWith(async ({ onMessage, signal }) => {
      for (let count = 0; count < 20 && !signal.aborted; count += 1) onMessage?.("in", "x".repeat(1024 * 1024));
      throw signal.reason;
    });

    expect((await callAll()).at(-1)).toMatchObject({
      type: "end",
      error: { code: "SERVER_NOT_READY", message: "The server sent more than 8 MiB." },
    });
  });

  test("holds a bounded number of questions, and there is a bounded number of calls", async () => {
    answerWith(async ({ onQuestion, signal }) => {
      const asked = Array.from({ length: MAX_QUESTIONS + 1 }, () =>
        onQuestion?.("elicitation/create", {}, AbortSignal.any([signal])),
      );
      await Promise.race(asked);
    });
    expect((await callAll()).at(-1)).toMatchObject({ error: { message: "too many questions wait for an answer" } });

    answerWith(async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    });
    const calls = Array.from({ length: MAX_CALLS }, () => client.stream("callWorkload", { params, body }));
    for (const call of calls) await call.next();
    await expect(client.stream("callWorkload", { params, body }).next()).rejects.toMatchObject({
      code: "LIMIT_REACHED",
    });
    await expect(client.call("listWorkloadTools", { params })).rejects.toMatchObject({ code: "LIMIT_REACHED" });
    for (const call of calls) await call.return(undefined);
    await vi.waitFor(async () => await client.call("listWorkloadTools", { params }), WAIT);
  });
});

describe("who may call what", () => {
  const endpoint = () => [...served.world.network.endpoints.values()].at(-1);
  const question = { claims: { sub: "ada" }, action: "call_tool", name: "add" } as const;

  test("is unknown of a workload without access rules, and everybody may", async () => {
    expect(await client.call("listRecentCalls", { params })).toEqual({ is_kept: false, calls: [] });
    expect(await client.call("decideCall", { params, body: question })).toEqual({
      is_allowed: true,
      has_policies: false,
      policies: [],
    });
  });

  test("is what its endpoint keeps, and what its policies say", async () => {
    const it = endpoint();
    if (it === undefined) throw new Error("no endpoint is open");
    const kept = { id: 7, caller: "Ada", method: "tools/call", target: "add", outcome: "denied", ms: 3 } as const;
    it.recentCalls = [{ ...kept, at: new Date(0) }];
    const asked: unknown[] = [];
    it.judge = (given) => {
      asked.push(given);
      return { isAllowed: false, policies: [1], problem: "it is unclear" };
    };

    expect(await client.call("listRecentCalls", { params })).toEqual({
      is_kept: true,
      calls: [{ ...kept, at: "1970-01-01T00:00:00.000Z" }],
    });
    expect(await client.call("decideCall", { params, body: { ...question, arguments: { n: 1 } } })).toEqual({
      is_allowed: false,
      has_policies: true,
      policies: [1],
      problem: "it is unclear",
    });
    expect(asked).toEqual([{ ...question, args: { n: 1 } }]);
  });
});
