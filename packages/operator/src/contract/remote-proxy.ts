/**
 * `MCPRemoteProxy` `v1alpha1`: a proxy on the cluster for an MCP server that runs elsewhere. What it shares with `MCPServer` is
 * that kind's own schema.
 */
import * as Type from "typebox";
import { MCPServerSpecSchema, type MCPServerStatus } from "./mcp-server.ts";
import type { REMOTE_KIND } from "./names.ts";
import type { TypedObject } from "./object.ts";

const {
  port,
  oidcConfig,
  authzConfig,
  audit,
  telemetry,
  tools,
  toolConfigRef,
  groupRef,
  resources,
  resourceOverrides,
} = MCPServerSpecSchema.properties;

const Text = (description: string, maxLength = 2_048) => Type.String({ minLength: 1, maxLength, description });
const SecretKeySchema = (description: string) =>
  Type.Object(
    { name: Text("Name of a Secret in the same namespace.", 253), key: Text("Key in the Secret.", 253) },
    { description },
  );

export const MCPRemoteProxySpecSchema = Type.Object({
  remoteURL: Text("URL of the server's MCP endpoint, for example `https://mcp.example.com/mcp`."),
  allowInsecureHTTP: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Whether `remoteURL` may begin with `http://`. Others on the network can then read and change messages, including tokens. For a server in the cluster, or behind an encrypting mesh.",
    }),
  ),
  transport: Type.Optional(
    Type.Unsafe<"streamable-http" | "sse">({
      type: "string",
      enum: ["streamable-http", "sse"],
      default: "streamable-http",
      description: "Transport of the server.",
    }),
  ),
  proxyPort: port,
  port: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      format: "int32",
      description: "Another name for `proxyPort`, as in manifests of the reference.",
    }),
  ),
  headers: Type.Optional(
    Type.Array(
      Type.Object({
        name: Text("Name of the header.", 100),
        value: Type.Optional(
          Type.String({
            maxLength: 8_192,
            description: "Value of the header. Everybody who can read the object sees it.",
          }),
        ),
        secretKeyRef: Type.Optional(SecretKeySchema("Secret with the value of the header.")),
      }),
      { maxItems: 50, description: "Headers to add to each request to the server." },
    ),
  ),
  auth: Type.Optional(
    Type.Object(
      {
        type: Type.Unsafe<"bearer" | "clientCredentials">({
          type: "string",
          enum: ["bearer", "clientCredentials"],
          default: "bearer",
          description: "Type of the sign-in.",
        }),
        bearerToken: Type.Optional(SecretKeySchema("Token, for `type: bearer`.")),
        clientCredentials: Type.Optional(
          Type.Object(
            {
              issuer: Type.Optional(Text("Authorization server. Default: the one that the server names.")),
              tokenURL: Type.Optional(Text("URL of the token endpoint, for an authorization server without metadata.")),
              clientID: Text("ID of the client at the authorization server."),
              clientSecret: SecretKeySchema("Secret of the client."),
              scopes: Type.Optional(
                Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
                  maxItems: 100,
                  description: "Scopes to request. Default: those of the authorization server.",
                }),
              ),
              resource: Type.Optional(
                Text("Resource to request tokens for. Default: the one in the server's metadata."),
              ),
            },
            { description: "OAuth client of the proxy, for `type: clientCredentials`." },
          ),
        ),
      },
      { description: "Sign-in of the proxy at the server. Default: none." },
    ),
  ),
  caBundle: Type.Optional(
    Type.Object(
      {
        name: Text("Name of the ConfigMap.", 253),
        key: Type.Optional(Type.String({ default: "ca.crt", description: "Key with the certificates, as PEM." })),
      },
      {
        description:
          "ConfigMap with additional certificates to trust for requests to the server and its authorization server.",
      },
    ),
  ),
  oidcConfig,
  authzConfig,
  audit,
  telemetry,
  tools,
  toolConfigRef,
  groupRef,
  resources,
  resourceOverrides,
  replicas: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      format: "int32",
      default: 1,
      description: "Number of pods of the proxy.",
    }),
  ),
  serviceAccount: Type.Optional(
    Type.String({
      maxLength: 253,
      description:
        "Service account of the proxy's pod. The operator refuses it unless it allows privileged servers. Default: one that the operator creates, without permissions.",
    }),
  ),
});
export type MCPRemoteProxySpec = Readonly<Type.Static<typeof MCPRemoteProxySpecSchema>>;

export type MCPRemoteProxy = TypedObject<typeof REMOTE_KIND, MCPRemoteProxySpec, MCPServerStatus>;

/** Names of the files of secrets, in `REMOTE_FOLDER` of the proxy's pod. */
export const REMOTE_FILES = {
  bearerToken: "bearer-token",
  clientSecret: "client-secret",
  ca: "ca.crt",
  /** @param index Among the headers of the specification. */
  header: (index: number) => `header-${index}`,
} as const;

/** How one proxy finds its remote server, as it reports to the operator on the port of its health. */
export interface RemoteReport {
  /** Why it does not answer. */
  readonly problem?: {
    /** `SignInRefused`: the server, or the authorization server, does not take what the Secret holds. */
    readonly reason: RemoteFailure;
    readonly message: string;
  };
  /** Whether a list was answered, and nothing has been wrong since. */
  readonly isReady: boolean;
}

/** Path on the port of the runner's health. */
export const REMOTE_REPORT_PATH = "/remote";
export const REMOTE_FAILURES = ["RemoteUnreachable", "SignInRefused", "TokensUnavailable"] as const;
export type RemoteFailure = (typeof REMOTE_FAILURES)[number];
