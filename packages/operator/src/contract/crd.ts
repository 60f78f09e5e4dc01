/** The CustomResourceDefinitions of the operator's kinds, made from their schemas. */
import { dumpYaml } from "@kubernetes/client-node/dist/yaml.js";
import { MCPGroupSpecSchema, MCPGroupStatusSchema } from "./group.ts";
import { MCPServerSpecSchema, MCPServerStatusSchema, type TSchema } from "./mcp-server.ts";
import {
  GROUP,
  KIND,
  MCP_GROUP_KIND,
  MCP_GROUP_PLURAL,
  MCP_GROUP_SHORT_NAME,
  PLURAL,
  REMOTE_KIND,
  REMOTE_PLURAL,
  REMOTE_SHORT_NAMES,
  SHORT_NAME,
  TOOL_CONFIG_KIND,
  TOOL_CONFIG_PLURAL,
  TOOL_CONFIG_SHORT_NAME,
  VERSION,
} from "./names.ts";
import type { JsonObject } from "./object.ts";
import { addMissingMembers, listRenamingRules } from "./original-members.ts";
import { MCPRemoteProxySpecSchema } from "./remote-proxy.ts";
import { MCPToolConfigSpecSchema, MCPToolConfigStatusSchema } from "./tool-config.ts";

/**
 * Rules that a type cannot express. The API server checks them when an object is written, after defaults are filled in, and
 * answers with the message.
 */
type Rules = Readonly<Record<string, readonly { readonly rule: string; readonly message: string }[]>>;
/** Of members that every kind with a proxy has. */
const SHARED_RULES: Rules = {
  oidcConfig: [
    {
      rule: "self.type != 'inline' || has(self.inline)",
      message: "spec.oidcConfig.inline is required for type inline",
    },
    {
      rule: "self.type != 'configMap' || has(self.configMap)",
      message: "spec.oidcConfig.configMap is required for type configMap",
    },
    {
      rule: "!has(self.kubernetes) || !has(self.kubernetes.tokenReview) || !self.kubernetes.tokenReview || !has(self.kubernetes.useClusterAuth) || self.kubernetes.useClusterAuth",
      message:
        "spec.oidcConfig.kubernetes must not have useClusterAuth: false with tokenReview, because the proxy uses its own token for requests to the API server",
    },
  ],
  authzConfig: [
    {
      rule: "self.type != 'inline' || has(self.inline)",
      message: "spec.authzConfig.inline is required for type inline",
    },
    {
      rule: "self.type != 'configMap' || has(self.configMap)",
      message: "spec.authzConfig.configMap is required for type configMap",
    },
  ],
  telemetry: [
    {
      rule: "!has(self.endpoint) || self.endpoint == '' || self.endpoint.startsWith('http://') || self.endpoint.startsWith('https://')",
      message: "spec.telemetry.endpoint must be a URL with http:// or https://, for example http://collector:4318",
    },
    {
      rule: "!has(self.samplingRate) || self.samplingRate == '' || self.samplingRate.matches('^(0([.][0-9]+)?|[.][0-9]+|1([.]0+)?)$')",
      message: "spec.telemetry.samplingRate must be a number from 0 to 1, for example 0.1",
    },
  ],
};

/** Of the specification of an MCPServer and of an MCPRemoteProxy. */
const ONE_CHOICE = {
  rule: "!has(self.tools) || !has(self.toolConfigRef)",
  message: "spec.tools must not be set together with spec.toolConfigRef: both choose the tools that clients see",
};

