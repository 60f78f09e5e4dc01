/** The operations on how a workload is run: what creating or changing it would do, its settings, and other ones in their place. */
import {
  type CreateRequest,
  CreateRequestSchema,
  listRequestProblems,
  PermissionProfileSchema,
  RunPlanSchema,
  readReferenceMembers,
} from "@toolhive/core";
import * as Type from "typebox";
import { FileChangeSchema } from "./clients.ts";
import { DOCUMENTED } from "./parts/documented.ts";
import { operation } from "./parts/operation.ts";
import { AcceptToolsSchema, ToolPinsSchema } from "./parts/tool-pin-schemas.ts";
import { UpgradeCheckSchema, UpgradeResultSchema } from "./parts/upgrade-schemas.ts";
import { CreatedWorkloadSchema, WorkloadSchema } from "./parts/workload-schemas.ts";
import { CREATE_ERRORS, NAME_PARAM } from "./workloads.ts";

const JSON_TYPE = "application/json";
const FOUND_ERRORS = {
  INVALID_WORKLOAD_NAME: "Invalid workload name:",
  WORKLOAD_NOT_FOUND: "Workload not found",
} as const;

const { env_vars, secrets } = CreateRequestSchema.properties;
const UpgradeRequestSchema = Type.Object({ env: env_vars, secrets }, { $id: "UpgradeWorkloadRequest" });

const REGISTRY_ERRORS = {
  REGISTRY_UNAVAILABLE: "Failed to read the registry",
  REGISTRY_INVALID: "Failed to read the registry",
  CONFIG_INVALID: "Failed to read the registry",
} as const;

/** The errors with which a restart of the server may fail while its caller waits. */
const CHANGE_ERRORS = {
  ...FOUND_ERRORS,
  WORKLOAD_BUSY: "Workload is being changed",
  SERVER_EXITED: "Failed to change workload:",
  SERVER_NOT_READY: "Failed to change workload:",
  BUILD_FAILED: "Failed to change workload:",
  PACKAGE_NOT_FOUND: "MCP server package not found",
  PACKAGE_REGISTRY_UNREACHABLE: "Failed to change workload:",
  ISOLATION_FAILED: "Failed to change workload:",
  IMAGE_NOT_VERIFIED: "Failed to change workload:",
  ISSUER_UNAVAILABLE: "Failed to change workload:",
  FILE_FAILED: "Failed to change workload:",
  STATE_CORRUPT: "Failed to change workload",
  STATE_TOO_NEW: "Failed to change workload",
} as const;

/** What the operations on network rules may fail with, besides a change. */
const NETWORK_ERRORS = {
  ...FOUND_ERRORS,
  WORKLOAD_BUSY: "Workload is being removed",
  STATE_CORRUPT: "Failed to read permissions",
  STATE_TOO_NEW: "Failed to read permissions",
  ENGINE_UNREACHABLE: "Failed to read permissions:",
  ENGINE_FAILED: "Failed to read permissions:",
} as const;

/** What the operations on pinned tools may fail with. */
const PIN_ERRORS = {
  ...FOUND_ERRORS,
  WORKLOAD_BUSY: "Workload is being changed",
  STATE_CORRUPT: "Failed to read pinned tools",
  STATE_TOO_NEW: "Failed to read pinned tools",
} as const;

const PermissionsSchema = Type.Object(
  {
    access: Type.Enum(["open", "none", "filtered"], {
      description:
        "`open`: nothing enforces the profile's network rules. `none`: no network. `filtered`: a sidecar enforces them.",
    }),
    reach: Type.String({
      description: "Hosts and ports that the server may reach, as a sentence.",
      examples: ["Only api.github.com, on port 443."],
    }),
    profile: Type.Optional(PermissionProfileSchema),
    learning: Type.Boolean({ description: "Whether every connection is allowed and recorded." }),
    learned: Type.Array(
      Type.Object(
        {
          host: Type.String({ description: "Host name, or an IPv4 address if no name is known." }),
          port: Type.Integer({ minimum: 1, maximum: 65535 }),
        },
        { $id: "LearnedTarget" },
      ),
      { description: "Connections that were recorded while the profile was learned, sorted; at most 1,000." },
    ),
    smallest: PermissionProfileSchema,
  },
  {
    $id: "WorkloadPermissions",
    description: "`profile` is absent if everything is allowed; `smallest` allows what was learned, and nothing else.",
  },
);

