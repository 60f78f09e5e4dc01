/**
 * Members and kinds of manifests for the original's operator, which changed from year to year. Those that it calls otherwise are read
 * as what they mean, and a condition names the member to write. Those that this operator does not have are known to the API server
 * only to refuse them: it would drop an unknown member without a word when the client does not ask for strict validation, and a
 * server without its authentication would be open.
 */
import { KIND, MCP_GROUP_KIND, REMOTE_KIND } from "./names.ts";
import type { JsonObject } from "./object.ts";

interface RenamedMember {
  /** Of the specification, as the manifest has it. */
  readonly member: string;
  /** As this operator calls it. */
  readonly current: string;
}

/** What the API server fills in where a manifest names no port, so that it means nothing beside another name. */
export const DEFAULT_PORT = 8080;

export const RENAMED_MEMBERS: Readonly<Record<string, readonly RenamedMember[]>> = {
  [KIND]: [
    { member: "proxyPort", current: "port" },
    { member: "mcpPort", current: "targetPort" },
  ],
  [REMOTE_KIND]: [{ member: "port", current: "proxyPort" }],
};

/** @returns A rule for each pair of names: both are there only when they say the same, or when one has the default. */
export function listRenamingRules(kind: string): { rule: string; message: string }[] {
  return (RENAMED_MEMBERS[kind] ?? []).map(({ member, current }) => ({
    rule: `!has(self.${member}) || !has(self.${current}) || self.${current} == ${DEFAULT_PORT} || self.${member} == self.${current}`,
    message: `spec.${current} must not differ from spec.${member}, which is another name for it: write spec.${current} alone`,
  }));
}

/** @returns A sentence for each member that has another name here, with the name to write; `[]` for most objects. */
export function listOtherNames({ kind, spec = {} }: { readonly kind: string; readonly spec?: JsonObject }): string[] {
  const renamed = (RENAMED_MEMBERS[kind] ?? [])
    .filter(({ member }) => spec[member] !== undefined)
    .map(({ member, current }) => `spec.${member} is read as spec.${current}: write spec.${current}.`);
  const { groupRef } = spec;
  const isText = typeof groupRef === "string";
  return isText
    ? [...renamed, `spec.groupRef is read as the name of a group: write groupRef: { name: ${groupRef} }.`]
    : renamed;
}

