/**
 * `MCPGroup` `v1alpha1`: one address for the servers that name it in `groupRef`. What it shares with `MCPServer` is that kind's
 * own schema. It has a proxy, which is the group's endpoint, and no server.
 */
import type { GroupMember, GroupMemberStatus, GroupNaming, GroupTools } from "@toolhive/core";
import * as Type from "typebox";
import { MCPServerSpecSchema, type MCPServerStatus, MCPServerStatusSchema } from "./mcp-server.ts";
import type { MCP_GROUP_KIND, ProxyKind } from "./names.ts";
import type { TypedObject } from "./object.ts";

const { port, oidcConfig, authzConfig, audit, telemetry, toolConfigRef, resources, resourceOverrides } =
  MCPServerSpecSchema.properties;

export const NAMINGS = ["auto", "always", "never"] as const satisfies readonly GroupNaming[];

export const MCPGroupSpecSchema = Type.Object({
  description: Type.Optional(Type.String({ maxLength: 1_024, description: "Purpose of the group, for people." })),
  port,
  naming: Type.Optional(
    Type.Unsafe<GroupNaming>({
      type: "string",
      enum: [...NAMINGS],
      default: "auto",
      description:
        "Names of tools and prompts. `auto`: a name that several servers have becomes `server__name`. `always`: every name does. `never`: names stay, and a name that several servers have belongs to the alphabetically first.",
    }),
  ),
  toolConfigRef,
  oidcConfig,
  authzConfig,
  audit,
  telemetry,
  resources,
  resourceOverrides,
});
export type MCPGroupSpec = Readonly<Type.Static<typeof MCPGroupSpecSchema>>;

/** What the state of a server in a group may be. */
const MEMBER_STATES = ["Ready", "Starting", "Unavailable", "Stopped", "NotJoined"] as const;

const MemberSchema = Type.Object({
  name: Type.String({ description: "Name of the server, which comes before `__` in the names of its tools." }),
  kind: Type.String({ description: "MCPServer or MCPRemoteProxy." }),
  state: Type.Unsafe<(typeof MEMBER_STATES)[number]>({
    type: "string",
    enum: [...MEMBER_STATES],
    description:
      "State of the server at the group's endpoint. `NotJoined`: the endpoint does not connect to the server, for the reason in `message`.",
  }),
  message: Type.Optional(Type.String({ description: "Reason why the server is not ready." })),
  tools: Type.Integer({ format: "int32", minimum: 0, description: "Number of its tools that clients see." }),
});
export type GroupMemberReport = Readonly<Type.Static<typeof MemberSchema>>;

/** Of an MCPGroup beside the members of every status. */
const GROUP_STATUS = {
  serverCount: Type.Optional(
    Type.Integer({ format: "int32", minimum: 0, description: "Number of servers that name the group." }),
  ),
  servers: Type.Optional(Type.Array(Type.String(), { description: "Names of these servers." })),
  members: Type.Optional(Type.Array(MemberSchema, { description: "State of each server." })),
};
export const MCPGroupStatusSchema = Type.Object({ ...MCPServerStatusSchema.properties, ...GROUP_STATUS });

const GroupStatusSchema = Type.Object(GROUP_STATUS);
export type GroupStatus = Readonly<Type.Static<typeof GroupStatusSchema>>;

/** `tools` and `groupRef` are members of the other kinds; an MCPGroup never has them. */
export type MCPGroup = TypedObject<
  typeof MCP_GROUP_KIND,
  MCPGroupSpec & { readonly tools?: never; readonly groupRef?: never },
  MCPServerStatus & GroupStatus
>;

/** A server that names a group, as the operator plans it. */
export interface PlannedMember {
  readonly name: string;
  readonly kind: ProxyKind;
  /** Where its proxy is. */
  readonly url: string;
  /** Differs after each change of its pods, as the server may have other tools by then. */
  readonly run: string;
  /** Why it is not joined. */
  readonly refusal?: string | undefined;
  /** Why it is not expected to answer. */
  readonly stopped?: string | undefined;
}

/** The file beside the runner's settings, which is followed while the group is served. */
export interface GroupFile {
  /** Names this content. */
  readonly version: string;
  readonly members: readonly GroupMember[];
  readonly choice: GroupTools;
  readonly naming: GroupNaming;
}

/** Path on the port of the runner's health. */
export const GROUP_REPORT_PATH = "/group";

/** How a group's endpoint finds its servers, as it reports to the operator. */
export interface GroupReport {
  /** Of the file that it works with. */
  readonly version: string;
  readonly members: readonly GroupMemberStatus[];
}
