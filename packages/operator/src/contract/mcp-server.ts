/**
 * `MCPServer` `v1alpha1`: one MCP server on a cluster. The members up to `authzConfig`, their defaults and their limits are
 * those of the reference's operator 0.1.8, and frozen: a manifest for it is valid here and means the same. Members after
 * that are additions, all optional. The schema is the one description: the CRD, its reference page, the types and the
 * checks of the operator derive from it.
 */

import { describePattern } from "@toolhive/core/pattern-words";
import { type Static, type TSchema, Type } from "typebox";
import type { KIND } from "./names.ts";
import type { JsonObject, TypedObject } from "./object.ts";

const Port = (description: string) => Type.Integer({ minimum: 1, maximum: 65_535, format: "int32", description });
const Text = (description: string, bounds: { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ ...bounds, description });
const Strings = (description: string) => Type.Record(Type.String(), Type.String(), { description });
/** One of the given words. */
const Words = <const T extends readonly string[]>(words: T, options: { description: string; default?: T[number] }) =>
  Type.Unsafe<T[number]>({ type: "string", enum: [...words], ...options });

export const TRANSPORTS = ["stdio", "streamable-http", "sse"] as const;
/** An MCPServer that is served is `Running`, as in the reference's `v1alpha1`; the kinds that came later are `Ready`. */
export const PHASES = ["Pending", "Running", "Ready", "Failed", "Terminating"] as const;

const EnvVarSchema = Type.Object({
  name: Text("Name of the variable.", { minLength: 1 }),
  value: Text("Its value. It is visible to everybody who may read the object; use `secrets` for secrets."),
});

const ResourceListSchema = (description: string) =>
  Type.Object(
    {
      cpu: Type.Optional(Text("Processors, for example `500m`.")),
      memory: Type.Optional(Text("Memory, for example `256Mi`.")),
    },
    { description },
  );

const OverridesSchema = (description: string) =>
  Type.Object(
    {
      annotations: Type.Optional(Strings("Annotations to add. Those of the operator win.")),
      labels: Type.Optional(Strings("Labels to add. Those of the operator win.")),
    },
    { description },
  );

const InlineOidcSchema = Type.Object(
  {
    issuer: Text("Address of the token issuer.", { minLength: 1 }),
    audience: Type.Optional(Text("Audience that tokens must have.")),
    jwksUrl: Type.Optional(Text("Address of the issuer's keys. Default: found through the issuer.")),
    clientId: Type.Optional(Text("Kept for old manifests; without effect.")),
    thvCABundlePath: Type.Optional(Text("Path, in the proxy's container, of certificates to trust as well.")),
    jwksAuthTokenPath: Type.Optional(Text("Path, in the proxy's container, of a token for the issuer's keys.")),
    jwksAllowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: "Whether the issuer may have a private address." }),
    ),
  },
  { description: "Settings of the issuer, for `type: inline`." },
);

const OidcSchema = Type.Object(
  {
    type: Words(["kubernetes", "configMap", "inline"], {
      default: "kubernetes",
      description: "Where the settings come from.",
    }),
    kubernetes: Type.Optional(
      Type.Object(
        {
          serviceAccount: Type.Optional(
            Text("The one service account whose tokens are accepted, of `namespace`. Default: every one."),
          ),
          namespace: Type.Optional(
            Text(
              "Namespace of the service accounts whose tokens are accepted. Default: with `serviceAccount` that of the MCPServer, otherwise every one.",
            ),
          ),
          audience: Type.Optional(Type.String({ default: "toolhive", description: "Audience that tokens must have." })),
          issuer: Type.Optional(
            Type.String({
              default: "https://kubernetes.default.svc",
              description: "Issuer of the cluster's service account tokens.",
            }),
          ),
          jwksUrl: Type.Optional(Text("Address of the issuer's keys. Default: found through the issuer.")),
          useClusterAuth: Type.Optional(
            Type.Boolean({
              description:
                "Whether the issuer is asked with the cluster's certificates and the proxy's own token, at a private address. Default: true.",
            }),
          ),
          tokenReview: Type.Optional(
            Type.Boolean({
              default: false,
              description:
                "Whether the API server is asked about each token as well, so that those of deleted service accounts and pods are refused. The proxy's service account needs the ClusterRole `system:auth-delegator`.",
            }),
          ),
        },
        { description: "Tokens of the cluster's service accounts, for `type: kubernetes`." },
      ),
    ),
    configMap: Type.Optional(
      Type.Object(
        {
          name: Text("Name of the ConfigMap.", { minLength: 1 }),
          key: Type.Optional(
            Type.String({
              default: "oidc.json",
              description: "Kept for old manifests; each setting is a key of its own.",
            }),
          ),
        },
        { description: "A ConfigMap whose keys are the members of `inline`, for `type: configMap`." },
      ),
    ),
    inline: Type.Optional(InlineOidcSchema),
    caBundle: Type.Optional(
      Type.Object(
        {
          name: Text("Name of the ConfigMap.", { minLength: 1 }),
          key: Type.Optional(Type.String({ default: "ca.crt", description: "Key with the certificates, as PEM." })),
        },
        {
          description: "A ConfigMap with certificates to trust besides the usual ones when the issuer is asked.",
        },
      ),
    ),
  },
  { description: "Whose tokens callers must show. Default: nobody's; every caller that reaches the proxy is served." },
);

