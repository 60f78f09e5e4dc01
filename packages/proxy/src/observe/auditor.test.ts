import { mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUDIT_EVENT_TYPES, type AuditConfig } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openClient, ROUTES } from "../testing/client-routes.ts";
import { openGuarded, type ServerKind } from "../testing/open-guarded.ts";
import { openPair } from "../testing/open-pair.ts";
import { initializeBody, openSession, post, rawRequest } from "../testing/raw-client.ts";

const AUTHZ = {
  version: "1.0",
  type: "cedarv1" as const,
  cedar: {
    policies: ['forbid(principal, action, resource == Tool::"destroy");', "permit(principal, action, resource);"],
  },
};

interface AuditEvent {
  readonly type: string;
  readonly outcome: string;
  readonly [member: string]: unknown;
}

let folder: string;
let log_file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "audit-"));
  log_file = join(folder, "audit.log");
});
afterEach(() => rm(folder, { recursive: true }));

async function events(): Promise<AuditEvent[]> {
  const text = await readFile(log_file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditEvent);
}

async function waitForEvent(type: string, outcome: string): Promise<AuditEvent> {
  let found: AuditEvent | undefined;
  for (const deadline = performance.now() + 10_000; found === undefined && performance.now() < deadline; ) {
    found = (await events()).find((event) => event.type === type && event.outcome === outcome);
    if (found === undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  if (found === undefined) throw new Error(`no ${type} ${outcome} in ${JSON.stringify(await events())}`);
  return found;
}

const open = (kind: ServerKind, config: AuditConfig = {}) =>
  openGuarded({
    kind,
    access: { audit_config: { log_file, ...config }, authz_config: AUTHZ },
    onRequest: (method) => (method === "tools/list" ? '{"tools":[]}' : '{"content":[{"text":"the answer"}]}'),
  });

describe.each(ROUTES)("the audit log of a %s server, reached by %s", (kind, way) => {
  test("names who did what, with which result and how long it took", async () => {
    await using guarded = await open(kind);
    await using client = await openClient(guarded.endpoint, way, await guarded.as("ada", { name: "Ada Lovelace" }));

    await client.request("tools/call", { name: "weather", arguments: { city: "Oslo" } });
    const event = await waitForEvent("mcp_tool_call", "success");

    expect(event).toEqual({
      time: event.logged_at,
      level: "INFO+2",
      msg: "audit_event",
      audit_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: "mcp_tool_call",
      logged_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      outcome: "success",
      component: "fake",
      source: { type: "network", value: expect.stringContaining("127.0.0.1") },
      subjects: { user: "Ada Lovelace", user_id: "ada", issuer: guarded.issuer.url },
      target: { method: "tools/call", name: "weather" },
      metadata: {
        extra: { duration_ms: expect.any(Number), transport: kind, response_size_bytes: expect.any(Number) },
      },
    });
  });

  test("names what was denied, by policies and for want of a token", async () => {
    await using guarded = await open(kind);
    await using client = await openClient(guarded.endpoint, way, await guarded.as("ada"));

    await client.request("tools/call", { name: "destroy" });
    await rawRequest(guarded.endpoint, { method: "POST", path: "/mcp" });

    expect(await waitForEvent("mcp_tool_call", "denied")).toMatchObject({
      subjects: { user_id: "ada" },
      target: { name: "destroy" },
    });
    expect(await waitForEvent("http_request", "denied")).toMatchObject({
      subjects: { user: "anonymous" },
      target: { method: "POST", endpoint: "/mcp" },
    });
  });
});

describe("the audit log", () => {
  test("is readable by its owner only, also when it was there before", async () => {
    await writeFile(log_file, "", { mode: 0o644 });
    await using guarded = await open("stdio");
    await post(guarded.endpoint, initializeBody(), await guarded.as("ada"));
    await waitForEvent("mcp_initialize", "success");

    expect((await stat(log_file)).mode & 0o777).toBe(0o600);
  });

  test("is not written through a link", async () => {
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, "");
    await symlink(elsewhere, log_file);

    await expect(open("stdio")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("is appended to by the next endpoint", async () => {
    for (const subject of ["ada", "bob"]) {
      await using guarded = await open("stdio");
      await post(guarded.endpoint, initializeBody(), await guarded.as(subject));
    }

    expect((await events()).map(({ subjects }) => subjects)).toMatchObject([{ user_id: "ada" }, { user_id: "bob" }]);
  });

  test("holds requests and answers when it is asked to, without secrets and cut", async () => {
    await using guarded = await open("stdio", {
      include_request_data: true,
      include_response_data: true,
      max_data_size: 100,
    });
    await using client = await openClient(guarded.endpoint, "session", await guarded.as("ada"));

    const args = {
      city: "Oslo",
      password: "marker-one",
      nested: { api_key: "marker-two", list: [{ authorization: { a: "marker-three" } }] },
      text: "curl -H 'Authorization: Bearer marker-four-marker-four'",
    };
    await client.request("tools/call", { name: "weather", arguments: args });
    const event = await waitForEvent("mcp_tool_call", "success");
    const text = JSON.stringify(event);

    expect(text).not.toContain("marker-");
    expect(text).toContain("[redacted]");
    expect(event.data).toMatchObject({ response: { content: [{ text: "the answer" }] } });
    expect(text).toContain("…");
  });

  test.each([
    [{ event_types: ["mcp_tool_call"] }, ["mcp_tool_call"]],
    [{ exclude_event_types: ["mcp_initialize", "mcp_tools_list"] }, ["mcp_tool_call"]],
    [{ event_types: ["mcp_tool_call", "mcp_tools_list"], exclude_event_types: ["mcp_tools_list"] }, ["mcp_tool_call"]],
  ] as [AuditConfig, string[]][])("with %j holds %j only", async (config, types) => {
    {
      await using guarded = await open("stdio", config);
      await using client = await openClient(guarded.endpoint, "session", await guarded.as("ada"));
      await client.request("tools/list");
      await client.request("tools/call", { name: "weather" });
    }

    expect((await events()).map(({ type }) => type)).toEqual(types);
  });

  test.each([
    ["initialize", "mcp_initialize"],
    ["prompts/get", "mcp_prompt_get"],
    ["prompts/list", "mcp_prompts_list"],
    ["resources/read", "mcp_resource_read"],
    ["resources/list", "mcp_resources_list"],
    ["logging/setLevel", "mcp_logging"],
    ["completion/complete", "mcp_completion"],
    ["ping", "mcp_ping"],
    ["anything/else", "mcp_request"],
    ["notifications/initialized", "mcp_notification"],
    ["notifications/roots/list_changed", "mcp_roots_list_changed"],
  ])("calls %s a %s", async (method, type) => {
    await using pair = await openPair({ onRequest: () => "{}" }, { access: { audit_config: { log_file } } });
    const session = await openSession(pair.endpoint);

    const id = method.startsWith("notifications/") ? {} : { id: 1 };
    await session.post(JSON.stringify({ jsonrpc: "2.0", ...id, method, params: {} }));

    expect(AUDIT_EVENT_TYPES).toContain(type);
    expect(await waitForEvent(type, "success")).toMatchObject({ component: "fake" });
  });

  test("records streams and requests that are no messages", async () => {
    await using pair = await openPair({}, { access: { audit_config: { log_file } } });
    const session = await openSession(pair.endpoint);
    {
      await using events = await session.listen();
      expect(events.response.status).toBe(200);
    }
    await post(pair.endpoint, "not a message", session.headers);

    expect(await waitForEvent("sse_connection", "success")).toMatchObject({ target: { endpoint: "/mcp" } });
    expect(await waitForEvent("http_request", "failure")).toMatchObject({ target: { method: "POST" } });
  });

  test("calls an answer that never came an error", async () => {
    await using pair = await openPair({ onRequest: () => undefined }, { access: { audit_config: { log_file } } });
    const session = await openSession(pair.endpoint);
    const call = session.post('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"slow"}}');
    await waitFor(() => pair.endpoint.counts.pendingRequests === 1, { what: "the call at the server" });

    pair.server.exit();
    await call;

    expect(await waitForEvent("mcp_tool_call", "error")).toMatchObject({ target: { name: "slow" } });
  });
});
