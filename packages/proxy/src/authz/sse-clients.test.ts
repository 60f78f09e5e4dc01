/**
 * What a server that speaks HTTP with SSE is sent by clients that know the newest revision: the same as without rules.
 */
import type { AccessConfig } from "@toolhive/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Guarded, openGuarded } from "../testing/open-guarded.ts";
import { buildUrl, CLIENT_HEADERS, EventReader } from "../testing/raw-client.ts";

const AUTHZ = {
  version: "1.0",
  type: "cedarv1" as const,
  cedar: { policies: ['permit(principal, action, resource == Tool::"weather");'] },
};
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
};
const message = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params: { _meta: META, ...params } });

describe.each([
  ["tokens", {}, true],
  ["policies", { authz_config: AUTHZ }, false],
  ["an audit log", { audit_config: { event_types: ["mcp_ping"] } }, false],
  ["no rules", undefined, false],
] satisfies [string, AccessConfig | undefined, boolean][])("an sse server with %s", (_, access, needsToken) => {
  let guarded: Guarded;
  let headers: Record<string, string>;
  let events: EventReader;
  let address: URL;
  beforeAll(async () => {
    guarded = await openGuarded({ kind: "sse", needsToken, ...(access && { access }), onRequest: () => '{"ok":1}' });
    headers = needsToken ? await guarded.as("ada") : {};
    const abort = new AbortController();
    events = new EventReader(await fetch(buildUrl(guarded.endpoint, "/sse"), { headers, signal: abort.signal }), abort);
    address = new URL((await events.next())?.data ?? "", buildUrl(guarded.endpoint, "/sse"));
  });
  afterAll(async () => {
    await events[Symbol.asyncDispose]();
    await guarded[Symbol.asyncDispose]();
  });
  const send = (body: string) => fetch(address, { method: "POST", body, headers: { ...CLIENT_HEADERS, ...headers } });

  test("takes messages with the newest _meta and none of its headers", async () => {
    const opened = await send(
      message(1, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "x", version: "1" },
      }),
    );
    const called = await send(message(2, "tools/call", { name: "weather" }));

    expect([opened.status, called.status]).toEqual([202, 202]);
    expect(await events.nextMessage()).toMatchObject({ id: 1, result: { protocolVersion: "2025-11-25" } });
    expect(await events.nextMessage()).toEqual({ jsonrpc: "2.0", id: 2, result: { ok: 1 } });
  });
});

test.each([
  ["tokens", {}, true],
  ["policies", { authz_config: AUTHZ }, false],
] as const)(
  "an sse server with %s answers clients that try streamable HTTP first that it does not speak it",
  async (_, access, needsToken) => {
    await using guarded = await openGuarded({ kind: "sse", needsToken, access });
    const headers = needsToken ? await guarded.as("ada") : {};

    const answer = await fetch(buildUrl(guarded.endpoint, "/sse"), {
      method: "POST",
      body: message(1, "initialize", {}),
      headers: { ...CLIENT_HEADERS, ...headers },
    });

    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  },
);