const AuthzSchema = Type.Object(
  {
    type: Words(["configMap", "inline"], { default: "configMap", description: "Where the policies come from." }),
    configMap: Type.Optional(
      Type.Object(
        {
          name: Text("Name of the ConfigMap.", { minLength: 1 }),
          key: Type.Optional(Type.String({ default: "authz.json", description: "Key with the policies' file." })),
        },
        { description: "A ConfigMap with a policies file, for `type: configMap`." },
      ),
    ),
    inline: Type.Optional(
      Type.Object(
        {
          policies: Type.Array(Type.String(), { minItems: 1, description: "Cedar policies, one in each item." }),
          entitiesJson: Type.Optional(
            Type.String({ default: "[]", description: "Cedar entities, as the text of a JSON array." }),
          ),
        },
        { description: "The policies themselves, for `type: inline`." },
      ),
    ),
  },
  { description: "Cedar policies about who may do what." },
);

export const MCPServerSpecSchema = Type.Object({
  image: Text("Image of the MCP server. Names of the ToolHive registry are not resolved.", { minLength: 1 }),
  transport: Type.Optional(Words(TRANSPORTS, { default: "stdio", description: "What the server itself speaks." })),
  port: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      format: "int32",
      default: 8080,
      description: "Port of the proxy and its Service.",
    }),
  ),
  targetPort: Type.Optional(
    Port(
      "Port of a server that speaks HTTP. The server finds it in `MCP_PORT` and `FASTMCP_PORT`. Default: chosen by the operator.",
    ),
  ),
  proxyPort: Type.Optional(Port("Another name for `port`, which manifests of the reference have.")),
  mcpPort: Type.Optional(Port("Another name for `targetPort`, which manifests of the reference have.")),
  args: Type.Optional(Type.Array(Type.String(), { description: "Arguments of the server." })),
  env: Type.Optional(Type.Array(EnvVarSchema, { description: "Variables of the server." })),
  volumes: Type.Optional(
    Type.Array(
      Type.Object({
        name: Text("Name of the volume.", { minLength: 1 }),
        hostPath: Text("Path on the node.", { minLength: 1 }),
        mountPath: Text("Path in the container.", { minLength: 1 }),
        readOnly: Type.Optional(Type.Boolean({ default: false, description: "Whether it cannot be written." })),
      }),
      {
        description:
          "Folders and files of the node, in the server's container. Refused unless the operator allows privileged servers.",
      },
    ),
  ),
  resources: Type.Optional(
    Type.Object(
      {
        limits: Type.Optional(ResourceListSchema("The most that it may use.")),
        requests: Type.Optional(ResourceListSchema("What is reserved for it.")),
      },
      { description: "Resources of the proxy's container. Those of the server are set in `podTemplateSpec`." },
    ),
  ),
  secrets: Type.Optional(
    Type.Array(
      Type.Object({
        name: Text("Name of a Secret in the same namespace.", { minLength: 1 }),
        key: Text("Key in the Secret.", { minLength: 1 }),
        targetEnvName: Type.Optional(Text("Variable of the server. Default: the key.")),
      }),
      { description: "Variables of the server whose values are in Secrets." },
    ),
  ),
  permissionProfile: Type.Optional(
    Type.Object(
      {
        type: Words(["builtin", "configmap"], { default: "builtin", description: "Where the profile comes from." }),
        name: Text("`none` or `network`, or the name of a ConfigMap.", { minLength: 1 }),
        key: Type.Optional(Text("Key in the ConfigMap.")),
      },
      { description: "What the server may reach. Default: everything." },
    ),
  ),
  podTemplateSpec: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      description: "A pod template that the server's pod is made from. The server's container is the one called `mcp`.",
    }),
  ),
  resourceOverrides: Type.Optional(
    Type.Object(
      {
        proxyDeployment: Type.Optional(
          Type.Object(
            {
              annotations: Type.Optional(Strings("Annotations to add. Those of the operator win.")),
              labels: Type.Optional(Strings("Labels to add. Those of the operator win.")),
              env: Type.Optional(Type.Array(EnvVarSchema, { description: "Variables of the proxy itself." })),
            },
            { description: "For the Deployment of the proxy." },
          ),
        ),
        proxyService: Type.Optional(OverridesSchema("For the Service of the proxy.")),
      },
      { description: "Labels, annotations and variables of what the operator makes." },
    ),
  ),
  oidcConfig: Type.Optional(OidcSchema),
  authzConfig: Type.Optional(AuthzSchema),
  tools: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: 1_000,
      description: "Names of the tools that clients see and may call. Default: all.",
    }),
  ),
  audit: Type.Optional(
    Type.Object(
      {
        enabled: Type.Optional(
          Type.Boolean({ default: false, description: "Whether each call is one line of JSON in the proxy's log." }),
        ),
      },
      { description: "A record of who called what." },
    ),
  ),
  telemetry: Type.Optional(
    Type.Object(
      {
        endpoint: Type.Optional(Text("Address of an OTLP/HTTP receiver, with its scheme.", { maxLength: 2_048 })),
        serviceName: Type.Optional(Text("Name of the service in traces. Default: the name of the MCPServer.")),
        samplingRate: Type.Optional(
          Text("Share of calls that are traced, from `0` to `1`. Default: `0.1`.", { maxLength: 8 }),
        ),
        prometheus: Type.Optional(
          Type.Boolean({ default: false, description: "Whether the proxy serves `/metrics`." }),
        ),
      },
      { description: "Traces and metrics of calls." },
    ),
  ),
  proxyMode: Type.Optional(
    Words(["streamable-http", "sse"], {
      default: "streamable-http",
      description: "Which address of a server on stdio stands first in `status.endpoints`. Both are always served.",
    }),
  ),
  replicas: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      format: "int32",
      default: 1,
      description: "Pods of the server. A server on stdio has one at most.",
    }),
  ),
  idle: Type.Optional(
    Type.Object(
      {
        after: Type.String({
          pattern: describePattern("^[1-9][0-9]{0,3}[mh]$", "a time such as 10m or 2h"),
          maxLength: 5,
          description: "Time without a call, from `1m` to `24h`.",
        }),
      },
      {
        description:
          "Stops the server's pods while nobody calls; the next call starts them and waits for them. Sessions of a server that speaks HTTP end with its pods.",
      },
    ),
  ),
  proxyReplicas: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      format: "int32",
      default: 1,
      description:
        "Pods of the proxy. That of a server on stdio has one at most, because it alone holds the server's input.",
    }),
  ),
  serviceAccount: Type.Optional(
    Text(
      "Service account of the server's pod. Refused unless the operator allows privileged servers. Default: `default`, without its token.",
      { maxLength: 253 },
    ),
  ),
  toolConfigRef: Type.Optional(
    Type.Object(
      { name: Text("Name of the MCPToolConfig.", { minLength: 1, maxLength: 253 }) },
      {
        description:
          "An MCPToolConfig in the same namespace, which says what tools clients see. While it is missing they see none. Not together with `tools`.",
      },
    ),
  ),
  groupRef: Type.Optional(
    Type.Unsafe<string | { readonly name: string }>({
      anyOf: [
        { type: "string", minLength: 1, maxLength: 253 },
        {
          type: "object",
          properties: { name: { type: "string", minLength: 1, maxLength: 253 } },
          required: ["name"],
          additionalProperties: false,
        },
      ],
      // A structural schema has no member of two types; the operator checks what the API server cannot.
      "x-kubernetes-preserve-unknown-fields": true,
      minLength: 1,
      maxLength: 253,
      required: ["name"],
      description:
        "An MCPGroup in the same namespace, at whose address the server's tools are, too: `{ name: GROUP }`. The name alone is read as that.",
    }),
  ),
});
export type MCPServerSpec = Readonly<Static<typeof MCPServerSpecSchema>>;

