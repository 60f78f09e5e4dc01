/**
 * `MCPToolConfig` `v1alpha1`: which tools clients see, and under which names, for every server that names it. Its members are
 * called as in the reference. It has no objects of its own: it becomes the choice of tools of each proxy.
 */
import * as Type from "typebox";
import { ConditionsSchema } from "./mcp-server.ts";
import type { JsonObject, ObjectMeta } from "./object.ts";

/** Characters of a name and of a description, and how many there may be: as everywhere else, see `listToolProblems`. */
const MAX_NAME = 200;
const MAX_DESCRIPTION = 10_000;
const MAX_TOOLS = 1_000;

const ToolOverrideSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME,
        description: "Name for clients. Default: the server's own name.",
      }),
    ),
    description: Type.Optional(
      Type.String({ maxLength: MAX_DESCRIPTION, description: "Description for clients. Default: the server's own." }),
    ),
  },
  { description: "Another name or description of a tool." },
);

export const MCPToolConfigSpecSchema = Type.Object({
  toolsFilter: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_NAME }), {
      minItems: 1,
      maxItems: MAX_TOOLS,
      description:
        "Names of the tools that clients see and may call, after `toolsOverride`. Default: all. For an MCPGroup, use the names in the group, or `server__tool`.",
    }),
  ),
  toolsOverride: Type.Optional(
    Type.Record(Type.String(), ToolOverrideSchema, {
      description:
        "Other names and descriptions, by the server's own names; for an MCPGroup, by the names in the group. The old name of a tool no longer works.",
    }),
  ),
});
export type MCPToolConfigSpec = Readonly<Type.Static<typeof MCPToolConfigSpecSchema>>;

export const MCPToolConfigStatusSchema = Type.Object({
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", minimum: 0, description: "Generation of the object that the status describes." }),
  ),
  referencingServers: Type.Optional(
    Type.Array(Type.String(), {
      description: "Objects that name it in `toolConfigRef`, as `KIND/NAME`; the first 1000 in alphabetical order.",
    }),
  ),
  conditions: Type.Optional(ConditionsSchema),
});
export type MCPToolConfigStatus = Readonly<Type.Static<typeof MCPToolConfigStatusSchema>>;

export interface MCPToolConfig {
  readonly metadata: Pick<ObjectMeta, "name" | "namespace" | "uid" | "generation" | "resourceVersion">;
  readonly spec: MCPToolConfigSpec;
  readonly status?: MCPToolConfigStatus | undefined;
}

/** @param object As the API server has it. */
export function readToolConfig({ metadata, spec = {}, status }: JsonObject): MCPToolConfig {
  const { name, namespace, uid, generation, resourceVersion } = metadata;
  return { metadata: { name, namespace, uid, generation, resourceVersion }, spec, ...(status && { status }) };
}
