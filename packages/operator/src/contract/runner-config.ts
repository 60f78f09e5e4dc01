/**
 * What the operator writes for the runner: one JSON document in the ConfigMap `NAME-runner`, mounted into the proxy's pod. It
 * holds no secret.
 */
import * as Type from "typebox";

export const RunnerConfigSchema = Type.Object(
  {
    /** Name of the MCPServer, MCPRemoteProxy or MCPGroup. */
    name: Type.String({ minLength: 1, maxLength: 253 }),
    namespace: Type.String({ minLength: 1, maxLength: 63 }),
    /** What the server speaks. */
    transport: Type.Enum(["stdio", "streamable-http", "sse"]),
    /** Address and port that the proxy listens on. */
    host: Type.String({ minLength: 1 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    /** Names that clients may call it by, in lower case; its Service's among them. */
    allowed_hosts: Type.Array(Type.String()),
    /** The server's pod and container that stdio is attached to. Present for stdio only. */
    attach: Type.Optional(Type.Object({ pod: Type.String(), container: Type.String() })),
    /** Where the server is reached. Present for an MCPServer that speaks HTTP only. */
    target: Type.Optional(Type.Object({ host: Type.String(), port: Type.Integer({ minimum: 1, maximum: 65_535 }) })),
    /** The server elsewhere. Present for an MCPRemoteProxy only. Its secrets are files in `REMOTE_FOLDER`. */
    remote: Type.Optional(
      Type.Object({
        url: Type.String({ minLength: 1, maxLength: 2_048 }),
        /** Values by the names of headers. */
        headers: Type.Record(Type.String(), Type.String()),
        /** Names of files by the names of headers. */
        secret_headers: Type.Record(Type.String(), Type.String()),
        /** Whether there is a file of certificates. */
        has_ca: Type.Boolean(),
        has_bearer_token: Type.Optional(Type.Boolean()),
        /** The client's secret is a file. */
        client_credentials: Type.Optional(
          Type.Object({
            client_id: Type.String({ minLength: 1 }),
            issuer: Type.Optional(Type.String()),
            token_url: Type.Optional(Type.String()),
            scopes: Type.Optional(Type.Array(Type.String())),
            resource: Type.Optional(Type.String()),
          }),
        ),
      }),
    ),
    /** Its servers, its choice of tools and how it names them are in a file beside this one. Present for an MCPGroup only. */
    group: Type.Optional(Type.Object({})),
    /** Whether sessions are sealed with the key in `SESSION_KEY_FILE`, because there are replicas. Default false. */
    has_replicas: Type.Optional(Type.Boolean()),
    /** Whether the operator may ask it to hold calls, because the server is stopped while there are no calls. Default false. */
    sleeps_when_idle: Type.Optional(Type.Boolean()),
    /** Members of a run configuration about access, see `ACCESS_MEMBERS` of core; policies are in a file of their own. */
    access: Type.Record(Type.String(), Type.Unknown()),
    /** Whether `AUTHZ_FILE` has policies. */
    has_policies: Type.Boolean(),
    /** Differs with the policies that the object itself has. */
    policies_version: Type.Optional(Type.String()),
    /** Names of the tools that clients see. Absent: all. */
    tools: Type.Optional(Type.Array(Type.String())),
    /** Other names and descriptions, by the server's own names. */
    tools_override: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ name: Type.Optional(Type.String()), description: Type.Optional(Type.String()) }),
      ),
    ),
    /** Names the choice of tools: `tools` and `tools_override`. Absent: an MCPGroup, whose choice is in the file beside this one. */
    tools_version: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type RunnerConfig = Readonly<Type.Static<typeof RunnerConfigSchema>>;

/**
 * Why a proxy cannot start, as the first word of what its container leaves behind when it ends; a colon and a sentence follow.
 * `IssuerUnavailable`: the issuer does not answer. `IssuerRefused`: it, or what is set about it, cannot be used.
 */
export const START_FAILURES = ["IssuerUnavailable", "IssuerRefused"] as const;
export type StartFailure = (typeof START_FAILURES)[number];

/** @returns What a proxy reads once, when it starts. It follows its choice of tools; whatever else changes has other pods. */
export function readFixedMembers(
  config: RunnerConfig,
): Omit<RunnerConfig, "tools" | "tools_override" | "tools_version"> {
  const { tools: _tools, tools_override: _overrides, tools_version: _version, ...fixed } = config;
  return fixed;
}

/** Path on the port of the runner's health: which choice of tools the proxy works with. */
export const TOOLS_REPORT_PATH = "/tools";

export interface ToolsReport {
  /** `tools_version` of the settings; empty before there was one. */
  readonly version: string;
}
