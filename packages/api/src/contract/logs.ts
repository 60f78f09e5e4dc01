/** The operations on logs besides the server's own output: the proxy's, and both together. */
import * as Type from "typebox";
import { MAX_LOG_LINES, MAX_LOG_STREAMS } from "./parts/limits.ts";
import { operation } from "./parts/operation.ts";
import { LOG_ERRORS, LOG_QUERY, NAME_PARAM } from "./workloads.ts";

const { follow, tail, since, timestamps } = LOG_QUERY;

const { INVALID_ARGUMENT: _selection, FILE_FAILED: _file, ...DENIED_ERRORS } = LOG_ERRORS;

const LogLineSchema = Type.Object(
  {
    source: Type.Enum(["server", "proxy"], {
      description: "`server`: output of the server. `proxy`: log of the supervisor and the proxy about the server.",
    }),
    text: Type.String(),
    at: Type.Optional(Type.String({ format: "date-time", description: "Absent where it is not known." })),
    level: Type.Optional(
      Type.Enum(["info", "warn", "error"], { description: "Severity of the line; only lines of `proxy` have one." }),
    ),
  },
  { $id: "LogLine" },
);

const DenialSchema = Type.Object(
  {
    host: Type.String(),
    port: Type.Optional(Type.Integer({ description: "Absent if the server only looked up the name." })),
    count: Type.Integer({ minimum: 1, description: "Number of log entries for the target, at most one a minute." }),
    last_at: Type.Optional(Type.String({ format: "date-time" })),
  },
  { $id: "Denial" },
);

export const LOGS_OPERATIONS = {
  listDenied: operation({
    tag: "logs",
    summary: "List refused connections of a workload",
    description:
      "Lists the targets that the network rules have refused since the last start of the workload, newest first, at most 100. The list is empty if the network is not limited.",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The targets that were refused.",
      contentType: "application/json",
      schema: Type.Object({ denied: Type.Array(DenialSchema) }),
    },
    errors: DENIED_ERRORS,
  }),
  getProxyLogs: operation({
    tag: "logs",
    summary: "Get the log of a workload's proxy",
    description:
      "Kept in memory while the supervisor runs and the workload exists, at most 500 lines or 128 kB per workload.",
    params: NAME_PARAM,
    query: { follow, tail, since, timestamps },
    success: {
      status: 200,
      description: `Lines, oldest first; at most ${MAX_LOG_LINES} unless \`tail\` or \`since\` asks for others. Followed, they continue until the caller disconnects.`,
      contentType: "text/plain",
      schema: Type.String(),
    },
    errors: { ...LOG_ERRORS, LIMIT_REACHED: "Too many streams of logs:" },
  }),
  watchWorkloadLogs: {
    ...operation({
      tag: "logs",
      summary: "Follow the output and the proxy log of a server",
      description: `Lines are in the order of time, as far as the time is known; \`tail\` applies to each of the two logs. Followed, the stream continues across restarts until the server is stopped or removed, or has failed permanently. At most ${MAX_LOG_STREAMS} logs are followed at a time.`,
      params: NAME_PARAM,
      query: { follow, tail, since },
      success: {
        status: 200,
        description: "One log line per line.",
        contentType: "application/x-ndjson",
        schema: LogLineSchema,
      },
      errors: { ...LOG_ERRORS, LIMIT_REACHED: "Too many streams of logs:" },
    }),
    isStream: true as const,
  },
};