const ConditionSchema = Type.Object({
  type: Text("What it is about.", { maxLength: 316 }),
  status: Words(["True", "False", "Unknown"], { description: "Whether it holds." }),
  reason: Text("Why, in one word.", { maxLength: 1024 }),
  message: Text("Why, in a sentence, with the next step.", { maxLength: 32_768 }),
  lastTransitionTime: Type.String({ format: "date-time", description: "When the status changed last." }),
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", minimum: 0, description: "Generation of the object that it is about." }),
  ),
});
export type Condition = Readonly<Static<typeof ConditionSchema>>;

export const ConditionsSchema = Type.Unsafe<Condition[]>({
  ...Type.Array(ConditionSchema, { description: "The state in detail." }),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
});

export const MCPServerStatusSchema = Type.Object({
  phase: Type.Optional(
    Words(PHASES, {
      description:
        "The state in one word. An MCPServer that is served is `Running`, and what is of another kind `Ready`.",
    }),
  ),
  message: Type.Optional(Text("The state in a sentence.")),
  url: Type.Optional(Text("Address of the proxy in the cluster, without a path.")),
  endpoints: Type.Optional(
    Type.Array(
      Type.Object({
        transport: Words(["streamable-http", "sse"], { description: "What clients speak there." }),
        url: Text("Address with its path."),
      }),
      { description: "Where clients connect, the preferred one first." },
    ),
  ),
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", minimum: 0, description: "Generation of the object that the status is about." }),
  ),
  conditions: Type.Optional(ConditionsSchema),
});
export type MCPServerStatus = Readonly<Static<typeof MCPServerStatusSchema>>;

export type MCPServer = TypedObject<typeof KIND, MCPServerSpec, MCPServerStatus>;

export type { TSchema };
