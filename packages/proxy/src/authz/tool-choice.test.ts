/** Only the chosen tools are listed and called, on every way to every kind of server. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openClient, ROUTES, type RouteClient } from "../testing/client-routes.ts";
import { type Guarded, openGuarded } from "../testing/open-guarded.ts";

const ANSWERS: Readonly<Record<string, string>> = {
  "tools/list": '{"tools":[{"name":"weather"},{"name":"destroy"},{"name":"Weather"}],"nextCursor":"c2"}',
  "prompts/list": '{"prompts":[{"name":"destroy"}]}',
};

describe.each(ROUTES)("tools that were chosen, of a server on %s, over %s", (kind, way) => {
  let guarded: Guarded;
  let client: RouteClient;
  beforeAll(async () => {
    guarded = await openGuarded({
      kind,
      needsToken: false,
      tools: ["weather"],
      onRequest: (method) => ANSWERS[method] ?? '{"content":["DONE"]}',
    });
    client = await openClient(guarded.endpoint, way, {});
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  });

  test("are the only ones in the list; prompts are not tools", async () => {
    expect((await client.request("tools/list")).message).toMatchObject({ result: { tools: [{ name: "weather" }] } });
    expect((await client.request("prompts/list")).message).toMatchObject({
      result: { prompts: [{ name: "destroy" }] },
    });
  });

  test.each([
    ["weather", true],
    ["destroy", false],
    ["Weather", false],
    ["weather\u200b", false],
  ])("decide about a call of %j: %s", async (name, isAllowed) => {
    const { message } = await client.request("tools/call", { name, arguments: {} });

    if (isAllowed) expect(message).toMatchObject({ result: { content: ["DONE"] } });
    else expect(message).toMatchObject({ error: { message: expect.stringContaining("is not offered here") } });
  });

  test("are not passed by a second name in the same message", async () => {
    const call = '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"weather","name":"destroy"}}';

    expect((await client.send(call)).status).toBeGreaterThanOrEqual(way === "sse" ? 200 : 400);
  });
});
