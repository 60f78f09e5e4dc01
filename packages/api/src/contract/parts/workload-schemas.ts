/** The API's entities as schemas: validation, types and the OpenAPI document come from these. Source: api-behaviour 3. */
import { PROXY_MODES, TRANSPORT_TYPES, WORKLOAD_STATUSES } from "@toolhive/core";
import * as Type from "typebox";

export const WorkloadSchema = Type.Object(
  {
    name: Type.String({ description: "Unique name; also the container's name." }),
    package: Type.String({
      description: "Origin of the server: an image, a package such as `npx://server`, or the URL of a remote server.",
    }),
    remote: Type.Optional(Type.Literal(true, { description: "True for a remote server; otherwise absent." })),
    url: Type.String({ description: "URL for MCP clients." }),
    port: Type.Integer({ minimum: 0, maximum: 65535, description: "Port of the proxy on the host." }),
    tool_type: Type.Literal("mcp"),
    transport_type: Type.Enum([...TRANSPORT_TYPES]),
    status: Type.Enum([...WORKLOAD_STATUSES]),
    asleep: Type.Optional(
      Type.Boolean({
        description:
          "Present while the server is stopped because there are no calls. The status is `running`: the URL answers, and the next call starts the server.",
      }),
    ),
    status_context: Type.Optional(Type.String({ description: "Reason for the status." })),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: "Code in the error catalogue." }),
          message: Type.String({ description: "What happened." }),
          hint: Type.Optional(Type.String({ description: "What to do next." })),
          pointers: Type.Optional(
            Type.Array(Type.String({ format: "json-pointer" }), {
              description:
                "Members of the request that created the workload, as JSON pointers (RFC 6901), where the error is about them.",
              examples: [["/image_digest"]],
            }),
          ),
        },
        {
          description:
            "Problem that explains the status; present while the status is `error`, and while the server runs but does not work.",
        },
      ),
    ),
    pull: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ description: "Short id of the layer." }),
            state: Type.Enum(["waiting", "downloading", "unpacking", "done"]),
            current_bytes: Type.Integer({ minimum: 0 }),
            total_bytes: Type.Integer({ minimum: 0, description: "Size in bytes; 0 while it is not known." }),
          },
          { $id: "PullLayer" },
        ),
        { description: "Layers of the image that is being pulled; absent at any other time." },
      ),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Warnings, one sentence each: rules and limits that nothing enforces or only the supervisor does, and mounts that expose more than a folder. Absent if there are none.",
      }),
    ),
    tool_differences: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          "Number of tools that differ from their pins and are held back until somebody accepts them: `getToolPins`. Absent if there are none.",
      }),
    ),
    missing_tools: Type.Optional(
      Type.Array(Type.String(), {
        description: "Chosen tools that the server's list does not contain. Absent if there are none.",
      }),
    ),
    tool_warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "The `warnings` about the record of its tools: it is not saved, or has no room for all. Absent if there are none.",
      }),
    ),
    proxy_mode: Type.Optional(
      Type.Enum([...PROXY_MODES], {
        description: "Transport that clients use, whatever the transport of the server; absent for a damaged workload.",
      }),
    ),
    tools: Type.Optional(
      Type.Array(Type.String(), {
        description: "Names of the tools that were chosen for its clients; absent when they see all.",
      }),
    ),
    group: Type.Optional(Type.String({ description: "The first of `groups`, for callers that expect one group." })),
    groups: Type.Optional(
      Type.Array(Type.String(), {
        description: "Groups of the workload, sorted; only `default` if it is in no other.",
      }),
    ),
    created_at: Type.String({ format: "date-time" }),
    started_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Time at which the server started; absent while it does not run.",
      }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Labels of the workload; absent if there are none." }),
    ),
  },
  { $id: "Workload" },
);
export type WorkloadBody = Type.Static<typeof WorkloadSchema>;

export const WorkloadListSchema = Type.Object({ workloads: Type.Array(WorkloadSchema) }, { $id: "WorkloadList" });

export const CreatedWorkloadSchema = Type.Object(
  { name: Type.String(), port: Type.Integer({ minimum: 1, maximum: 65535 }) },
  { $id: "CreateWorkloadResponse" },
);
