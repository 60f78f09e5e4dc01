import { resolveTelemetry } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { describe, expect, test } from "vitest";
import { openClient, ROUTES } from "../testing/client-routes.ts";
import { openGuarded } from "../testing/open-guarded.ts";
import { openPair } from "../testing/open-pair.ts";
import { buildUrl, openSession, rawRequest } from "../testing/raw-client.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A collector of ours on loopback: what it got, as JSON of OTLP. */
async function startCollector() {
  const received: { path: string; headers: NodeJS.Dict<string | string[]>; text: string }[] = [];
  const server = await startHttpServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += String(chunk);
    });
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers, text });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  const spans = (): Span[] =>
    received
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ text }) => JSON.parse(text).resourceSpans as { scopeSpans: { spans: Span[] }[] }[])
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    received,
    spans,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function readAttributes(span: Span | undefined): Record<string, unknown> {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Lines of Prometheus' text format, by name and labels. @throws When a line is none. */
function parsePrometheus(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || /^# (?:HELP|TYPE|UNIT) [a-zA-Z_:][\w:]* /.test(line)) continue;
    const match = /^([a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})?) (\S+)(?: \d+)?$/.exec(line);
    if (match === null || Number.isNaN(Number(match[2]))) throw new Error(`not a sample: ${line}`);
    samples.set(match[1] ?? "", Number(match[2]));
  }
  return samples;
}

function sumSamples(samples: ReadonlyMap<string, number>, ...parts: string[]): number {
  return [...samples].filter(([name]) => parts.every((part) => name.includes(part))).reduce((sum, [, n]) => sum + n, 0);
}

describe.each(ROUTES)("telemetry of a %s server, reached by %s", (kind, way) => {
  test("reaches a usual collector on this machine by the address that the guide sets, without a scheme", async () => {
    await using collector = await startCollector();
    const port = new URL(collector.endpoint).port;
    const telemetry_config = resolveTelemetry({ sampling_rate: 1 }, { endpoint: `localhost:${port}`, "env-vars": [] });
    if (telemetry_config === undefined) throw new Error("nothing is to be measured");
    {
      await using guarded = await openGuarded({ kind, access: { telemetry_config }, onRequest: () => "{}" });
      await using client = await openClient(guarded.endpoint, way, await guarded.as("ada"));
      await client.request("tools/call", { name: "weather", arguments: {} });
    }

    expect(collector.spans().map(({ name }) => name)).toContain("mcp.tools/call");
  });

  test("sends a span for each call, in the caller's trace, without secrets", async () => {
    await using collector = await startCollector();
    const telemetry_config = { Endpoint: collector.endpoint, SamplingRate: 1, Headers: { "x-key": "receiver" } };
    {
      await using guarded = await openGuarded({ kind, access: { telemetry_config }, onRequest: () => "{}" });
      const headers = {
        ...(await guarded.as("ada")),
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      };
      await using client = await openClient(guarded.endpoint, way, headers);
      const args = { city: "Oslo", password: "marker-secret", long: "x".repeat(150) };
      await client.request("tools/call", { name: "weather", arguments: args });
    }

    const span = collector.spans().find(({ name }) => name === "mcp.tools/call");
    expect(span).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331" });
    expect(readAttributes(span)).toMatchObject({
      "mcp.server.name": "fake",
      "mcp.transport": kind,
      "mcp.method.name": "tools/call",
      "mcp.target.name": "weather",
      "mcp.outcome": "success",
      "enduser.id": "ada",
      "mcp.tool.arguments": `city=Oslo, password=[redacted], long=${"x".repeat(100)}…`,
    });
    expect(JSON.stringify(collector.received)).not.toContain("marker-secret");
    expect(collector.received[0]?.headers["x-key"]).toBe("receiver");
  });

  test("counts calls for Prometheus by method, outcome and tool", async () => {
    const authz_config = {
      version: "1",
      type: "cedarv1" as const,
      cedar: { policies: ['permit(principal, action, resource == Tool::"weather");'] },
    };
    const telemetry_config = { EnablePrometheusMetricsPath: true };
    await using guarded = await openGuarded({
      kind,
      access: { telemetry_config, authz_config },
      onRequest: () => "{}",
    });
    await using client = await openClient(guarded.endpoint, way, await guarded.as("ada"));
    await client.request("tools/call", { name: "weather" });
    await client.request("tools/call", { name: "destroy" });
    await rawRequest(guarded.endpoint, { method: "GET" });

    const response = await fetch(buildUrl(guarded.endpoint, "/metrics"));
    const samples = parsePrometheus(await response.text());

    expect(response.headers.get("content-type")).toContain("text/plain");
    const calls = "toolhive_mcp_requests_total{";
    expect(sumSamples(samples, calls, 'mcp_method="tools/call"', 'status="success"', 'server="fake"')).toBe(1);
    expect(sumSamples(samples, calls, 'mcp_method="tools/call"', 'status_code="403"', `transport="${kind}"`)).toBe(1);
    expect(sumSamples(samples, calls, 'method="GET"', 'status_code="401"')).toBe(1);
    expect(sumSamples(samples, "toolhive_mcp_request_duration_seconds_count{", 'mcp_method="tools/call"')).toBe(2);
    expect(sumSamples(samples, "toolhive_mcp_tool_calls_total{", 'tool="weather"', 'status="success"')).toBe(1);
    expect(sumSamples(samples, "toolhive_mcp_tool_calls_total{", 'tool="destroy"', 'status="error"')).toBe(1);
  });
});