const AllowRequestSchema = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      description: "A name, `.domain` with all its subdomains, `*.domain` for the subdomains only, or an IPv4 address.",
      examples: ["api.github.com"],
    }),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65535, description: "Port. Absent: the ports that are already allowed." }),
    ),
  },
  { $id: "AllowRequest" },
);

const ChangedPermissionsSchema = Type.Object(
  {
    profile: PermissionProfileSchema,
    restarted: Type.Boolean({
      description: "Whether the server was restarted, because its sidecar could not apply the rules.",
    }),
  },
  { $id: "ChangedPermissions" },
);

const { status, status_context, error } = WorkloadSchema.properties;
const StatusSchema = Type.Object({ status, status_context, error }, { $id: "WorkloadStatus" });

const SettingChangeSchema = Type.Object(
  {
    member: Type.String({
      description: "Member of the request; with a dot and a name for one of several variables, secrets or limits.",
      examples: ["env_vars.UNITS"],
    }),
    kind: Type.Enum(["added", "removed", "changed"], { description: "What happened to the setting." }),
    before: Type.Optional(Type.String({ description: "Absent if it was not set, or if the value is not shown." })),
    after: Type.Optional(Type.String({ description: "Absent if it would not be set, or if the value is not shown." })),
  },
  { $id: "SettingChange" },
);

const PlanSchema = Type.Object(
  {
    plan: RunPlanSchema,
    files: Type.Array(FileChangeSchema, { description: "Changes to the files of installed clients." }),
    changes: Type.Optional(
      Type.Array(SettingChangeSchema, {
        description: "With `replace`, the settings that would change; empty if none would.",
      }),
    ),
    restarts: Type.Optional(
      Type.Boolean({ description: "With `replace`, whether the change would restart the server, because it runs." }),
    ),
  },
  { $id: "WorkloadPlan" },
);

const DetailsSchema = Type.Object(
  {
    request: Type.Optional(CreateRequestSchema),
    plan: Type.Optional(RunPlanSchema),
    digests: Type.Optional(Type.Array(Type.String(), { description: "`repository@sha256:…` of the engine's image." })),
    container_id: Type.Optional(Type.String()),
    clients: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: "Name of the client." }),
          group: Type.Optional(
            Type.String({ description: "Group whose URL the client uses; absent if it uses the URL of the workload." }),
          ),
        }),
        { description: "Registered clients whose file has an entry for the workload, or for one of its groups." },
      ),
    ),
    undo: Type.Optional(
      Type.Object(
        {
          changed_at: Type.String({ format: "date-time", description: "When the last change was made." }),
          changes: Type.Array(SettingChangeSchema, { description: "Changes that an undo would make." }),
          restarts: Type.Boolean({ description: "Whether an undo would restart the server, because it runs." }),
          not_kept: Type.Array(Type.String(), {
            description:
              "Settings whose earlier values may be secret and were not kept across a restart of ToolHive. If there are any, an undo is not possible.",
          }),
        },
        { $id: "UndoableChange", description: "The last change of the settings; absent if there was none." },
      ),
    ),
    started_at: Type.Optional(
      Type.String({ format: "date-time", description: "When the server was connected; absent while it is not." }),
    ),
  },
  {
    $id: "WorkloadDetails",
    description:
      "`request` creates the same workload; it contains secrets by name only. A damaged workload has neither `request` nor `plan`.",
  },
);

