/** What clients do with servers, counted, and as metrics for a monitoring system. */
import * as Type from "typebox";
import { operation } from "./parts/operation.ts";
import { NAME_PARAM } from "./workloads.ts";

const JSON_TYPE = "application/json";
const Count = Type.Integer({ minimum: 0 });
const Moment = Type.String({ format: "date-time" });

const SUMMARY = {
  calls: Type.Integer({
    minimum: 0,
    description: "Calls of tools, prompts and resources in the last 30 days. Lists and connections are not counted.",
  }),
  failures: Type.Integer({
    minimum: 0,
    description: "Calls that ended with an error, were refused, or were answered with `isError`.",
  }),
  p50_ms: Type.Optional(Type.Integer({ minimum: 0, description: "Half of the calls took at most this long." })),
  p95_ms: Type.Optional(
    Type.Integer({ minimum: 0, description: "95 % of the calls took at most this long; at most 30000." }),
  ),
  last_used_at: Type.Optional(Type.String({ format: "date-time", description: "Absent before the first call." })),
};

const ContextSchema = Type.Object(
  {
    bytes: Type.Integer({ minimum: 0, description: "Size of the tool definitions that clients receive." }),
    tokens: Type.Integer({ minimum: 0, description: "An estimate: one token for four bytes." }),
    tools: Type.Integer({ minimum: 0, description: "Number of tools in the newest list." }),
    measured_at: Moment,
  },
  {
    $id: "ContextSize",
    description: "Size of the tools in a model's context; absent until a client has listed the tools.",
  },
);

const NamedSchema = Type.Object(
  { name: Type.String({ description: "At most 100 characters, without hidden ones." }), ...SUMMARY },
  { $id: "NamedUsage" },
);

const ServerSummarySchema = Type.Object(
  {
    name: Type.String({ description: "Name of the workload." }),
    ...SUMMARY,
    days: Type.Array(Count, { description: "Number of calls on each of the last 30 days in UTC, oldest first." }),
    clients: Type.Array(Type.String(), {
      description: "Names of clients that made calls in the last 30 days, most calls first, at most five.",
    }),
    unused_tools: Type.Integer({
      minimum: 0,
      description: "Number of tools in the newest list without a call in 30 days.",
    }),
    context: Type.Optional(ContextSchema),
  },
  { $id: "ServerUsageSummary" },
);

const ServerUsageSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the workload." }),
    is_recorded: Type.Boolean({ description: "Whether calls are counted." }),
    since: Type.Optional(Type.String({ format: "date-time", description: "Time at which counting began." })),
    ...SUMMARY,
    days: Type.Array(Type.Object({ date: Type.String({ format: "date" }), calls: Count, failures: Count }), {
      description: "The last 30 days in UTC, oldest first.",
    }),
    tools: Type.Array(
      Type.Object({
        ...NamedSchema.properties,
        context_bytes: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: "Size of the tool's definition; absent if the newest list does not contain the tool.",
          }),
        ),
        context_tokens: Type.Optional(Type.Integer({ minimum: 0, description: "Estimated number of tokens." })),
      }),
      {
        description:
          "Usage of each tool, by the name that clients see; most calls first. At most 200 tools are counted separately.",
      },
    ),
    clients: Type.Array(NamedSchema, { description: "Clients, most calls first. At most 30 are counted separately." }),
    other_tools: Type.Optional(
      Type.Object(SUMMARY, {
        description: "Number of calls of tools that are not counted separately, or that the server does not list.",
      }),
    ),
    other_clients: Type.Optional(
      Type.Object(SUMMARY, { description: "Number of calls of clients that are not counted separately." }),
    ),
    context: Type.Optional(ContextSchema),
  },
  { $id: "ServerUsage" },
);

const ListSchema = Type.Object({
  is_recorded: Type.Boolean({ description: "Whether calls are counted. When they are not, `servers` is empty." }),
  servers: Type.Array(ServerSummarySchema, { description: "All workloads, in any state, sorted by name." }),
});

export const USAGE_OPERATIONS = {
  listUsage: operation({
    tag: "usage",
    summary: "List how servers are used",
    description:
      "Calls, failures, durations and clients of each server in the last 30 days, and how much of a model's context its tools take. ToolHive keeps only numbers, dates, and names of tools and clients.",
    success: { status: 200, description: "One summary per workload.", contentType: JSON_TYPE, schema: ListSchema },
  }),
  setUsageRecording: operation({
    tag: "usage",
    summary: "Turn counting of calls on or off",
    description: "Turning it off deletes what was counted of all servers.",
    body: Type.Object({ is_recorded: Type.Boolean() }, { $id: "UsageRecording" }),
    success: { status: 204, description: "The setting is saved." },
    errors: { CONFIG_INVALID: "Invalid settings:", CONFIG_LOCKED: "Cannot save:", FILE_FAILED: "Cannot delete:" },
  }),
  getUsage: operation({
    tag: "usage",
    summary: "Get how one server is used",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "Usage of the workload by day, tool and client.",
      contentType: JSON_TYPE,
      schema: ServerUsageSchema,
    },
    errors: { INVALID_WORKLOAD_NAME: "Invalid workload name:", WORKLOAD_NOT_FOUND: "Workload not found" },
  }),
  getMetrics: operation({
    tag: "usage",
    summary: "Get metrics for Prometheus",
    description:
      "The same numbers for all servers, in the text format of Prometheus. Counters start when counting is turned on. Each server has separate numbers for at most 200 tools and 30 clients; all others are counted as `_other`.",
    success: {
      status: 200,
      description: "Metrics in the text format 0.0.4.",
      contentType: "text/plain",
      schema: Type.String(),
    },
  }),
};
