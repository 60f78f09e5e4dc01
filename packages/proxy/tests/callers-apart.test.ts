/**
 * Where callers are told apart, nothing of one reaches another, one case for each way that it could take. All ways
 * together, in random order, are in callers-apart.property.test.ts.
 */
import { describe, expect, test } from "vitest";
import { openApart } from "../src/testing/open-apart.ts";
import { buildUrl, EventReader, initializeBody, post } from "../src/testing/raw-client.ts";

const call = (id: number, more = ""): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"x"${more}}}`;
const ELICITATION = { elicitation: {} };

describe("a question of the server", () => {
  test("reaches nobody while two callers have calls in flight", async () => {
    await using apart = await openApart();
    const alice = await apart.open("alice", { capabilities: ELICITATION });
    const mallory = await apart.open("mallory", { capabilities: ELICITATION });
    const aliceAnswer = alice.post(call(1));
    const aliceCall = await apart.server.receive("tools/call", 1);
    const malloryAnswer = mallory.post(call(1));
    const malloryCall = await apart.server.receive("tools/call", 2);

    apart.server.request(7, "elicitation/create", { message: "alice's card" });
    await mallory.post('{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}');
    apart.server.answer(aliceCall, "{}");
    apart.server.answer(malloryCall, "{}");

    expect((await apart.server.receiveAnswer(7)).error).toMatchObject({ code: -32012 });
    expect(await (await malloryAnswer).text()).not.toContain("card");
    expect(await (await aliceAnswer).text()).not.toContain("card");
  });

  test("reaches the caller for whom alone the server works, though another has used it before", async () => {
    await using apart = await openApart();
    const mallory = await apart.open("mallory", { capabilities: ELICITATION });
    const first = mallory.post(call(1));
    apart.server.answer(await apart.server.receive("tools/call", 1), "{}");
    await first;
    const alice = await apart.open("alice", { capabilities: ELICITATION });
    const answer = alice.post(call(1));
    await apart.server.receive("tools/call", 2);

    apart.server.request(7, "elicitation/create", { message: "alice's card" });
    const { id } = (await new EventReader(await answer).nextMessage()) as { id: number };
    await mallory.post(`{"jsonrpc":"2.0","id":${id},"result":{"action":"stolen"}}`);
    await alice.post(`{"jsonrpc":"2.0","id":${id},"result":{"action":"accept"}}`);

    expect((await apart.server.receiveAnswer(7)).result).toEqual({ action: "accept" });
  });

  test.each([
    ["cancelled", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'],
    ["put into a task", undefined],
  ])("reaches nobody while it could come of a call that another caller has %s", async (_, cancellation) => {
    await using apart = await openApart();
    const alice = await apart.open("alice", { capabilities: ELICITATION });
    const mallory = await apart.open("mallory", { capabilities: ELICITATION });
    const aliceAnswer = alice.post(call(1, ',"task":{}'));
    const aliceCall = await apart.server.receive("tools/call", 1);
    if (cancellation === undefined) apart.server.answer(aliceCall, '{"task":{}}');
    else await alice.post(cancellation);
    await aliceAnswer;
    const malloryAnswer = mallory.post(call(1));
    const malloryCall = await apart.server.receive("tools/call", 2);

    apart.server.request(7, "elicitation/create", { message: "alice's card" });
    expect((await apart.server.receiveAnswer(7)).error).toMatchObject({ code: -32012 });
    apart.server.answer(malloryCall, "{}");

    expect(await (await malloryAnswer).text()).not.toContain("card");
  });

  test.each(["sampling/createMessage", "elicitation/create", "roots/list"])(
    "(%s) reaches no idle session of another caller",
    async (method) => {
      await using apart = await openApart();
      const capabilities = { elicitation: {}, sampling: {}, roots: {} };
      const alice = await apart.open("alice", { capabilities });
      const answer = alice.post(call(1));
      apart.server.answer(await apart.server.receive("tools/call"), "{}");
      await answer;
      await fetch(buildUrl(apart.endpoint), { method: "DELETE", headers: alice.headers });
      const mallory = await apart.open("mallory", { capabilities });
      await using _ = await mallory.listen();

      apart.server.request(7, method, { message: "alice's card" });

      expect((await apart.server.receiveAnswer(7)).error).toMatchObject({ code: -32012 });
    },
  );

  test("for roots reaches nobody, also while the server works for one caller alone", async () => {
    await using apart = await openApart();
    const capabilities = { ...ELICITATION, roots: {} };
    const mallory = await apart.open("mallory", { capabilities });
    const first = mallory.post(call(1));
    apart.server.answer(await apart.server.receive("tools/call", 1), "{}");
    await first;
    const alice = await apart.open("alice", { capabilities });
    const answer = alice.post(call(1));
    const asked = await apart.server.receive("tools/call", 2);

    apart.server.request(7, "roots/list", {});

    expect((await apart.server.receiveAnswer(7)).error).toMatchObject({ code: -32012 });
    apart.server.answer(asked, "{}");
    await (await answer).text();
  });

  test("reaches nobody while it could come of a call that an earlier supervisor had sent", async () => {
    await using apart = await openApart({ isTakenOver: true });
    const mallory = await apart.open("mallory", { capabilities: ELICITATION });
    const answer = mallory.post(call(1));
    const message = await apart.server.receive("tools/call");

    apart.server.request(7, "elicitation/create", { message: "alice's card" });

    expect((await apart.server.receiveAnswer(7)).error).toMatchObject({ code: -32012 });
    apart.server.answer(message, "{}");
    expect(await (await answer).text()).not.toContain("card");
  });

  test("gets no progress of another caller", async () => {
    await using apart = await openApart();
    const alice = await apart.open("alice", { capabilities: ELICITATION });
    const mallory = await apart.open("mallory", { capabilities: ELICITATION });
    const answer = alice.post(call(1));
    await apart.server.receive("tools/call", 1);
    apart.server.request(7, "elicitation/create", { _meta: { progressToken: "of alice" } });
    await new EventReader(await answer).nextMessage();
    const progress = (text: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"of alice","progress":1,"message":"${text}"}}`;

    await mallory.post(progress("forged"));
    await alice.post(progress("true"));

    await apart.server.receive("notifications/progress");
    expect(apart.server.listSeen("notifications/progress").map(({ params }) => params.message)).toEqual(["true"]);
  });
});

