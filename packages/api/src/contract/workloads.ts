/** The operations on workloads, one or several at a time. Source: api-behaviour 2.2. */
import { CreateRequestSchema, listRequestProblems, MAX_TAIL_LINES, readReferenceMembers } from "@toolhive/core";
import * as Type from "typebox";
import { DOCUMENTED } from "./parts/documented.ts";
import { MAX_LOG_LINES } from "./parts/limits.ts";
import { operation } from "./parts/operation.ts";
import { CreatedWorkloadSchema, WorkloadListSchema, WorkloadSchema } from "./parts/workload-schemas.ts";

export const NAME_PARAM = {
  name: Type.String({ minLength: 1, maxLength: 100, description: "Name of the workload.", ...DOCUMENTED.workloadName }),
};
const STOP_TIMEOUT = Type.Optional(
  Type.String({
    description: "Seconds that the server has to exit before it is killed, 0 to 3600; 30 if absent.",
    ...DOCUMENTED.seconds,
  }),
);
const BAD_NAME = "Invalid workload name:";
const NO_WORKLOAD = "Workload not found";

/** What creating a workload may fail with, and everything that checks a request as it would. */
export const CREATE_ERRORS = {
  INVALID_ARGUMENT: "Failed to create run config:",
  INVALID_WORKLOAD_NAME: "Invalid workload name:",
  IMAGE_NOT_FOUND: "MCP server image not found",
  SECRET_NOT_FOUND: "Failed to create run config:",
  SECRETS_NOT_SET_UP: "Failed to create run config:",
  SECRETS_NOT_READABLE: "Failed to create run config:",
  IMAGE_REGISTRY_UNREACHABLE: "Failed to retrieve MCP server image:",
  WORKLOAD_EXISTS: "Workload already exists",
  CONTAINER_NAME_TAKEN: "Workload already exists",
  PORT_IN_USE: "Failed to start workload:",
  SECRETS_LOCKED: "Failed to start workload:",
  SECRETS_FAILED: "Failed to start workload:",
  ENGINE_UNREACHABLE: "Failed to start workload:",
  ENGINE_PERMISSION: "Failed to start workload:",
  ENGINE_FAILED: "Failed to start workload:",
  REGISTRY_UNAVAILABLE: "Failed to retrieve MCP server image:",
  REGISTRY_INVALID: "Failed to retrieve MCP server image:",
  CONFIG_INVALID: "Failed to retrieve MCP server image:",
} as const;

const NamesSchema = Type.Object(
  {
    names: Type.Optional(
      Type.Array(Type.String(DOCUMENTED.workloadName), {
        minItems: 1,
        description: "Names of the workloads.",
        examples: [["everything"]],
      }),
    ),
    group: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Every workload of this group, instead of `names`.",
        examples: ["work"],
      }),
    ),
  },
  { $id: "BulkRequest", minProperties: 1 },
);

const SEVERAL =
  "Checks all names first. Names of workloads that do not exist are ignored; the work continues after the response.";

function bulk(verb: string, doing: string) {
  return operation({
    tag: "workloads",
    summary: `${verb} several workloads`,
    description: SEVERAL,
    body: NamesSchema,
    missingError: "No workload names provided",
    success: { status: 202, description: `The workloads are being ${doing}.` },
    errors: {
      INVALID_WORKLOAD_NAME: "Invalid workload name:",
      INVALID_ARGUMENT: "Invalid selection of workloads:",
      GROUP_NOT_FOUND: "Group not found",
    },
  });
}

export const LOG_QUERY = {
  follow: Type.Optional(
    Type.String({
      description:
        "`true` continues with new lines, across restarts, until the server is stopped or removed, or has failed permanently.",
      ...DOCUMENTED.boolean,
    }),
  ),
  tail: Type.Optional(
    Type.String({
      description: `Number of newest lines, 0 to ${MAX_TAIL_LINES}, or \`all\`. Default: ${MAX_LOG_LINES}; with \`since\`, \`all\`.`,
      examples: ["20"],
      ...DOCUMENTED.logTail,
    }),
  ),
  since: Type.Optional(
    Type.String({
      description: "Time of the oldest line: a duration before now, a time in ISO 8601, or seconds since 1970.",
      examples: ["10m", "2026-01-28T12:00:00Z"],
      ...DOCUMENTED.logSince,
    }),
  ),
  timestamps: Type.Optional(
    Type.String({
      description: "`true` begins each line with its time in UTC and a space; `-` if the time is not known.",
      ...DOCUMENTED.boolean,
    }),
  ),
};
export const LOG_ERRORS = {
  INVALID_WORKLOAD_NAME: BAD_NAME,
  WORKLOAD_NOT_FOUND: NO_WORKLOAD,
  INVALID_ARGUMENT: "Invalid selection of lines:",
  FILE_FAILED: "Failed to get logs",
  ENGINE_UNREACHABLE: "Failed to get logs",
  ENGINE_PERMISSION: "Failed to get logs",
  ENGINE_FAILED: "Failed to get logs",
} as const;

