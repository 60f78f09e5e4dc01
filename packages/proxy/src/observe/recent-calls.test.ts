/** What an endpoint keeps of its calls, and what its policies say of one that nobody makes, over every kind of server. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openEndpoint } from "../open-endpoint.ts";
import { openClient } from "../testing/client-routes.ts";
import { type Guarded, openGuarded, SERVER_KINDS } from "../testing/open-guarded.ts";
import { RecentCalls } from "./recent-calls.ts";

const AUTHZ = {
  version: "1.0",
  type: "cedarv1" as const,
  cedar: {
    policies: [
      'permit(principal == Client::"ada", action == Action::"call_tool", resource == Tool::"weather");',
      'forbid(principal, action, resource == Tool::"pay");',
      'permit(principal == Client::"ada", action, resource) when { context has arg_amount && context.arg_amount > 3 };',
    ],
  },
};

describe.each(SERVER_KINDS)("an endpoint of a server on %s", (kind) => {
  let guarded: Guarded;
  beforeAll(async () => {
    guarded = await openGuarded({ kind, access: { authz_config: AUTHZ }, onRequest: () => '{"content":[]}' });
  });
  afterAll(async () => await guarded[Symbol.asyncDispose]());

  test("keeps who called what, and whether it was denied, newest first", async () => {
    const headers = await guarded.as("ada", { name: "Ada" });
    await using client = await openClient(guarded.endpoint, kind === "sse" ? "sse" : "session", headers);
    await client.request("tools/call", { name: "weather" });
    await client.request("tools/call", { name: "pay" });

    const calls = () => guarded.endpoint.recentCalls?.filter(({ method }) => method === "tools/call");
    await vi.waitFor(() => expect(calls()).toHaveLength(2));
    expect(calls()).toMatchObject([
      { caller: "Ada", target: "pay", outcome: "denied" },
      { caller: "Ada", target: "weather", outcome: "success", at: expect.any(Date), ms: expect.any(Number) },
    ]);
  });

  test.each([
    ["weather", {}, { isAllowed: true, policies: [0] }],
    ["weather", { amount: "many" }, { isAllowed: false, policies: [], problem: expect.stringContaining("policy2") }],
    ["weather", { amount: 1 }, { isAllowed: true, policies: [0] }],
    ["weather", { amount: 5 }, { isAllowed: true, policies: [0, 2] }],
    ["pay", { amount: 5 }, { isAllowed: false, policies: [1] }],
    ["other", { amount: 1 }, { isAllowed: false, policies: [] }],
  ])("says which policies decide about %s with %j", (name, args, verdict) => {
    expect(guarded.endpoint.judge?.({ claims: { sub: "ada" }, action: "call_tool", name, args })).toEqual(verdict);
  });
});

test("an endpoint that only asks for tokens reads no messages, and keeps no calls", async () => {
  await using guarded = await openGuarded();

  expect(guarded.endpoint.recentCalls).toBeUndefined();
});

test("an endpoint without access rules keeps no calls and has no policies to ask", async () => {
  await using endpoint = await openEndpoint({ name: "open", host: "127.0.0.1", port: 0 });

  expect(endpoint.recentCalls).toBeUndefined();
  expect(endpoint.judge).toBeUndefined();
});

test("the oldest calls and the ends of long texts are dropped", () => {
  const calls = new RecentCalls({ now: () => 0, date: () => new Date(0) });
  const params = { name: "n".repeat(1_000) };
  for (let call = 0; call < 300; call += 1) {
    const message = { envelope: { kind: "request", method: `${call}-`.repeat(200) }, params };
    calls.begin({ id: "", claims: { sub: "s".repeat(1_000) } }, message as never).end({
      outcome: "success",
      response: undefined,
    });
  }

  const kept = calls.list();
  expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => 300 - index));
  expect(kept[0]?.method.startsWith("299-")).toBe(true);
  expect([kept[0]?.method, kept[0]?.target, kept[0]?.caller].map((text) => text?.length)).toEqual([200, 200, 200]);
});
