/** The operations on logs besides the server's own output: the proxy's, and both together. */
import { Type } from "typebox";
import { MAX_LOG_LINES, MAX_LOG_STREAMS } from "./parts/limits.ts";
import { operation } from "./parts/operation.ts";
import { LOG_ERRORS, LOG_QUERY, NAME_PARAM } from "./workloads.ts";

const { follow, tail, since, timestamps } = LOG_QUERY;

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

export const LOGS_OPERATIONS = {
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
