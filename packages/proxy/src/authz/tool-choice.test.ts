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

  test("are what a refusal guesses from: a hidden tool is refused in the same words as one that nobody has", async () => {
    const refuse = async (name: string) => {
      const { message } = await client.request("tools/call", { name, arguments: {} });
      return (message.error as { message: string }).message;
    };
    expect(await refuse("weathr")).toContain('No tool "weathr"');
    expect(await refuse("weathr")).toContain('Did you mean "weather"?');
    expect((await refuse("destroi")).replace("destroi", "destroy")).toBe(await refuse("destroy"));
  });

  test.each([
    [31, undefined],
    [32, "more than 33 objects or lists in each other"],
    [60, "more than 33 objects or lists in each other"],
  ])("decide about a call with an argument of %i levels", async (levels, problem) => {
    const args = `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    const call = `{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"weather","arguments":${args}}}`;

    const answer = await client.send(call);

    if (way === "sse") return;
    if (problem === undefined) expect(answer.status).toBe(200);
    else expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(problem)]);
  });

  test("are not passed by a second name in the same message", async () => {
    const call = '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"weather","name":"destroy"}}';

    const answer = await client.send(call);

    if (way !== "sse") expect(await answer.json()).toMatchObject({ id: 77, error: { code: -32013 } });
  });
});

describe.each(ROUTES)("tools with other names, of a server on %s, over %s", (kind, way) => {
  const called: unknown[] = [];
  let guarded: Guarded;
  let client: RouteClient;
  beforeAll(async () => {
    guarded = await openGuarded({
      kind,
      needsToken: false,
      tools: ["forecast", "alarm"],
      toolOverrides: {
        weather: { name: "forecast", description: 'The "sky"' },
        destroy: { name: "alarm" },
        Weather: { description: "never seen" },
      },
      onRequest: (method, params) => {
        if (method === "tools/call") called.push(params.name);
        return (
          {
            "tools/list":
              '{"tools":[{"name":"weather","description":"old","inputSchema":{"maximum":18446744073709551615}},{"name":"destroy"},{"name":"Weather"},{"name":"alarm"}]}',
          }[method] ?? '{"content":["DONE"]}'
        );
      },
    });
    client = await openClient(guarded.endpoint, way, {});
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  });

  test("are listed under these, and another tool that has such a name is hidden", async () => {
    const { message } = await client.request("tools/list");

    expect(message).toMatchObject({
      result: { tools: [{ name: "forecast", description: 'The "sky"', inputSchema: {} }, { name: "alarm" }] },
    });
    expect(message).not.toHaveProperty("result.tools.2");
  });

  test.each([
    ["forecast", "weather"],
    ["alarm", "destroy"],
  ])("are called by %j, and the server receives %j", async (shown, own) => {
    called.length = 0;

    expect((await client.request("tools/call", { name: shown, arguments: {} })).message).toMatchObject({
      result: { content: ["DONE"] },
    });
    expect(called).toEqual([own]);
  });

  test.each(["weather", "destroy", "Weather"])(
    "cannot be called by %j, which is the server's own name",
    async (own) => {
      called.length = 0;

      expect((await client.request("tools/call", { name: own, arguments: {} })).message).toMatchObject({
        error: { message: expect.stringContaining("is not offered here") },
      });
      expect(called).toEqual([]);
    },
  );
});

describe.each(ROUTES)("tools that are chosen while clients are there, of a server on %s, over %s", (kind, way) => {
  test("are at once the only ones, for the same session, until all are offered again", async () => {
    await using guarded = await openGuarded({
      kind,
      needsToken: false,
      onRequest: (method) => ANSWERS[method] ?? '{"content":["DONE"]}',
    });
    const { endpoint } = guarded;
    await using first = await openClient(endpoint, way, {});
    expect((await first.request("tools/list")).message).toHaveProperty("result.tools.2");

    endpoint.chooseTools({ tools: ["forecast"], toolOverrides: { weather: { name: "forecast" } } });

    // A session of a server that speaks SSE itself is its stream, which was begun unread: its client opens another.
    await using again = kind === "sse" ? await openClient(endpoint, way, {}) : undefined;
    const client = again ?? first;
    const requestAnswer = async (method: string, params = {}) => (await client.request(method, params)).message;
    if (way === "sse" && kind === "stdio") {
      // On one stream with all answers, the news comes first.
      expect(await requestAnswer("ping")).toMatchObject({ method: "notifications/tools/list_changed" });
      return;
    }
    const listed = await requestAnswer("tools/list");
    expect(listed).toMatchObject({ result: { tools: [{ name: "forecast" }] } });
    expect(listed).not.toHaveProperty("result.tools.1");
    for (const name of ["weather", "destroy", "Forecast", "forecast\u200b"])
      expect(await requestAnswer("tools/call", { name, arguments: {} })).toHaveProperty("error");
    expect(await requestAnswer("tools/call", { name: "forecast", arguments: {} })).toHaveProperty("result");

    endpoint.chooseTools({});
    if (way !== "sse") expect(await requestAnswer("tools/list")).toHaveProperty("result.tools.2");
  });
});
