/** The operations on groups. Their paths and the members `name`, `groups` and `registered_clients` are the reference's. */
import { GROUP_NAMINGS, GROUP_TOOL_MEMBERS } from "@toolhive/core";
import * as Type from "typebox";
import { DOCUMENTED } from "./parts/documented.ts";
import { operation } from "./parts/operation.ts";

const JSON_TYPE = "application/json";
const NO_GROUP = "Group not found";

const GroupName = Type.String({ minLength: 1, maxLength: 100, description: "Name of the group.", examples: ["work"] });
export const NAME_PARAM = { name: GroupName };
const MEMBER_PARAMS = {
  ...NAME_PARAM,
  workload: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Name of the workload.",
    ...DOCUMENTED.workloadName,
  }),
};

const GroupMemberSchema = Type.Object(
  {
    name: Type.String({ description: "Name of the workload." }),
    state: Type.Enum(["ready", "starting", "unavailable", "stopped"], {
      description: "`starting`: the server has not listed its tools yet.",
    }),
    reason: Type.Optional(Type.String({ description: "Reason why the server is not ready." })),
    tools: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "Number of its tools that clients of the group see. Absent in `default`, and while the URL of the group does not answer.",
      }),
    ),
    hidden_tools: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "Number of its tools that were not chosen for the group. Absent if there are none.",
      }),
    ),
  },
  { $id: "GroupMember" },
);

const GroupSchema = Type.Object(
  {
    name: GroupName,
    registered_clients: Type.Array(Type.String(), { description: "Clients that are registered for the group." }),
    url: Type.Optional(
      Type.String({
        description: "URL for MCP clients. `default` has none: its clients get the URL of each server.",
        examples: ["http://127.0.0.1:18437/mcp"],
      }),
    ),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
    naming: Type.Optional(
      Type.Enum([...GROUP_NAMINGS], {
        description:
          "When names of tools and prompts begin with the name of their server. `auto`: if several servers have the name. `always`, `never`.",
      }),
    ),
    ...GROUP_TOOL_MEMBERS,
    problem: Type.Optional(Type.String({ description: "Reason why the URL does not answer." })),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Warnings about the group, one sentence each: workloads none of whose tools clients see, and names that look like another workload's. Absent if there are none.",
      }),
    ),
    workloads: Type.Array(GroupMemberSchema, { description: "Workloads of the group, sorted by name." }),
  },
  { $id: "Group" },
);

const CreateGroupSchema = Type.Object(
  {
    name: GroupName,
    naming: Type.Optional(Type.Enum([...GROUP_NAMINGS], { default: "auto" })),
    port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65535, description: "Port of the group's URL; 0 or absent: a free port." }),
    ),
    ...GROUP_TOOL_MEMBERS,
  },
  { $id: "CreateGroupRequest" },
);

const GroupToolsSchema = Type.Object(GROUP_TOOL_MEMBERS, { $id: "GroupToolsRequest" });

const MEMBER_ERRORS = {
  GROUP_NOT_FOUND: NO_GROUP,
  INVALID_ARGUMENT: "Invalid group:",
  FILE_FAILED: "Failed to change group",
} as const;

export const GROUPS_OPERATIONS = {
  listGroups: operation({
    tag: "groups",
    summary: "List groups",
    success: {
      status: 200,
      description: "The groups, `default` first, then by name.",
      contentType: JSON_TYPE,
      schema: Type.Object({ groups: Type.Array(GroupSchema) }, { $id: "GroupList" }),
    },
    errors: { CONFIG_INVALID: "Failed to list groups" },
  }),
  createGroup: operation({
    tag: "groups",
    summary: "Create a group",
    description:
      "The group has its own URL, which offers the tools of all its workloads. A new group has no workloads.",
    body: CreateGroupSchema,
    decodeError: "Invalid request body",
    success: { status: 201, description: "The group.", contentType: JSON_TYPE, schema: GroupSchema },
    errors: {
      INVALID_ARGUMENT: "Invalid group:",
      GROUP_EXISTS: "Group already exists",
      PORT_IN_USE: "Failed to create group:",
      FILE_FAILED: "Failed to create group",
    },
  }),
  getGroup: operation({
    tag: "groups",
    summary: "Get a group",
    params: NAME_PARAM,
    success: { status: 200, description: "The group.", contentType: JSON_TYPE, schema: GroupSchema },
    errors: { GROUP_NOT_FOUND: NO_GROUP, CONFIG_INVALID: "Failed to get group" },
  }),
  deleteGroup: operation({
    tag: "groups",
    summary: "Delete a group",
    description:
      "The group's URL stops answering, and clients that are registered only for this group are unregistered. The workloads remain; a workload that is in no other group moves to `default`.",
    params: NAME_PARAM,
    query: {
      "with-workloads": Type.Optional(
        Type.String({
          description: "`true` also deletes those of its workloads that are in no other group.",
          ...DOCUMENTED.boolean,
        }),
      ),
    },
    success: { status: 204, description: "The group is deleted; the deletion of its workloads may still continue." },
    errors: {
      GROUP_NOT_FOUND: NO_GROUP,
      INVALID_ARGUMENT: "Cannot delete group:",
      FILE_FAILED: "Failed to delete group",
      CONFIG_INVALID: "Failed to delete group",
      CONFIG_LOCKED: "Failed to delete group",
    },
  }),
  chooseGroupTools: operation({
    tag: "groups",
    summary: "Choose the tools of a group",
    description:
      "Replaces the current choice. Sessions stay open, and clients receive `tools/list_changed`. A name applies to the tool of the server that offers it now or, if no server offers it yet, of the first server that does.",
    params: NAME_PARAM,
    body: GroupToolsSchema,
    decodeError: "Invalid request body",
    success: { status: 200, description: "The group.", contentType: JSON_TYPE, schema: GroupSchema },
    errors: {
      GROUP_NOT_FOUND: NO_GROUP,
      INVALID_ARGUMENT: "Invalid tools:",
      FILE_FAILED: "Failed to change group",
      CONFIG_INVALID: "Failed to change group",
    },
  }),
  addGroupWorkload: operation({
    tag: "groups",
    summary: "Add a workload to a group",
    description:
      "The workload stays in its other groups, except in `default`. Adding a workload twice is not an error.",
    params: MEMBER_PARAMS,
    success: { status: 204, description: "The workload is in the group." },
    errors: { ...MEMBER_ERRORS, WORKLOAD_NOT_FOUND: "Workload not found" },
  }),
  removeGroupWorkload: operation({
    tag: "groups",
    summary: "Remove a workload from a group",
    description:
      "A workload that is in no other group moves to `default`. Removing a workload that is not in the group is not an error.",
    params: MEMBER_PARAMS,
    success: { status: 204, description: "The workload is not in the group." },
    errors: MEMBER_ERRORS,
  }),
  unregisterClientFromGroup: operation({
    tag: "clients",
    summary: "Unregister a client from a group",
    description:
      "A client that is registered for no other group is unregistered. A client that is not in the group is not an error.",
    params: {
      name: Type.String({ minLength: 1, description: "Name of the client." }),
      group: GroupName,
    },
    success: { status: 204, description: "The client is not in the group." },
    errors: { CONFIG_INVALID: "Failed to unregister client", CONFIG_LOCKED: "Failed to unregister client" },
  }),
};
