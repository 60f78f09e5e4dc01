/** Calls of a real server through the API: what it offers, what it answers, what it asks meanwhile. */
import { join } from "node:path";
import { ApiClient, type OperationAnswer } from "@toolhive/api/client";
import { describeEngines, runThv, type TestEngine, ThrowawayHome } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

type News = OperationAnswer<"callWorkload">;

let home: ThrowawayHome;
let client: ApiClient;
const params = { name: "it" };

async function start(engine: TestEngine): Promise<void> {
  home = await ThrowawayHome.create();
  const run = await runThv(["run", "--name", "it", "mcp/everything:test"], { home, engine });
  expect(run.code, run.stderr).toBe(0);
  client = new ApiClient({ socketPath: join(home.stateDirectory, "supervisor.sock") });
}

/** @param answers Result for each question, by its method. */
async function call(name: string, input: object, answers: Readonly<Record<string, object>> = {}): Promise<News[]> {
  const all: News[] = [];
  let callId = "";
  const body = { method: "tools/call", params: { name, arguments: input } } as const;
  for await (const news of client.stream("callWorkload", { params, body })) {
    all.push(news);
    if (news.type === "begin") callId = news.call_id;
    if (news.type !== "question") continue;
    const result = { ...answers[news.method] };
    await client.call("answerCall", { params: { call_id: callId }, body: { question_id: news.question_id, result } });
  }
  return all;
}

describeEngines("calls through the API on $kind", { isOneEnough: true }, (engine) => {
  beforeAll(async () => await start(engine));
  afterAll(async () => await home[Symbol.asyncDispose]());

  test("begin with what the server offers", async () => {
    const { tools } = await client.call("listWorkloadTools", { params });
    const { prompts } = await client.call("listWorkloadPrompts", { params });
    const { resources, resource_templates: templates } = await client.call("listWorkloadResources", { params });

    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["echo", "trigger-sampling-request", "trigger-elicitation-request"]),
    );
    expect(prompts.length * resources.length * templates.length).toBeGreaterThan(0);
  });

  test("show the messages and end with the answer", async () => {
    const news = await call("echo", { message: "hello" });

    const sent = news.filter((each) => each.type === "message" && each.direction === "out");
    expect(JSON.stringify(sent)).toContain('"method":"tools/call"');
    expect(news.at(-1)).toMatchObject({ type: "end", result: { content: [{ type: "text", text: "Echo: hello" }] } });
  });

  test("get prompts, read resources, and hand on the server's own error", async () => {
    const last = async (method: "prompts/get" | "resources/read", about: Record<string, unknown>) => {
      let end: News | undefined;
      for await (const news of client.stream("callWorkload", { params, body: { method, params: about } })) end = news;
      return end;
    };
    const { resources } = await client.call("listWorkloadResources", { params });

    expect(await last("prompts/get", { name: "simple-prompt" })).toMatchObject({ result: { messages: [{}] } });
    expect(await last("resources/read", { uri: resources[0]?.uri })).toMatchObject({ result: { contents: [{}] } });
    expect(await last("prompts/get", { name: "absent" })).toMatchObject({ error: { rpc_code: -32602 } });
  });

  test("ask their caller for a sample and for what only a person knows", async () => {
    const sample = { role: "assistant", content: { type: "text", text: "a poem by hand" }, model: "by-hand" };
    const sampled = await call(
      "trigger-sampling-request",
      { prompt: "Write", maxTokens: 10 },
      { "sampling/createMessage": sample },
    );
    expect(JSON.stringify(sampled.at(-1))).toContain("a poem by hand");

    const elicited = await call("trigger-elicitation-request", {}, { "elicitation/create": { action: "decline" } });
    expect(elicited.find(({ type }) => type === "question")).toMatchObject({
      method: "elicitation/create",
      params: { requestedSchema: { type: "object" } },
    });
    expect(JSON.stringify(elicited.at(-1))).toMatch(/declined/i);
  });
});
