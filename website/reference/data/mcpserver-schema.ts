/**
 * The `MCPServer` resource, version v1alpha1, as a schema: the page is made from it.
 * Source: the resource definition of CRD chart 0.0.11, in our words. `limits` tells what the operator does not do.
 */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly default?: string;
  readonly meaning: string;
  /** What the field does not do although its name promises it. */
  readonly limits?: string;
  /** Type of its members, by name. */
  readonly of?: string;
}

export interface FieldGroup {
  readonly name: string;
  readonly summary: string;
  readonly fields: readonly Field[];
}

export const MCP_SERVER: readonly FieldGroup[] = [
  {
    name: "MCPServerSpec",
    summary: "What you write under `spec`.",
    fields: [
      {
        name: "image",
        type: "text",
        required: true,
        meaning: "Container image of the server. Registry names and package schemes are not resolved.",
      },
      {
        name: "transport",
        type: "`stdio`, `streamable-http`, `sse`",
        default: "stdio",
        meaning: "How the server talks.",
      },
      { name: "port", type: "1 to 65535", default: "8080", meaning: "Port of the proxy and its Service." },
      {
        name: "targetPort",
        type: "1 to 65535",
        meaning:
          "Port the server listens on, for the HTTP transports. Unset: a random one, told to the server in `MCP_PORT` and `FASTMCP_PORT`.",
      },
      { name: "args", type: "list of text", meaning: "Arguments for the server." },
      { name: "env", type: "list", of: "EnvVar", meaning: "Variables for the server." },
      {
        name: "secrets",
        type: "list",
        of: "SecretRef",
        meaning: "Variables from Secrets of the same namespace.",
        limits: "A changed Secret does not restart the pod.",
      },
      {
        name: "volumes",
        type: "list",
        of: "Volume",
        meaning: "Folders of the node.",
        limits: "They are mounted into the proxy's pod. Use `podTemplateSpec` for the server.",
      },
      {
        name: "resources",
        type: "object",
        meaning: "`limits` and `requests` with `cpu` and `memory`.",
        limits: "They apply to the proxy. Use `podTemplateSpec` for the server.",
      },
      {
        name: "permissionProfile",
        type: "object",
        of: "PermissionProfileRef",
        meaning: "What the server may reach.",
        limits: "Not enforced in a cluster. Use a NetworkPolicy and pod security settings.",
      },
      {
        name: "podTemplateSpec",
        type: "PodTemplateSpec",
        meaning: "Changes to the server's pod. Its container must be called `mcp`.",
      },
      {
        name: "resourceOverrides",
        type: "object",
        of: "ResourceOverrides",
        meaning: "Labels, annotations and variables of the proxy's objects.",
        limits: "Applied when the objects are created; later changes are not copied.",
      },
      { name: "oidcConfig", type: "object", of: "OIDCConfig", meaning: "Sign-in for clients." },
      { name: "authzConfig", type: "object", of: "AuthzConfig", meaning: "Cedar policies for requests." },
    ],
  },
  {
    name: "EnvVar",
    summary: "One variable.",
    fields: [
      { name: "name", type: "text", required: true, meaning: "Name of the variable." },
      {
        name: "value",
        type: "text",
        required: true,
        meaning: "Its value, readable by everyone who may read the resource.",
      },
    ],
  },
  {
    name: "SecretRef",
    summary: "One variable whose value comes from a Secret.",
    fields: [
      { name: "name", type: "text", required: true, meaning: "Name of the Secret." },
      { name: "key", type: "text", required: true, meaning: "Key in it." },
      { name: "targetEnvName", type: "text", default: "the key", meaning: "Name of the variable." },
    ],
  },
  {
    name: "Volume",
    summary: "One folder of the node.",
    fields: [
      { name: "name", type: "text", required: true, meaning: "Name of the volume." },
      { name: "hostPath", type: "text", required: true, meaning: "Path on the node." },
      { name: "mountPath", type: "text", required: true, meaning: "Path in the container." },
      { name: "readOnly", type: "`true` or `false`", default: "false", meaning: "Mount it read-only." },
    ],
  },
  {
    name: "PermissionProfileRef",
    summary: "Which profile applies.",
    fields: [
      { name: "type", type: "`builtin`, `configmap`", default: "builtin", meaning: "Where the profile comes from." },
      { name: "name", type: "text", required: true, meaning: "`none` or `network`, or the name of a ConfigMap." },
      { name: "key", type: "text", meaning: "Key in the ConfigMap." },
    ],
  },
  {
    name: "ResourceOverrides",
    summary: "Extras for the proxy's objects. Keys that the operator owns keep its values.",
    fields: [
      { name: "proxyDeployment.annotations", type: "map of text", meaning: "Annotations of the Deployment." },
      { name: "proxyDeployment.labels", type: "map of text", meaning: "Labels of the Deployment." },
      { name: "proxyDeployment.env", type: "list", of: "EnvVar", meaning: "Variables of the proxy itself." },
      { name: "proxyService.annotations", type: "map of text", meaning: "Annotations of the Service." },
      { name: "proxyService.labels", type: "map of text", meaning: "Labels of the Service." },
    ],
  },
  {
    name: "OIDCConfig",
    summary: "Who issues the tokens that clients send.",
    fields: [
      {
        name: "type",
        type: "`kubernetes`, `configMap`, `inline`",
        default: "kubernetes",
        meaning: "Where the settings come from.",
        limits: "`kubernetes` does not work with an issuer inside the cluster at this version.",
      },
      {
        name: "kubernetes",
        type: "object",
        meaning: "`issuer`, `audience`, `jwksUrl`, `namespace`, `useClusterAuth`.",
      },
      {
        name: "configMap",
        type: "object",
        meaning: "`name` of a ConfigMap with the keys `issuer`, `audience`, `jwksUrl`, `clientId`.",
      },
      { name: "inline", type: "object", meaning: "`issuer` (required), `audience`, `jwksUrl`." },
    ],
  },
  {
    name: "AuthzConfig",
    summary: "Which requests are allowed.",
    fields: [
      { name: "type", type: "`configMap`, `inline`", default: "configMap", meaning: "Where the policies come from." },
      {
        name: "configMap",
        type: "object",
        meaning: "`name` (required) and `key` (default `authz.json`) of a ConfigMap.",
      },
      { name: "inline", type: "object", meaning: "`policies` (at least one) and `entitiesJson` (default `[]`)." },
    ],
  },
  {
    name: "MCPServerStatus",
    summary: "What the operator writes under `status`.",
    fields: [
      {
        name: "phase",
        type: "`Pending`, `Running`, `Failed`, `Terminating`",
        meaning: "State of the proxy's pods.",
        limits: "It says nothing about the server's pod.",
      },
      { name: "message", type: "text", meaning: "Reason of the phase." },
      {
        name: "url",
        type: "text",
        meaning: "Address inside the cluster, without the transport's path.",
        limits: "Written once; it does not follow a changed `port`.",
      },
      { name: "conditions", type: "list", meaning: "Standard conditions.", limits: "Never written at this version." },
    ],
  },
];
