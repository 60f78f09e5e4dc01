/** The operations on logs besides the server's own output: the proxy's, and both together. */
import { Type } from "typebox";
import { MAX_LOG_LINES, MAX_LOG_STREAMS } from "./parts/limits.ts";
import { operation } from "./parts/operation.ts";
import { LOG_ERRORS, LOG_QUERY, NAME_PARAM } from "./workloads.ts";

const { follow, tail, since, timestamps } = LOG_QUERY;

const { INVALID_ARGUMENT: _selection, FILE_FAILED: _file, ...DENIED_ERRORS } = LOG_ERRORS;

const LogLineSchema = Type.Object(
  {
    source: Type.Enum(["server", "proxy"], {
      description: "`server`: written by the server. `proxy`: what the program says of it and of its proxy.",
    }),
    text: Type.String(),
    at: Type.Optional(Type.String({ format: "date-time", description: "Absent where it is not known." })),
    level: Type.Optional(Type.Enum(["info", "warn", "error"], { description: "Of `proxy` only." })),
  },
  { $id: "LogLine" },
);

const DenialSchema = Type.Object(
  {
    host: Type.String(),
    port: Type.Optional(Type.Integer({ description: "Absent where only the name was looked up." })),
    count: Type.Integer({ minimum: 1, description: "Times that it was logged, once a minute at most." }),
    last_at: Type.Optional(Type.String({ format: "date-time" })),
  },
  { $id: "Denial" },
);

export const LOGS_OPERATIONS = {
  listDenied: operation({
    tag: "logs",
    summary: "List what a workload's network rules refused",
    description: "Since its last start, the newest target first, at most 100. Empty where its network is not limited.",
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
    summary: "Get what the program says of a workload and of its proxy",
    description:
      "Kept in memory while the supervisor runs and the workload exists, at most 500 lines or 128 kB of each workload.",
    params: NAME_PARAM,
    query: { follow, tail, since, timestamps },
    success: {
      status: 200,
      description: `Lines, oldest first; at most ${MAX_LOG_LINES} unless \`tail\` or \`since\` asks for others. Followed, they go on until the caller leaves.`,
      contentType: "text/plain",
      schema: Type.String(),
    },
    errors: { ...LOG_ERRORS, LIMIT_REACHED: "Too many streams of logs:" },
  }),
  watchWorkloadLogs: {
    ...operation({
      tag: "logs",
      summary: "Follow the server's output and its proxy's log together",
      description: `In the order of time, as far as it is known; \`tail\` counts for each of both. Followed, they go on over restarts until the server is stopped, removed or has failed for good. At most ${MAX_LOG_STREAMS} logs are followed at a time.`,
      params: NAME_PARAM,
      query: { follow, tail, since },
      success: {
        status: 200,
        description: "One line of a log a line.",
        contentType: "application/x-ndjson",
        schema: LogLineSchema,
      },
      errors: { ...LOG_ERRORS, LIMIT_REACHED: "Too many streams of logs:" },
    }),
    isStream: true as const,
  },
};