const SERVER_RULES: Rules = {
  ...SHARED_RULES,
  "": [
    ONE_CHOICE,
    ...listRenamingRules(KIND),
    {
      rule: "self.transport != 'stdio' || !has(self.replicas) || self.replicas <= 1",
      message:
        "spec.replicas must be 0 or 1 for transport stdio, because one process has one input; use streamable-http or sse for more",
    },
    {
      rule: "!has(self.idle) || !has(self.replicas) || self.replicas > 0",
      message: "spec.idle requires spec.replicas of 1 or more: it decides when these pods are stopped and started",
    },
    {
      rule: "self.transport != 'stdio' || !has(self.proxyReplicas) || self.proxyReplicas <= 1",
      message:
        "spec.proxyReplicas must be 0 or 1 for transport stdio, because one proxy holds the server's input; use streamable-http or sse for more",
    },
  ],
  idle: [
    {
      rule: "duration(self.after) >= duration('1m') && duration(self.after) <= duration('24h')",
      message: "spec.idle.after must be from 1m to 24h",
    },
  ],
  permissionProfile: [
    {
      rule: "self.type != 'configmap' || has(self.key)",
      message: "spec.permissionProfile.key is required for type configmap: the key of the ConfigMap with the profile",
    },
    {
      rule: "self.type != 'builtin' || self.name in ['none', 'network']",
      message: "spec.permissionProfile.name must be none or network for type builtin",
    },
  ],
};

const REMOTE_RULES: Rules = {
  ...SHARED_RULES,
  "": [
    ONE_CHOICE,
    ...listRenamingRules(REMOTE_KIND),
    {
      rule: "self.remoteURL.startsWith('https://') || self.remoteURL.startsWith('http://')",
      message: "spec.remoteURL must begin with https:// or http://, for example https://mcp.example.com/mcp",
    },
    {
      rule: "!self.remoteURL.startsWith('http://') || (has(self.allowInsecureHTTP) && self.allowInsecureHTTP)",
      message:
        "spec.remoteURL must begin with https://, or spec.allowInsecureHTTP must be true: over http, others on the network can read and change all messages",
    },
  ],
  headers: [
    {
      rule: "self.all(header, has(header.value) != has(header.secretKeyRef))",
      message: "spec.headers.value or secretKeyRef must be set, and not both",
    },
  ],
  auth: [
    {
      rule: "self.type != 'bearer' || has(self.bearerToken)",
      message: "spec.auth.bearerToken is required for type bearer",
    },
    {
      rule: "self.type != 'clientCredentials' || has(self.clientCredentials)",
      message: "spec.auth.clientCredentials is required for type clientCredentials",
    },
  ],
};

const TOOL_CONFIG_RULES: Rules = {
  "": [
    {
      rule: "has(self.toolsFilter) || has(self.toolsOverride)",
      message: "spec.toolsFilter or spec.toolsOverride must be set",
    },
  ],
};