/** In some years a text, in others an object. @returns The group's name; `undefined`: none is named. */
export function readGroupName(groupRef: unknown): string | undefined {
  const name = typeof groupRef === "string" ? groupRef : ((groupRef ?? {}) as JsonObject).name;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** @returns Why a `groupRef` names no group; the definition cannot say it, because a member of two types has no rules there. */
export function findGroupRefProblem(groupRef: unknown): string | undefined {
  if (groupRef === undefined || typeof groupRef === "string") return undefined;
  const isObject = typeof groupRef === "object" && groupRef !== null && !Array.isArray(groupRef);
  const isWhole = isObject && Object.keys(groupRef).length === 1 && readGroupName(groupRef) !== undefined;
  return isWhole ? undefined : "spec.groupRef must be { name: GROUP }, or the name of an MCPGroup.";
}

export interface MissingMember {
  readonly kinds: readonly string[];
  /** Path in the specification. */
  readonly member: string;
  readonly type: "object" | "string" | "boolean" | "integer" | "array";
  /** The value that the reference fills in, which asks for nothing and is accepted. */
  readonly idle?: boolean | string;
  /** What a person does, after "is not a member of this operator: ". */
  readonly instead: string;
}

const BOTH = [KIND, REMOTE_KIND];
const ALL = [...BOTH, MCP_GROUP_KIND];
const NO_INTROSPECTION =
  "tokens are checked with the issuer's keys, and none is sent to an introspection endpoint; name an issuer of JWTs";

export const MISSING_MEMBERS: readonly MissingMember[] = [
  {
    kinds: [KIND],
    member: "externalAuthConfigRef",
    type: "object",
    instead: "give the server its own credential from a Secret, with spec.secrets",
  },
  {
    kinds: [REMOTE_KIND],
    member: "externalAuthConfigRef",
    type: "object",
    instead: "write how the proxy signs in into spec.auth, or a header from a Secret into spec.headers",
  },
  {
    kinds: [REMOTE_KIND],
    member: "headerForward",
    type: "object",
    instead: "write the headers into spec.headers, each with value or secretKeyRef",
  },
  { kinds: BOTH, member: "oidcConfigRef", type: "object", instead: "write the issuer into spec.oidcConfig" },
  {
    kinds: BOTH,
    member: "authServerRef",
    type: "object",
    instead: "this operator issues no tokens; name an issuer in spec.oidcConfig",
  },
  { kinds: BOTH, member: "authzConfigRef", type: "object", instead: "write the policies into spec.authzConfig" },
  { kinds: BOTH, member: "telemetryConfigRef", type: "object", instead: "write the settings into spec.telemetry" },
  {
    kinds: BOTH,
    member: "webhookConfigRef",
    type: "object",
    instead: "calls go through no webhook; write Cedar policies into spec.authzConfig",
  },
  {
    kinds: [KIND],
    member: "backendReplicas",
    type: "integer",
    instead: "spec.replicas are the server's pods here, and spec.proxyReplicas those of the proxy",
  },
  {
    kinds: [KIND],
    member: "sessionStorage",
    type: "object",
    instead: "remove it, because sessions of several proxies need no storage",
  },
  {
    kinds: [KIND],
    member: "rateLimiting",
    type: "object",
    instead: "calls are not limited here; remove it, or limit them in a gateway before the Service",
  },
  {
    kinds: BOTH,
    member: "sessionAffinity",
    type: "string",
    idle: "ClientIP",
    instead: "remove it, because every session finds its pod",
  },
  {
    kinds: BOTH,
    member: "trustProxyHeaders",
    type: "boolean",
    idle: false,
    instead: "headers of a proxy in front are not trusted; let it keep the Service's path",
  },
  {
    kinds: BOTH,
    member: "endpointPrefix",
    type: "string",
    idle: "",
    instead: "let the ingress keep the path, or call streamable HTTP, which needs no prefix",
  },
  {
    kinds: ALL,
    member: "oidcConfig.resourceUrl",
    type: "string",
    idle: "",
    instead: "remove it, and write the audience of the tokens into spec.oidcConfig.inline.audience",
  },
  {
    kinds: ALL,
    member: "oidcConfig.kubernetes.introspectionUrl",
    type: "string",
    idle: "",
    instead: "use spec.oidcConfig.kubernetes.tokenReview, which asks the API server about each token",
  },
  {
    kinds: ALL,
    member: "oidcConfig.inline.introspectionUrl",
    type: "string",
    idle: "",
    instead: NO_INTROSPECTION,
  },
  { kinds: ALL, member: "oidcConfig.inline.clientSecret", type: "string", idle: "", instead: NO_INTROSPECTION },
  { kinds: ALL, member: "oidcConfig.inline.clientSecretRef", type: "object", instead: NO_INTROSPECTION },
  {
    kinds: ALL,
    member: "oidcConfig.inline.insecureAllowHTTP",
    type: "boolean",
    idle: false,
    instead: "use an issuer with https://",
  },
  {
    kinds: ALL,
    member: "oidcConfig.inline.protectedResourceAllowPrivateIP",
    type: "boolean",
    idle: false,
    instead: "use spec.oidcConfig.inline.jwksAllowPrivateIP for an issuer at a private address",
  },
  {
    kinds: ALL,
    member: "oidcConfig.inline.caBundleRef",
    type: "object",
    instead: "name the ConfigMap in spec.oidcConfig.caBundle",
  },
  {
    kinds: ALL,
    member: "oidcConfig.inline.scopes",
    type: "array",
    instead: "write what callers may do into spec.authzConfig",
  },
  {
    kinds: ALL,
    member: "telemetry.openTelemetry",
    type: "object",
    instead:
      "write its endpoint, with http:// or https://, into spec.telemetry.endpoint, and its serviceName and samplingRate beside it",
  },
  {
    kinds: ALL,
    member: "resourceOverrides.proxyDeployment.podTemplateMetadataOverrides",
    type: "object",
    instead: "labels and annotations of the proxy's pods cannot be set; those of its Deployment can, beside it",
  },
  {
    kinds: ALL,
    member: "resourceOverrides.proxyDeployment.imagePullSecrets",
    type: "array",
    instead: "remove it, and let the nodes pull the proxy's image",
  },
];

/** Adds these members and their rules to the specification of a definition. */
export function addMissingMembers(kind: string, spec: JsonObject): void {
  for (const { kinds, member, type, idle, instead } of MISSING_MEMBERS) {
    if (!kinds.includes(kind)) continue;
    const path = member.split(".");
    const name = path.pop() ?? member;
    const owner: JsonObject = path.reduce((at, part) => at.properties[part], spec);
    const value = idle === undefined ? "" : ` || self.${name} == ${JSON.stringify(idle).replaceAll('"', "'")}`;
    const message = `spec.${member} is not a member of this operator: ${instead}`;
    owner.properties[name] = { type, ...SHAPES[type], description: `Refused: ${instead}.` };
    owner["x-kubernetes-validations"] = [
      ...(owner["x-kubernetes-validations"] ?? []),
      { rule: `!has(self.${name})${value}`, message },
    ];
  }
}

/** What a structural schema needs beside the type. */
const SHAPES: Readonly<Partial<Record<MissingMember["type"], JsonObject>>> = {
  object: { "x-kubernetes-preserve-unknown-fields": true },
  array: { items: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  string: { maxLength: 2_048 },
};

/** @returns A sentence for each member of a specification that this operator does not have and the reference has. */
export function listMissingMembers({
  kind,
  spec = {},
}: {
  readonly kind: string;
  readonly spec?: JsonObject;
}): string[] {
  return MISSING_MEMBERS.flatMap(({ kinds, member, idle, instead }) => {
    const value = member.split(".").reduce<unknown>((at, part) => readMember(at, part), spec);
    const isThere = kinds.includes(kind) && value !== undefined && value !== idle;
    return isThere ? [`spec.${member} is not a member of this operator: ${instead}`] : [];
  });
}

function readMember(value: unknown, name: string): unknown {
  const isOwn = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isOwn ? (value as JsonObject)[name] : undefined;
}

/** Kinds of the reference that this operator does not have, with what a person does in their place. */
export const MISSING_KINDS: Readonly<Record<string, string>> = {
  MCPRegistry: "give the commands and the application on your machine the registry with thv config set-registry-url",
  MCPExternalAuthConfig: "write how a remote server is signed in to into spec.auth of its MCPRemoteProxy",
  MCPOIDCConfig: "write the issuer into spec.oidcConfig of each server",
  MCPAuthzConfig: "write the policies into spec.authzConfig of each server",
  MCPTelemetryConfig: "write the settings into spec.telemetry of each server",
  MCPWebhookConfig: "calls go through no webhook; write Cedar policies into spec.authzConfig of each server",
  MCPServerEntry: "write an MCPRemoteProxy",
  VirtualMCPServer: "write an MCPGroup, which is one address for the servers that name it in spec.groupRef",
  VirtualMCPCompositeToolDefinition: "tools are not composed here; a client calls them one after the other",
  EmbeddingServer: "tools are found without a model; write a Deployment when something else needs it",
};
