/**
 * Writes what was counted in the text format of Prometheus, version 0.0.4. Names follow those of the proxies' own metrics and
 * the conventions of Prometheus: base units, and `_total` for counters.
 */
import { LATENCY_BOUNDS_MS, OTHER_NAME, type UsageRecorder } from "@toolhive/core";

export interface MeteredServer {
  readonly name: string;
  readonly isUp: boolean;
  readonly recorder: UsageRecorder;
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number, suffix?: string];
type Counted = UsageRecorder["all"];

export function writeMetrics(servers: readonly MeteredServer[]): string {
  const each = (list: (server: MeteredServer, labels: { server: string }) => Sample[]) =>
    servers.flatMap((server) => list(server, { server: server.name }));
  return [
    writeFamily(
      "toolhive_mcp_server_up",
      "gauge",
      "Whether the server runs or sleeps.",
      each(({ isUp }, labels) => [[labels, isUp ? 1 : 0]]),
    ),
    writeFamily(
      "toolhive_mcp_calls_total",
      "counter",
      "Calls of tools, prompts and resources.",
      each(({ recorder }, labels) => countByStatus(recorder.all, labels)),
    ),
    writeFamily(
      "toolhive_mcp_call_duration_seconds",
      "histogram",
      "Time from a call to its answer.",
      each(({ recorder }, labels) => listBuckets(recorder.all, labels)),
    ),
    writeFamily(
      "toolhive_mcp_tool_calls_total",
      "counter",
      "Calls of tools.",
      each(({ recorder: { tools } }, labels) => [
        ...[...tools.byName].flatMap(([tool, series]) => countByStatus(series, { ...labels, tool })),
        ...(tools.other.total.calls > 0 ? countByStatus(tools.other, { ...labels, tool: OTHER_NAME }) : []),
      ]),
    ),
    writeFamily(
      "toolhive_mcp_client_calls_total",
      "counter",
      "Calls by the name that the client gives itself.",
      each(({ recorder: { clients } }, labels) => [
        ...[...clients.byName].flatMap(([client, series]) => countByStatus(series, { ...labels, client })),
        ...(clients.other.total.calls > 0 ? countByStatus(clients.other, { ...labels, client: OTHER_NAME }) : []),
      ]),
    ),
    writeFamily(
      "toolhive_mcp_last_call_timestamp_seconds",
      "gauge",
      "When the last call ended, in seconds since 1970.",
      each(({ recorder: { all } }, labels) => (all.lastUsedAt === 0 ? [] : [[labels, all.lastUsedAt / 1000]])),
    ),
    writeFamily(
      "toolhive_mcp_tools_context_bytes",
      "gauge",
      "Size of the definitions of tools that clients receive.",
      each(({ recorder: { context } }, labels) => (context === undefined ? [] : [[labels, context.bytes]])),
    ),
  ].join("");
}

function countByStatus({ total: { calls, failures } }: Counted, labels: Labels): Sample[] {
  return [
    [{ ...labels, status: "success" }, calls - failures],
    [{ ...labels, status: "error" }, failures],
  ];
}

function listBuckets({ total, sumMs }: Counted, labels: Labels): Sample[] {
  let count = 0;
  const samples = LATENCY_BOUNDS_MS.map((bound, index): Sample => {
    count += total.latency[index] ?? 0;
    return [{ ...labels, le: String(bound / 1000) }, count, "_bucket"];
  });
  return [
    ...samples,
    [{ ...labels, le: "+Inf" }, total.calls, "_bucket"],
    [labels, sumMs / 1000, "_sum"],
    [labels, total.calls, "_count"],
  ];
}

function writeFamily(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value, suffix = ""]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    return `${name}${suffix}{${pairs.join(",")}} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** As the format asks for. Hidden characters are replaced where names are counted. */
function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