const COLUMNS = [
  { name: "Status", type: "string", jsonPath: ".status.phase" },
  { name: "URL", type: "string", jsonPath: ".status.url" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
] as const;

const REMOTE_COLUMNS = [
  { name: "Status", type: "string", jsonPath: ".status.phase" },
  { name: "Remote", type: "string", jsonPath: ".spec.remoteURL" },
  { name: "URL", type: "string", jsonPath: ".status.url" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason', priority: 1 },
] as const;

const GROUP_COLUMNS = [
  { name: "Status", type: "string", jsonPath: ".status.phase" },
  { name: "Servers", type: "integer", jsonPath: ".status.serverCount" },
  { name: "URL", type: "string", jsonPath: ".status.url" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="ServersReady")].reason', priority: 1 },
] as const;

const TOOL_CONFIG_COLUMNS = [
  { name: "Valid", type: "string", jsonPath: '.status.conditions[?(@.type=="Valid")].status' },
  { name: "Servers", type: "string", jsonPath: ".status.referencingServers" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
] as const;

interface Definition {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: TSchema;
  readonly status: TSchema;
  readonly rules: Rules;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly jsonPath: string }[];
}

const MCP_SERVER: Definition = {
  kind: KIND,
  plural: PLURAL,
  shortNames: [SHORT_NAME],
  description: "An MCP server, and the proxy that clients connect to.",
  spec: MCPServerSpecSchema,
  status: MCPServerStatusSchema,
  rules: SERVER_RULES,
  columns: COLUMNS,
};

const MCP_REMOTE_PROXY: Definition = {
  kind: REMOTE_KIND,
  plural: REMOTE_PLURAL,
  shortNames: REMOTE_SHORT_NAMES,
  description: "A remote MCP server, and the proxy that clients in the cluster connect to.",
  spec: MCPRemoteProxySpecSchema,
  status: MCPServerStatusSchema,
  rules: REMOTE_RULES,
  columns: REMOTE_COLUMNS,
};

const MCP_TOOL_CONFIG: Definition = {
  kind: TOOL_CONFIG_KIND,
  plural: TOOL_CONFIG_PLURAL,
  shortNames: [TOOL_CONFIG_SHORT_NAME],
  description: "A choice of tools, and their names for clients.",
  spec: MCPToolConfigSpecSchema,
  status: MCPToolConfigStatusSchema,
  rules: TOOL_CONFIG_RULES,
  columns: TOOL_CONFIG_COLUMNS,
};

const MCP_GROUP: Definition = {
  kind: MCP_GROUP_KIND,
  plural: MCP_GROUP_PLURAL,
  shortNames: [MCP_GROUP_SHORT_NAME],
  description: "One URL for all servers that name the group.",
  spec: MCPGroupSpecSchema,
  status: MCPGroupStatusSchema,
  rules: SHARED_RULES,
  columns: GROUP_COLUMNS,
};

/** @returns The definition of MCPServer as the API server stores it; every call makes a new one. */
export function createCrd(): JsonObject {
  return defineKind(MCP_SERVER);
}

/** @returns Those of all kinds, by their plurals. */
export function createCrds(): Readonly<Record<string, JsonObject>> {
  const others = [MCP_REMOTE_PROXY, MCP_TOOL_CONFIG, MCP_GROUP];
  return Object.fromEntries([MCP_SERVER, ...others].map((each) => [each.plural, defineKind(each)]));
}

function defineKind(definition: Definition): JsonObject {
  const { kind, plural, shortNames, description, columns } = definition;
  const spec = convertSchema(definition.spec);
  for (const [member, rules] of Object.entries(definition.rules)) {
    const at = member === "" ? spec : spec.properties[member];
    at["x-kubernetes-validations"] = rules.map((rule) => ({ ...rule }));
  }
  addMissingMembers(kind, spec);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [...shortNames],
        categories: ["toolhive"],
      },
      scope: "Namespaced",
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns.map((column) => ({ ...column })),
          schema: {
            openAPIV3Schema: {
              type: "object",
              description,
              required: ["spec"],
              properties: {
                apiVersion: { type: "string", description: "Group and version of this object's schema." },
                kind: { type: "string", description: "Kind of this object." },
                metadata: { type: "object" },
                spec,
                status: convertSchema(definition.status),
              },
            },
          },
        },
      ],
    },
  };
}

/** @returns The definition as the text of a YAML file. */
export function printCrd(definition: JsonObject = createCrd()): string {
  return dumpYaml(definition, { lineWidth: 120, noRefs: true });
}

/** Words of a schema that Kubernetes knows, besides those that begin with `x-kubernetes-`. */
const KEPT = new Set([
  "type",
  "format",
  "description",
  "default",
  "enum",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "required",
]);

/** A structural schema: maps have `additionalProperties` instead of patterns, and closed objects are closed by pruning. */
function convertSchema(schema: TSchema | JsonObject): JsonObject {
  const { properties, items, patternProperties, ...rest } = schema as JsonObject;
  const kept = Object.entries(rest).filter(([word]) => KEPT.has(word) || word.startsWith("x-kubernetes-"));
  const [values] = Object.values(patternProperties ?? {});
  return {
    ...structuredClone(Object.fromEntries(kept)),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, TSchema>).map(([name, member]) => [name, convertSchema(member)]),
      ),
    }),
    ...(items && { items: convertSchema(items) }),
    ...(values !== undefined && { additionalProperties: convertSchema(values as TSchema) }),
  };
}
