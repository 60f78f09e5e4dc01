/** The operator's metrics as the text that Prometheus reads. Where another operator has the same one, it has its usual name. */
import { LEASE_NAME } from "../contract/index.ts";

export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Counts since the start of the process, except `servers` and `queued`, which are of now. */
export interface OperatorCounts {
  readonly isLeader: boolean;
  readonly servers: number;
  readonly queued: number;
  readonly reconciles: number;
  readonly failures: number;
  readonly requests: { readonly reads: number; readonly writes: number };
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  /** Value by labels, which are as they are printed. */
  readonly values: Readonly<Record<string, number>>;
}

export function printMetrics(counts: OperatorCounts): string {
  return listMetrics(counts)
    .map(({ name, help, type, values }) =>
      [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} ${type}`,
        ...Object.entries(values).map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}`),
        "",
      ].join("\n"),
    )
    .join("");
}

function listMetrics({ isLeader, servers, queued, reconciles, failures, requests }: OperatorCounts): Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: "leader_election_master_status",
      help: "Whether this process is the leader.",
      type: "gauge",
      values: { [`name="${LEASE_NAME}"`]: isLeader ? 1 : 0 },
    },
    {
      name: "toolhive_operator_mcpservers",
      help: "MCPServers, MCPRemoteProxies and MCPGroups that the operator works on; 0 while it stands by.",
      type: "gauge",
      values: { "": servers },
    },
    {
      name: "workqueue_depth",
      help: "Objects that wait to be reconciled.",
      type: "gauge",
      values: { 'name="mcpserver"': queued },
    },
    {
      name: "controller_runtime_reconcile_total",
      help: "Reconciliations by their result.",
      type: "counter",
      values: {
        'controller="mcpserver",result="success"': reconciles - failures,
        'controller="mcpserver",result="error"': failures,
      },
    },
    {
      name: "toolhive_operator_api_requests_total",
      help: "Requests to the API server, without those for the lease.",
      type: "counter",
      values: { 'kind="read"': requests.reads, 'kind="write"': requests.writes },
    },
    {
      name: "process_cpu_seconds_total",
      help: "Processor time of this process.",
      type: "counter",
      values: { "": (user + system) / 1e6 },
    },
    {
      name: "process_resident_memory_bytes",
      help: "Resident memory of this process.",
      type: "gauge",
      values: { "": process.memoryUsage.rss() },
    },
    {
      name: "process_start_time_seconds",
      help: "Start of this process since 1970.",
      type: "gauge",
      values: { "": Math.round(Date.now() / 1_000 - process.uptime()) },
    },
  ];
}