describe("a notification of the server", () => {
  test.each(["notifications/message", "notifications/tasks/status", "notifications/anything"])(
    "(%s) reaches nobody once two callers have used the server",
    async (method) => {
      await using apart = await openApart({ server: { onRequest: () => "{}" } });
      const alice = await apart.open("alice");
      const mallory = await apart.open("mallory");
      await alice.post(call(1));
      await using own = await alice.listen();

      apart.server.notify(method, { data: "only alice was here" });
      await mallory.post(call(1));
      apart.server.notify(method, { data: "alice's card" });
      apart.server.notify("notifications/tools/list_changed");

      expect(await own.nextMessage()).toMatchObject({ method, params: { data: "only alice was here" } });
      expect(await own.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
      await using others = await mallory.listen();
      expect(await others.nextMessage()).toMatchObject({ method: "notifications/tools/list_changed" });
    },
  );

  test.each(["tools", "prompts", "resources"])("that the %s changed has no content for other callers", async (list) => {
    await using apart = await openApart({ server: { onRequest: () => "{}" } });
    const alice = await apart.open("alice");
    const mallory = await apart.open("mallory");
    await alice.post(call(1));

    apart.server.notify(`notifications/${list}/list_changed`, { _meta: { why: "alice's card" } });

    await using events = await mallory.listen();
    const method = `notifications/${list}/list_changed`;
    expect(await events.nextMessage()).toEqual({ jsonrpc: "2.0", method });
  });

  test("that a resource changed says no more than which one to other callers", async () => {
    await using apart = await openApart({ server: { onRequest: () => "{}" } });
    const alice = await apart.open("alice");
    const mallory = await apart.open("mallory");
    await alice.post(call(1));
    await mallory.post('{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"file:///x"}}');

    apart.server.notify("notifications/resources/updated", { uri: "file:///x", title: "alice's card" });

    await using events = await mallory.listen();
    expect(await events.nextMessage()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "file:///x" },
    });
  });
});

describe("initialization", () => {
  test("shows a server that callers share nothing of the first client but what it can do", async () => {
    await using apart = await openApart();
    const token = await apart.as("alice");
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: "alice's id",
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {
          sampling: { tools: {}, "alice's": {} },
          roots: { listChanged: true },
          experimental: { "alice's": {} },
        },
        clientInfo: { name: "alice's client", version: "1" },
        _meta: { "alice's": 1 },
      },
    });

    const response = await post(apart.endpoint, body, token);

    expect(await response.json()).toMatchObject({ id: "alice's id", result: { protocolVersion: "2025-11-25" } });
    const { raw, params } = await apart.server.receive("initialize");
    expect(raw).not.toContain("alice");
    expect(params).toMatchObject({
      protocolVersion: "2025-11-25",
      capabilities: { sampling: { tools: {} }, roots: { listChanged: true } },
    });
  });
});

describe("sessions of a caller", () => {
  test("outlive however many another caller opens", async () => {
    await using apart = await openApart({
      limits: { maxSessions: 20, maxCallerSessions: 10 },
      server: { onRequest: () => "{}" },
    });
    const alice = await apart.open("alice");
    const oldest = await apart.open("mallory");
    for (let n = 0; n < 25; n++) await apart.open("mallory");

    expect((await alice.post(call(1))).status).toBe(200);
    expect((await oldest.post(call(1))).status).toBe(404);
    expect(apart.endpoint.counts.sessions).toBe(11);
  });

  test("are refused with 503 when all of the caller's share are in use, while others get theirs", async () => {
    await using apart = await openApart({ limits: { maxSessions: 20, maxCallerSessions: 1 } });
    const mallory = await apart.open("mallory");
    await using _ = await mallory.listen();

    const refused = await post(apart.endpoint, initializeBody(), await apart.as("mallory"));

    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    await apart.open("alice");
  });
});