describe("telemetry", () => {
  test("sends metrics to the receiver, and spans only at the configured rate", async () => {
    await using collector = await startCollector();
    {
      const telemetry_config = { Endpoint: collector.endpoint, SamplingRate: 0 };
      await using pair = await openPair({ onRequest: () => "{}" }, { access: { telemetry_config } });
      const session = await openSession(pair.endpoint);
      await session.post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}');
    }

    expect(collector.spans()).toEqual([]);
    const metrics = collector.received.filter(({ path }) => path === "/v1/metrics").map(({ text }) => text);
    expect(metrics.join("")).toContain("toolhive_mcp_requests_total");
  });

  test("counts a stream while it is open, and not afterwards", async () => {
    const telemetry_config = { EnablePrometheusMetricsPath: true };
    await using pair = await openPair({}, { access: { telemetry_config } });
    const session = await openSession(pair.endpoint);
    const active = async () => {
      const text = await (await fetch(buildUrl(pair.endpoint, "/metrics"))).text();
      return sumSamples(parsePrometheus(text), "toolhive_mcp_active_connections{");
    };

    {
      await using _events = await session.listen();
      expect(await active()).toBe(1);
    }
    await waitFor(() => pair.endpoint.counts.streams === 0, { what: "the end of the stream" });

    expect(await active()).toBe(0);
  });

  test("bounds the labels that clients can make up", async () => {
    const telemetry_config = { EnablePrometheusMetricsPath: true };
    await using pair = await openPair({ onRequest: () => "{}" }, { access: { telemetry_config } });
    const session = await openSession(pair.endpoint);

    for (let id = 1; id <= 250; id += 1) {
      await session.post(`{"jsonrpc":"2.0","id":${id},"method":"made/up${id}"}`);
    }

    const samples = parsePrometheus(await (await fetch(buildUrl(pair.endpoint, "/metrics"))).text());
    expect([...samples.keys()].filter((name) => name.startsWith("toolhive_mcp_requests_total")).length).toBeLessThan(
      205,
    );
    expect(sumSamples(samples, "toolhive_mcp_requests_total{", 'mcp_method="other"')).toBeGreaterThan(40);
  });

  test("serves no metrics where that was not asked for", async () => {
    await using pair = await openPair();

    expect((await fetch(buildUrl(pair.endpoint, "/metrics"))).status).toBe(404);
  });
});