export const WORKLOAD_SETTINGS_OPERATIONS = {
  planWorkload: operation({
    tag: "settings",
    summary: "Preview the creation of a workload",
    description:
      "Makes the same checks as the creation of the workload, and changes nothing. The response contains no values of variables and secrets. In clients' files, the user's own text is shown as `…`. The plan's warnings name each client whose file cannot be changed.",
    query: {
      replace: Type.Optional(
        Type.String({
          description: "Name of the workload that would be changed to these settings, as `editWorkload` does.",
          ...DOCUMENTED.workloadName,
        }),
      ),
    },
    body: CreateRequestSchema,
    readMembers: readReferenceMembers,
    furtherProblems: (sound) => listRequestProblems(sound),
    success: {
      status: 200,
      description: "The plan, and the changes to the clients' files.",
      contentType: JSON_TYPE,
      schema: PlanSchema,
    },
    errors: {
      ...CREATE_ERRORS,
      ...FOUND_ERRORS,
      WORKLOAD_BUSY: "Workload is being changed",
      STATE_CORRUPT: "Failed to plan workload",
      STATE_TOO_NEW: "Failed to plan workload",
    },
  }),
  editWorkload: operation({
    tag: "settings",
    summary: "Replace the settings of a workload",
    description:
      "The body contains all settings, as for a new workload; `request` in the response of `getWorkloadDetails` has the current ones. The workload keeps its name, and its port unless the body has `proxy_port`. Clients keep their sessions if the proxy does not change. ToolHive pulls the image first, while the server still runs. The response follows when the server runs with the new settings. If the server does not start, the error gives the reason, and the server runs with its previous settings again; a server that had failed before keeps the new settings. A stopped workload stays stopped.",
    params: NAME_PARAM,
    body: CreateRequestSchema,
    readMembers: readReferenceMembers,
    furtherProblems: (sound) => listRequestProblems(sound),
    success: {
      status: 200,
      description: "The workload has the new settings.",
      contentType: JSON_TYPE,
      schema: CreatedWorkloadSchema,
    },
    errors: { ...CREATE_ERRORS, ...CHANGE_ERRORS },
  }),
  undoWorkloadEdit: operation({
    tag: "settings",
    summary: "Undo the last change of a workload",
    description:
      "Gives the workload the settings that it had before its last change: by `editWorkload`, by an upgrade, or of its permissions or tools. `undo` in the response of `getWorkloadDetails` describes what would change. The workload keeps its name. A second undo restores the change. The response and the errors are as for `editWorkload`.",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The workload has the settings before the change.",
      contentType: JSON_TYPE,
      schema: CreatedWorkloadSchema,
    },
    errors: { ...CREATE_ERRORS, ...CHANGE_ERRORS },
  }),
  checkUpgrades: operation({
    tag: "upgrades",
    summary: "Check all workloads for upgrades",
    query: {
      all: Type.Optional(
        Type.String({
          description: "`false` leaves out workloads that do not run. Default: all workloads.",
          ...DOCUMENTED.boolean,
        }),
      ),
      group: Type.Optional(
        Type.String({ description: "Workloads of this group.", examples: ["work"], maxLength: 100 }),
      ),
    },
    success: {
      status: 200,
      description: "The result for each workload, sorted by name.",
      contentType: JSON_TYPE,
      schema: Type.Object(
        { workloads: Type.Array(UpgradeCheckSchema), results: Type.Array(UpgradeResultSchema) },
        { $id: "UpgradeChecks" },
      ),
    },
    errors: { ...REGISTRY_ERRORS, GROUP_NOT_FOUND: "Group not found" },
  }),
  checkUpgrade: operation({
    tag: "upgrades",
    summary: "Check a workload for an upgrade",
    description:
      "Finds the registry entry by the image, whatever its tag. An image with a higher version than the registry's needs no upgrade.",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The result of the check.",
      contentType: JSON_TYPE,
      schema: Type.Object(
        { ...UpgradeCheckSchema.properties, result: UpgradeResultSchema },
        { $id: "UpgradeCheckAnswer" },
      ),
    },
    errors: {
      ...FOUND_ERRORS,
      ...REGISTRY_ERRORS,
      WORKLOAD_BUSY: "Workload is being removed",
      STATE_CORRUPT: "Failed to check for an upgrade",
      STATE_TOO_NEW: "Failed to check for an upgrade",
    },
  }),
  upgradeWorkload: operation({
    tag: "upgrades",
    summary: "Upgrade a workload",
    description:
      "Runs the workload from the image that the registry lists now. The workload keeps its settings; variables and secrets in the body are added. If the registry lists no other image, nothing changes. The response follows when the new server runs. If the new server does not answer, the error gives the reason, and the workload runs from its previous image again.",
    params: NAME_PARAM,
    body: UpgradeRequestSchema,
    furtherProblems: ({ env, secrets }) =>
      listRequestProblems({ env_vars: env, secrets } as Partial<CreateRequest>).map(
        ({ path: [member = "", ...rest], sentence }) => ({
          path: [member === "env_vars" ? "env" : member, ...rest],
          sentence,
        }),
      ),
    success: {
      status: 200,
      description: "The workload runs from the registry's image.",
      contentType: JSON_TYPE,
      schema: Type.Object({ ...CreatedWorkloadSchema.properties, image: Type.String() }, { $id: "UpgradedWorkload" }),
    },
    errors: { ...CREATE_ERRORS, ...CHANGE_ERRORS, ...REGISTRY_ERRORS },
  }),
  getPermissions: operation({
    tag: "permissions",
    summary: "Get the permissions of a workload",
    params: NAME_PARAM,
    success: { status: 200, description: "The permissions.", contentType: JSON_TYPE, schema: PermissionsSchema },
    errors: NETWORK_ERRORS,
  }),
  allowTarget: operation({
    tag: "permissions",
    summary: "Allow a workload to reach a host",
    description:
      "Adds the host to the permission profile, and the port if only some ports are allowed. The server keeps running, and its sidecar applies the rule within a second; if that is not possible, the server restarts.",
    params: NAME_PARAM,
    body: AllowRequestSchema,
    success: {
      status: 200,
      description: "The host is allowed.",
      contentType: JSON_TYPE,
      schema: ChangedPermissionsSchema,
    },
    errors: { ...CREATE_ERRORS, ...CHANGE_ERRORS, ...NETWORK_ERRORS },
  }),
  applyLearned: operation({
    tag: "permissions",
    summary: "Enforce the learned profile of a workload",
    description:
      "Replaces the network rules with the smallest rules that allow what was learned, and ends learning. The server keeps running, as with `allowTarget`.",
    params: NAME_PARAM,
    success: {
      status: 200,
      description: "The rules are enforced.",
      contentType: JSON_TYPE,
      schema: ChangedPermissionsSchema,
    },
    errors: { ...CREATE_ERRORS, ...CHANGE_ERRORS, ...NETWORK_ERRORS },
  }),
  getToolPins: operation({
    tag: "permissions",
    summary: "Get the pinned tools of a workload",
    params: NAME_PARAM,
    success: { status: 200, description: "The pins.", contentType: JSON_TYPE, schema: ToolPinsSchema },
    errors: PIN_ERRORS,
  }),
  acceptTools: operation({
    tag: "permissions",
    summary: "Accept the current tools of a workload",
    description:
      "Each accepted difference replaces the pin: clients see the tool as the server offers it now, and can call it. If a tool has another hash by now, nothing is accepted.",
    params: NAME_PARAM,
    body: AcceptToolsSchema,
    success: { status: 200, description: "The pins after the change.", contentType: JSON_TYPE, schema: ToolPinsSchema },
    errors: {
      ...PIN_ERRORS,
      TOOLS_CHANGED: "Failed to accept tools:",
      FILE_FAILED: "Failed to accept tools:",
      INVALID_ARGUMENT: "Failed to accept tools:",
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
    tag: "settings",
    summary: "Export a workload",
    description:
      "Returns a request that creates the same workload, as `thv export` writes it. The request contains the values of variables and the names of secrets, but no headers for a telemetry receiver.",
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
    tag: "settings",
    summary: "Get the details of a workload",
    params: NAME_PARAM,
    success: { status: 200, description: "The details.", contentType: JSON_TYPE, schema: DetailsSchema },
    errors: { ...FOUND_ERRORS, ENGINE_FAILED: "Failed to get workload details" },
  }),
};
