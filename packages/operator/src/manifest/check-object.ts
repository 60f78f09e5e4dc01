/** What is wrong with one object of a manifest, by the forms that the API server knows, and what is called otherwise here. */
import { listProblems } from "@toolhive/core";
import type { TSchema } from "typebox";
import {
  API_VERSION,
  GROUP,
  type JsonObject,
  KIND,
  listMissingMembers,
  listOtherNames,
  MCP_GROUP_KIND,
  MCPGroupSpecSchema,
  MCPRemoteProxySpecSchema,
  MCPServerSpecSchema,
  MCPToolConfigSpecSchema,
  MISSING_KINDS,
  MISSING_MEMBERS,
  REMOTE_KIND,
  TOOL_CONFIG_KIND,
} from "../contract/index.ts";

/**
 * A member that is not known may be one that limits what the server may do, or who may call it: leaving it out would be dangerous,
 * wherever it is.
 */
const SCHEMAS: Readonly<Record<string, TSchema>> = {
  [KIND]: closeMembers(MCPServerSpecSchema),
  [REMOTE_KIND]: closeMembers(MCPRemoteProxySpecSchema),
  [MCP_GROUP_KIND]: closeMembers(MCPGroupSpecSchema),
  [TOOL_CONFIG_KIND]: closeMembers(MCPToolConfigSpecSchema),
};

export interface ObjectReport {
  /** Why the API server, or the operator, refuses it; sentences without a full stop. */
  readonly problems: readonly string[];
  /** Members that have another name here, and are read all the same. */
  readonly otherNames: readonly string[];
}

/** @param object Of the operator's group. */
export function checkObject({ apiVersion, kind, spec = {} }: JsonObject): ObjectReport {
  const schema = Object.hasOwn(SCHEMAS, kind) ? SCHEMAS[kind] : undefined;
  if (schema === undefined) return { problems: [describeKind(kind)], otherNames: [] };
  const version =
    apiVersion === API_VERSION ? [] : [`apiVersion is ${apiVersion}, and this operator has ${API_VERSION}: write that`];
  const known = MISSING_MEMBERS.filter(({ kinds }) => kinds.includes(kind)).map(({ member }) => member);
  const found = listProblems(schema, spec, { root: "spec" }).filter(({ path }) => !known.includes(path.join(".")));
  const sentences = found.map(({ sentence }) => sentence);
  return {
    problems: [...version, ...sentences, ...listMissingMembers({ kind, spec })],
    otherNames: listOtherNames({ kind, spec }),
  };
}

/** @returns Whether an object is one of this operator, or of the reference's. */
export function isOfGroup({ apiVersion }: JsonObject): boolean {
  return String(apiVersion).startsWith(`${GROUP}/`);
}

function describeKind(kind: string): string {
  const instead = Object.hasOwn(MISSING_KINDS, kind) ? MISSING_KINDS[kind] : undefined;
  const kinds = Object.keys(SCHEMAS).join(", ");
  return `${kind} is not a kind of this operator: ${instead ?? `it has ${kinds}`}`;
}

/** @returns The schema with every object closed that lists its members. */
function closeMembers(schema: TSchema): TSchema {
  const { properties, items, patternProperties, ...rest } = schema as JsonObject;
  const closeAll = (members: JsonObject) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, closeMembers(member)]));
  return {
    ...rest,
    ...(properties && { properties: closeAll(properties), additionalProperties: false }),
    ...(items && { items: closeMembers(items) }),
    ...(patternProperties && { patternProperties: closeAll(patternProperties) }),
  } as TSchema;
}