export const WORKLOADS_OPERATIONS = {
  listWorkloads: operation({
    tag: "workloads",
    summary: "List workloads",
    description:
      "Lists the running workloads. Right after the supervisor starts, the list also contains the workloads that ran before; their status is `starting` until the supervisor has found them.",
    query: {
      all: Type.Optional(
        Type.String({ description: "`true` includes workloads that are not running.", ...DOCUMENTED.boolean }),
      ),
      label: Type.Optional(
        Type.String({
          description:
            "`KEY=VALUE`: only workloads with this label; with several, separated by commas, only workloads that have all of them.",
          examples: ["team=maps,tier=gold"],
          ...DOCUMENTED.labelQuery,
        }),
      ),
      group: Type.Optional(
        Type.String({ description: "Returns only the workloads of this group.", examples: ["work"], maxLength: 100 }),
      ),
    },
    success: {
      status: 200,
      description: "The workloads, sorted by name.",
      contentType: "application/json",
      schema: WorkloadListSchema,
    },
    errors: { INVALID_ARGUMENT: "Invalid label:", GROUP_NOT_FOUND: "Group not found" },
  }),
  createWorkload: operation({
    tag: "workloads",
    summary: "Create a workload",
    description:
      "Creates a workload and starts it. The response follows as soon as the request is checked and saved; ToolHive then pulls the image and starts the server in the background. Poll `status` and `status_context` for the result. If the image's registry reports within 2 seconds that the image does not exist, the response is 404; otherwise the workload is created, and its `status` becomes `error`. A secret that does not exist also causes a 404.",
    body: CreateRequestSchema,
    readMembers: readReferenceMembers,
    furtherProblems: (sound) => listRequestProblems(sound),
    success: {
      status: 201,
      description: "The workload is saved and being started.",
      contentType: "application/json",
      schema: CreatedWorkloadSchema,
    },
    errors: { ...CREATE_ERRORS, GROUP_NOT_FOUND: "Group not found" },
  }),
  getWorkload: operation({
    tag: "workloads",
    summary: "Get a workload",
    params: NAME_PARAM,
    success: { status: 200, description: "The workload.", contentType: "application/json", schema: WorkloadSchema },
    errors: { INVALID_WORKLOAD_NAME: BAD_NAME, WORKLOAD_NOT_FOUND: NO_WORKLOAD },
  }),
  deleteWorkload: operation({
    tag: "workloads",
    summary: "Delete a workload",
    description:
      "Stops the workload first if it runs. The deletion continues after the response; the status of the workload is `removing` until it is gone.",
    params: NAME_PARAM,
    query: {
      timeout: STOP_TIMEOUT,
      force: Type.Optional(
        Type.String({
          description: "`true` kills the server at once, whatever the value of `timeout`.",
          ...DOCUMENTED.boolean,
        }),
      ),
      keep_log: Type.Optional(
        Type.String({
          description: `\`true\` keeps the log of a server whose start failed for a week, or until a server of this name starts or is deleted.`,
          ...DOCUMENTED.boolean,
        }),
      ),
    },
    success: { status: 202, description: "The deletion has begun." },
    errors: {
      INVALID_WORKLOAD_NAME: BAD_NAME,
      INVALID_ARGUMENT: "Invalid timeout:",
      WORKLOAD_NOT_FOUND: NO_WORKLOAD,
    },
  }),
  stopWorkload: operation({
    tag: "workloads",
    summary: "Stop a workload",
    params: NAME_PARAM,
    query: { timeout: STOP_TIMEOUT },
    success: { status: 202, description: "The workload is being stopped." },
    errors: {
      INVALID_WORKLOAD_NAME: BAD_NAME,
      INVALID_ARGUMENT: "Invalid timeout:",
      WORKLOAD_NOT_FOUND: NO_WORKLOAD,
      WORKLOAD_BUSY: "Workload is being removed",
      STATE_CORRUPT: "Failed to stop workload",
      STATE_TOO_NEW: "Failed to stop workload",
    },
  }),
  restartWorkload: operation({
    tag: "workloads",
    summary: "Restart a workload",
    description:
      "Stops the workload if it runs, then starts it from its saved configuration, on the same port or another one. With `pull`, the response follows when the image has been pulled; if the pull fails, nothing changes.",
    params: NAME_PARAM,
    query: {
      proxy_port: Type.Optional(
        Type.String({ description: "New port of the proxy, 1 to 65535; if absent, the port stays." }),
      ),
      pull: Type.Optional(
        Type.String({
          description: "`true` pulls the image and creates a new container from it.",
          ...DOCUMENTED.boolean,
        }),
      ),
    },
    success: { status: 202, description: "The workload is being restarted." },
    errors: {
      INVALID_WORKLOAD_NAME: BAD_NAME,
      INVALID_ARGUMENT: "Failed to restart workload:",
      IMAGE_NOT_FOUND: "MCP server image not found",
      IMAGE_REGISTRY_UNREACHABLE: "Failed to retrieve MCP server image:",
      PORT_IN_USE: "Failed to restart workload:",
      WORKLOAD_NOT_FOUND: NO_WORKLOAD,
      WORKLOAD_BUSY: "Workload is being removed",
      STATE_CORRUPT: "Failed to restart workload",
      STATE_TOO_NEW: "Failed to restart workload",
    },
  }),
  getWorkloadLogs: operation({
    tag: "logs",
    summary: "Get the output of a server",
    description:
      "If a server is gone because its start failed, the first line gives the time and the reason; see `keep_log` of `deleteWorkload`.",
    params: NAME_PARAM,
    query: LOG_QUERY,
    success: {
      status: 200,
      description: `Lines, oldest first; at most ${MAX_LOG_LINES} unless \`tail\` or \`since\` asks for others.`,
      contentType: "text/plain",
      schema: Type.String(),
    },
    errors: LOG_ERRORS,
  }),
  stopWorkloads: bulk("Stop", "stopped"),
  restartWorkloads: bulk("Restart", "restarted"),
  deleteWorkloads: bulk("Delete", "deleted"),
};
