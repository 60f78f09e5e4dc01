/** The operations on how a workload is run: what creating or changing it would do, its settings, and other ones in their place. */
import { CreateRequestSchema, listRequestProblems, RunPlanSchema } from "@toolhive/core";
import { Type } from "typebox";
import { FileChangeSchema } from "./clients.ts";
import { DOCUMENTED } from "./parts/documented.ts";
import { operation } from "./parts/operation.ts";
import { WorkloadSchema } from "./parts/workload-schemas.ts";
import { CREATE_ERRORS, NAME_PARAM } from "./workloads.ts";

const JSON_TYPE = "application/json";
const FOUND_ERRORS = {
  INVALID_WORKLOAD_NAME: "Invalid workload name:",
  WORKLOAD_NOT_FOUND: "Workload not found",
} as const;

const { status, status_context, error } = WorkloadSchema.properties;
const StatusSchema = Type.Object({ status, status_context, error }, { $id: "WorkloadStatus" });

const PlanSchema = Type.Object(
  {
    plan: RunPlanSchema,
    files: Type.Array(FileChangeSchema, { description: "Of registered clients that are installed." }),
  },
  { $id: "WorkloadPlan" },
);

const DetailsSchema = Type.Object(
  {
    request: Type.Optional(CreateRequestSchema),
    plan: Type.Optional(RunPlanSchema),
    digests: Type.Optional(Type.Array(Type.String(), { description: "`repository@sha256:…` of the engine's image." })),
    container_id: Type.Optional(Type.String()),
    started_at: Type.Optional(
      Type.String({ format: "date-time", description: "Since when its server is connected; absent while none is." }),
    ),
  },
  {
    $id: "WorkloadDetails",
    description:
      "`request` would create it again; secrets are in it by name only. A damaged workload has neither request nor plan.",
  },
);

export const WORKLOAD_SETTINGS_OPERATIONS = {
  planWorkload: operation({
    tag: "workloads",
    summary: "Say what creating a workload would do",
    description:
      "Everything is checked as when it is created, and nothing is done. Values of variables and secrets are not in the answer. In clients' files, text of the user's own is shown as `…`.",
    query: {
      replace: Type.Optional(
        Type.String({
          description: "Name of the workload that would be changed to these settings, as `editWorkload` does.",
          ...DOCUMENTED.workloadName,
        }),
      ),
    },
    body: CreateRequestSchema,
    furtherProblems: listRequestProblems,
    success: {
      status: 200,
      description: "The plan, and what would become of the clients' files.",
      contentType: JSON_TYPE,
      schema: PlanSchema,
    },
    errors: {
      ...CREATE_ERRORS,
      ...FOUND_ERRORS,
      CLIENT_FILE_INVALID: "Failed to plan workload:",
      CLIENT_FILE_FAILED: "Failed to plan workload:",
      WORKLOAD_BUSY: "Workload is being changed",
      STATE_CORRUPT: "Failed to plan workload",
      STATE_TOO_NEW: "Failed to plan workload",
    },
  }),
  getWorkloadStatus: operation({
    tag: "workloads",
    summary: "Get the status of a workload",
    params: NAME_PARAM,
    success: { status: 200, description: "The status.", contentType: JSON_TYPE, schema: StatusSchema },
    errors: FOUND_ERRORS,
  }),
  exportWorkload: operation({
    tag: "workloads",
    summary: "Get a workload as a request that creates the same one",
    description:
      "What `thv export` writes. Values of variables are in it, secrets by name only, and headers for a receiver of telemetry not at all.",
    params: NAME_PARAM,
    success: { status: 200, description: "The request.", contentType: JSON_TYPE, schema: CreateRequestSchema },
    errors: {
      ...FOUND_ERRORS,
      WORKLOAD_BUSY: "Workload is being removed",
      STATE_CORRUPT: "Failed to export workload",
      STATE_TOO_NEW: "Failed to export workload",
    },
  }),
  getWorkloadDetails: operation({
    tag: "workloads",
    summary: "Get how a workload is run, and what the engine has of it",
    params: NAME_PARAM,
    success: { status: 200, description: "The details.", contentType: JSON_TYPE, schema: DetailsSchema },
    errors: { ...FOUND_ERRORS, ENGINE_FAILED: "Failed to get workload details" },
  }),
};
