/**
 * `MCPServer` `v1alpha1`: one MCP server on a cluster. The members up to `authzConfig`, their defaults and their limits are
 * those of the reference's operator 0.1.8, and frozen: a manifest for it is valid here and means the same. Members after
 * that are additions, all optional. The schema is the one description: the CRD, its reference page, the types and the
 * checks of the operator derive from it.
 */

import { describePattern } from "@toolhive/core/pattern-words";
import * as Type from "typebox";
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
  value: Text("Value of the variable. Everybody who can read the object sees it; for secrets, use `secrets`."),
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
      annotations: Type.Optional(Strings("Annotations to add. The operator's own take precedence.")),
      labels: Type.Optional(Strings("Labels to add. The operator's own take precedence.")),
    },
    { description },
  );

const InlineOidcSchema = Type.Object(
  {
    issuer: Text("URL of the token issuer.", { minLength: 1 }),
    audience: Type.Optional(Text("Audience that tokens must have.")),
    jwksUrl: Type.Optional(Text("URL of the issuer's keys. Default: the one in the issuer's discovery document.")),
    clientId: Type.Optional(Text("Accepted for old manifests, without effect.")),
    thvCABundlePath: Type.Optional(Text("Path, in the proxy's container, of certificates to trust as well.")),
    jwksAuthTokenPath: Type.Optional(Text("Path, in the proxy's container, of a token for the issuer's keys.")),
    jwksAllowPrivateIP: Type.Optional(
      Type.Boolean({ default: false, description: "Whether to allow an issuer at a private address." }),
    ),
  },
  { description: "Settings of the issuer, for `type: inline`." },
);

const OidcSchema = Type.Object(
  {
    type: Words(["kubernetes", "configMap", "inline"], {
      default: "kubernetes",
      description: "Source of the settings.",
    }),
    kubernetes: Type.Optional(
      Type.Object(
        {
          serviceAccount: Type.Optional(
            Text("Service account in `namespace` whose tokens the proxy accepts. Default: any."),
          ),
          namespace: Type.Optional(
            Text(
              "Namespace of the service accounts whose tokens the proxy accepts. Default: with `serviceAccount`, the namespace of the MCPServer; otherwise any.",
            ),
          ),
          audience: Type.Optional(Type.String({ default: "toolhive", description: "Audience that tokens must have." })),
          issuer: Type.Optional(
            Type.String({
              default: "https://kubernetes.default.svc",
              description: "Issuer of the cluster's service account tokens.",
            }),
          ),
          jwksUrl: Type.Optional(
            Text("URL of the issuer's keys. Default: the one in the issuer's discovery document."),
          ),
          useClusterAuth: Type.Optional(
            Type.Boolean({
              description:
                "Whether the proxy uses the cluster's certificates and its own token for requests to the issuer, and allows a private address. Default: true.",
            }),
          ),
          tokenReview: Type.Optional(
            Type.Boolean({
              default: false,
              description:
                "Whether the API server also checks each token, so that the proxy refuses tokens of deleted service accounts and pods. The proxy's service account needs the ClusterRole `system:auth-delegator`.",
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
              description: "Accepted for old manifests; each setting has its own key.",
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
          description: "ConfigMap with additional certificates to trust for requests to the issuer.",
        },
      ),
    ),
  },
  {
    description:
      "Issuer of the tokens that callers must send. Default: none; the proxy serves every caller that reaches it.",
  },
);

const AuthzSchema = Type.Object(
  {
    type: Words(["configMap", "inline"], { default: "configMap", description: "Source of the policies." }),
    configMap: Type.Optional(
      Type.Object(
        {
          name: Text("Name of the ConfigMap.", { minLength: 1 }),
          key: Type.Optional(Type.String({ default: "authz.json", description: "Key of the policies file." })),
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
  { description: "Cedar policies that permit or forbid what callers do." },
);

export const MCPServerSpecSchema = Type.Object({
  image: Text("Image of the MCP server. The operator does not resolve names of the ToolHive registry.", {
    minLength: 1,
  }),
  transport: Type.Optional(Words(TRANSPORTS, { default: "stdio", description: "Transport of the server." })),
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
      "Port of a server that speaks HTTP. The server gets it in `MCP_PORT` and `FASTMCP_PORT`. Default: the operator chooses one.",
    ),
  ),
  proxyPort: Type.Optional(Port("Another name for `port`, as in manifests of the reference.")),
  mcpPort: Type.Optional(Port("Another name for `targetPort`, as in manifests of the reference.")),
  args: Type.Optional(Type.Array(Type.String(), { description: "Arguments of the server." })),
  env: Type.Optional(Type.Array(EnvVarSchema, { description: "Variables of the server." })),
  volumes: Type.Optional(
    Type.Array(
      Type.Object({
        name: Text("Name of the volume.", { minLength: 1 }),
        hostPath: Text("Path on the node.", { minLength: 1 }),
        mountPath: Text("Path in the container.", { minLength: 1 }),
        readOnly: Type.Optional(Type.Boolean({ default: false, description: "Whether the volume is read-only." })),
      }),
      {
        description: "Folders and files of the node to mount. Refused unless the operator allows privileged servers.",
      },
    ),
  ),
  resources: Type.Optional(
    Type.Object(
      {
        limits: Type.Optional(ResourceListSchema("Maximum.")),
        requests: Type.Optional(ResourceListSchema("Reserved amount.")),
      },
      {
        description:
          "Resources of the proxy's container. Those of an MCPServer's own container are in its `podTemplateSpec`.",
      },
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
        type: Words(["builtin", "configmap"], { default: "builtin", description: "Source of the profile." }),
        name: Text("`none` or `network`, or the name of a ConfigMap.", { minLength: 1 }),
        key: Type.Optional(Text("Key in the ConfigMap.")),
      },
      { description: "Hosts and ports that the server may reach. Default: all." },
    ),
  ),
  podTemplateSpec: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      description: "Template of the server's pod. The server's container has the name `mcp`.",
    }),
  ),
  resourceOverrides: Type.Optional(
    Type.Object(
      {
        proxyDeployment: Type.Optional(
          Type.Object(
            {
              annotations: Type.Optional(Strings("Annotations to add. The operator's own take precedence.")),
              labels: Type.Optional(Strings("Labels to add. The operator's own take precedence.")),
              env: Type.Optional(Type.Array(EnvVarSchema, { description: "Variables of the proxy itself." })),
            },
            { description: "Overrides for the Deployment of the proxy." },
          ),
        ),
        proxyService: Type.Optional(OverridesSchema("Overrides for the Service of the proxy.")),
      },
      { description: "Labels, annotations and variables of the objects that the operator creates." },
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
          Type.Boolean({ default: false, description: "Whether the proxy logs each call as a line of JSON." }),
        ),
      },
      { description: "Audit log of calls." },
    ),
  ),
  telemetry: Type.Optional(
    Type.Object(
      {
        endpoint: Type.Optional(Text("URL of an OTLP/HTTP receiver.", { maxLength: 2_048 })),
        serviceName: Type.Optional(Text("Name of the service in traces. Default: the name of this resource.")),
        samplingRate: Type.Optional(
          Text("Share of calls to trace, from `0` to `1`. Default: `0.1`.", { maxLength: 8 }),
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
      description: "Transport that comes first in `status.endpoints` of a stdio server. The proxy always serves both.",
    }),
  ),
  replicas: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      format: "int32",
      default: 1,
      description: "Number of pods of the server. A stdio server has at most one.",
    }),
  ),
  idle: Type.Optional(
    Type.Object(
      {
        after: Type.String({
          pattern: describePattern("^[1-9][0-9]{0,3}[mh]$", "a time such as 10m or 2h"),
          maxLength: 5,
          description: "Time without calls, from `1m` to `24h`.",
        }),
      },
      {
        description:
          "Stops the pods of an idle server; the next call starts them and waits for them. Sessions of a server that speaks HTTP end with its pods.",
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
        "Number of pods of the proxy. The proxy of a stdio server has at most one, because it holds the server's input.",
    }),
  ),
  serviceAccount: Type.Optional(
    Text(
      "Service account of the server's pod. The operator refuses it unless it allows privileged servers. Default: `default`, without its token.",
      { maxLength: 253 },
    ),
  ),
  toolConfigRef: Type.Optional(
    Type.Object(
      { name: Text("Name of the MCPToolConfig.", { minLength: 1, maxLength: 253 }) },
      {
        description:
          "MCPToolConfig in the same namespace that chooses the tools that clients see. While it does not exist, they see none. A resource that has `tools` cannot have it.",
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
        "MCPGroup in the same namespace whose URL also offers the server's tools: `{ name: GROUP }`, or the name alone.",
    }),
  ),
});
export type MCPServerSpec = Readonly<Type.Static<typeof MCPServerSpecSchema>>;

