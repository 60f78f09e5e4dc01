/** How servers are used, in the answers of the API and as Prometheus reads it. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiClient } from "./client.ts";
import { ServedWorld } from "./testing/served-world.ts";

let served: ServedWorld;
let client: ApiClient;

beforeEach(async () => {
  served = await ServedWorld.start();
  client = new ApiClient({ host: "127.0.0.1", port: served.port });
  await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "it" } });
  await vi.waitFor(() => expect(served.supervisor.describe("it").status).toBe("running"), {
    timeout: 10_000,
    interval: 5,
  });
});
afterEach(async () => {
  expect(served.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

function use() {
  const sink = served.usage.forServer("it");
  const tools = [
    { name: "add", bytes: 400 },
    { name: "sub", bytes: 101 },
  ];
  sink.measure({ tools, isFirst: true, isLast: true });
  sink.record({ tool: "add", client: 'evil"\\\n{}', isFailure: false, ms: 20 });
  sink.record({ tool: "add", client: "cursor", isFailure: true, ms: 7_000 });
  sink.record({ tool: "_other", client: "cursor", isFailure: false, ms: 90_000 });
}

describe("usage", () => {
  test("is listed for all servers, and given whole for one", async () => {
    const before = await client.call("getUsage", { params: { name: "it" } });
    expect(before).toMatchObject({ name: "it", is_recorded: true, calls: 0, tools: [], clients: [] });
    use();

    const { is_recorded: isRecorded, servers } = await client.call("listUsage");
    expect(isRecorded).toBe(true);
    expect(servers).toEqual([
      {
        ...{ name: "it", calls: 3, failures: 1, p50_ms: expect.any(Number), p95_ms: 30_000 },
        last_used_at: expect.any(String),
        days: [...new Array<number>(29).fill(0), 3],
        clients: ["cursor", 'evil"\\\ufffd{}'],
        unused_tools: 1,
        context: { bytes: 501, tokens: 126, tools: 2, measured_at: expect.any(String) },
      },
    ]);
    const usage = await client.call("getUsage", { params: { name: "it" } });
    expect(usage.tools).toEqual([
      expect.objectContaining({ name: "add", calls: 2, failures: 1, context_bytes: 400, context_tokens: 100 }),
      { name: "sub", calls: 0, failures: 0, context_bytes: 101, context_tokens: 26 },
    ]);
    expect(usage.other_tools).toMatchObject({ calls: 1 });
    expect(usage.days.at(-1)).toMatchObject({ calls: 3, failures: 1 });
  });

  test("of a server that does not exist is not found", async () => {
    expect(await served.send("GET", "/api/v1beta/workloads/nobody/usage")).toMatchObject({ status: 404 });
    expect(await served.send("GET", "/api/v1beta/workloads/..%2f/usage")).toMatchObject({ status: 400 });
  });

  test("is not recorded any more once somebody turns it off, and what was recorded is gone", async () => {
    use();
    await client.call("setUsageRecording", { body: { is_recorded: false } });
    use();

    expect(await client.call("listUsage")).toEqual({ is_recorded: false, servers: [] });
    expect(await client.call("getUsage", { params: { name: "it" } })).toMatchObject({ is_recorded: false, calls: 0 });
    await client.call("setUsageRecording", { body: { is_recorded: true } });
    expect(await client.call("getUsage", { params: { name: "it" } })).toMatchObject({ is_recorded: true, calls: 0 });
  });
});

describe("the metrics", () => {
  test("are text that Prometheus reads, with every name escaped and no sample twice", async () => {
    use();
    const { status, headers, body } = await served.send("GET", "/metrics");

    expect([status, headers["content-type"]]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
    const lines = body.trimEnd().split("\n");
    const samples = lines.filter((line) => !line.startsWith("#"));
    const form = /^[a-z_]+\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\} [0-9.]+(?:e[+-]?\d+)?$/;
    for (const sample of samples) expect(sample).toMatch(form);
    const series = samples.map((line) => line.slice(0, line.lastIndexOf(" ")));
    expect(new Set(series).size).toBe(series.length);
    expect(lines).toEqual(
      expect.arrayContaining([
        "# TYPE toolhive_mcp_calls_total counter",
        'toolhive_mcp_server_up{server="it"} 1',
        'toolhive_mcp_calls_total{server="it",status="success"} 2',
        'toolhive_mcp_calls_total{server="it",status="error"} 1',
        'toolhive_mcp_tool_calls_total{server="it",tool="add",status="error"} 1',
        'toolhive_mcp_tool_calls_total{server="it",tool="_other",status="success"} 1',
        'toolhive_mcp_client_calls_total{server="it",client="evil\\"\\\\\ufffd{}",status="success"} 1',
        'toolhive_mcp_call_duration_seconds_bucket{server="it",le="0.025"} 1',
        'toolhive_mcp_call_duration_seconds_bucket{server="it",le="30"} 2',
        'toolhive_mcp_call_duration_seconds_bucket{server="it",le="+Inf"} 3',
        'toolhive_mcp_call_duration_seconds_sum{server="it"} 97.02',
        'toolhive_mcp_call_duration_seconds_count{server="it"} 3',
        'toolhive_mcp_tools_context_bytes{server="it"} 501',
      ]),
    );
  });

  test("have bounded labels, whatever names clients invent", async () => {
    const sink = served.usage.forServer("it");
    for (let index = 0; index < 2_000; index++)
      sink.record({ tool: `tool-${index}`, client: `client-${index}`, isFailure: false, ms: 1 });

    const { body } = await served.send("GET", "/metrics");
    expect(body.split("\n").length).toBeLessThan(600);
  });
});
