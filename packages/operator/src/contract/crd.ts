/** The CustomResourceDefinition of `MCPServer`, made from its schema. */
import { dumpYaml } from "@kubernetes/client-node";
import { type JsonObject, MCPServerSpecSchema, MCPServerStatusSchema, type TSchema } from "./mcp-server.ts";
import { GROUP, KIND, PLURAL, SHORT_NAME, VERSION } from "./names.ts";

/**
 * Rules that a type cannot express. The API server checks them when an object is written, after defaults are filled in, and
 * answers with the message.
 */
const RULES: Readonly<Record<string, readonly { readonly rule: string; readonly message: string }[]>> = {
  "": [
    {
      rule: "self.transport != 'stdio' || !has(self.replicas) || self.replicas <= 1",
      message:
        "spec.replicas must be 0 or 1 for transport stdio, because one process has one input; use streamable-http or sse for more",
    },
    {
      rule: "!has(self.idle) || !has(self.replicas) || self.replicas > 0",
      message: "spec.idle needs spec.replicas of 1 or more: it says when these are stopped and started",
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
        "spec.oidcConfig.kubernetes must not have useClusterAuth: false with tokenReview, because the API server is asked with the proxy's own token",
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
      message: "spec.telemetry.endpoint must be an address with http:// or https://, for example http://collector:4318",
    },
    {
      rule: "!has(self.samplingRate) || self.samplingRate == '' || self.samplingRate.matches('^(0([.][0-9]+)?|[.][0-9]+|1([.]0+)?)$')",
      message: "spec.telemetry.samplingRate must be a number from 0 to 1, for example 0.1",
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

const COLUMNS = [
  { name: "Status", type: "string", jsonPath: ".status.phase" },
  { name: "URL", type: "string", jsonPath: ".status.url" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
] as const;

/** @returns The definition as the API server stores it; every call makes a new one. */
export function createCrd(): JsonObject {
  const spec = convertSchema(MCPServerSpecSchema);
  for (const [member, rules] of Object.entries(RULES)) {
    const at = member === "" ? spec : spec.properties[member];
    at["x-kubernetes-validations"] = rules.map((rule) => ({ ...rule }));
  }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${PLURAL}.${GROUP}` },
    spec: {
      group: GROUP,
      names: {
        kind: KIND,
        listKind: `${KIND}List`,
        plural: PLURAL,
        singular: KIND.toLowerCase(),
        shortNames: [SHORT_NAME],
        categories: ["toolhive"],
      },
      scope: "Namespaced",
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: COLUMNS.map((column) => ({ ...column })),
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: "One MCP server, and the proxy through which clients reach it.",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string", description: "Group and version of this form." },
                kind: { type: "string", description: "Kind of this object." },
                metadata: { type: "object" },
                spec,
                status: convertSchema(MCPServerStatusSchema),
              },
            },
          },
        },
      ],
    },
  };
}

/** @returns The definition as the text of a YAML file. */
export function printCrd(): string {
  return dumpYaml(createCrd(), { lineWidth: 120, noRefs: true });
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