const ConditionSchema = Type.Object({
  type: Text("Subject of the condition.", { maxLength: 316 }),
  status: Words(["True", "False", "Unknown"], { description: "Whether the condition is met." }),
  reason: Text("Reason, in one word.", { maxLength: 1024 }),
  message: Text("Reason, in a sentence, with the next step.", { maxLength: 32_768 }),
  lastTransitionTime: Type.String({ format: "date-time", description: "Time of the last change of the status." }),
  observedGeneration: Type.Optional(
    Type.Integer({
      format: "int64",
      minimum: 0,
      description: "Generation of the object that the condition describes.",
    }),
  ),
});
export type Condition = Readonly<Type.Static<typeof ConditionSchema>>;

export const ConditionsSchema = Type.Unsafe<Condition[]>({
  ...Type.Array(ConditionSchema, { description: "The state in detail." }),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
});

export const MCPServerStatusSchema = Type.Object({
  phase: Type.Optional(
    Words(PHASES, {
      description:
        "The state in one word. If the proxy serves it, an MCPServer is `Running`, and an object of another kind is `Ready`.",
    }),
  ),
  message: Type.Optional(Text("The state in a sentence.")),
  url: Type.Optional(Text("URL of the proxy in the cluster, without a path.")),
  endpoints: Type.Optional(
    Type.Array(
      Type.Object({
        transport: Words(["streamable-http", "sse"], { description: "Transport of clients at this URL." }),
        url: Text("URL with its path."),
      }),
      { description: "URLs for clients, the preferred one first." },
    ),
  ),
  observedGeneration: Type.Optional(
    Type.Integer({ format: "int64", minimum: 0, description: "Generation of the object that the status describes." }),
  ),
  conditions: Type.Optional(ConditionsSchema),
});
export type MCPServerStatus = Readonly<Type.Static<typeof MCPServerStatusSchema>>;

export type MCPServer = TypedObject<typeof KIND, MCPServerSpec, MCPServerStatus>;

export type { TSchema } from "typebox";
