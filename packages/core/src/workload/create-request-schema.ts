/**
 * What a caller gives to create a workload: the body of the API's request, the file of `thv export`, and what the domain works
 * with. Its constraints for the OpenAPI document are stricter than the schema: `listRequestProblems` refuses some values that the
 * schema accepts, with a message and a code of its own.
 */
import * as Type from "typebox";
import { ACCESS_REQUEST_MEMBERS } from "../access/access-request-schema.ts";
import { TOOL_MEMBERS } from "../access/tool-selection.ts";
import { IMAGE_REFERENCE_PATTERN } from "../images/image-reference.ts";
import { PermissionProfileSchema, ProvenanceSchema, REGISTRY_TRANSPORTS } from "../registry/registry-schema.ts";
import { REMOTE_MEMBERS } from "../remote/remote-schema.ts";
import { describePattern } from "../schemas/pattern-words.ts";

/** Spec §4. */
export const TRANSPORT_TYPES = ["stdio", "sse", "streamable-http", "inspector"] as const;
export type TransportType = (typeof TRANSPORT_TYPES)[number];

export const PROXY_MODES = ["sse", "streamable-http"] as const;
export type ProxyMode = (typeof PROXY_MODES)[number];

/**
 * What happens to an image that cannot prove its origin: nothing is checked, a warning appears, or the workload does not start.
 */
export const IMAGE_VERIFICATIONS = ["disabled", "warn", "enabled"] as const;

/** When the image is pulled: not at all, when the engine does not have it, or each time a container is made. */
export const PULL_POLICIES = ["never", "missing", "always"] as const;

type Constraint = Readonly<Record<string, unknown>>;

/** Put into a schema's options: the document has these keywords in place of the schema's own. */
export const documented = (constraint: Constraint) => ({ documented: constraint });

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const GROUP = "[0-9a-fA-F]{1,4}";
/** One alternative for each place of the `::`. */
const IPV6 = [
  `(?:${GROUP}:){7}${GROUP}`,
  `(?:${GROUP}:){1,7}:`,
  ...[1, 2, 3, 4, 5, 6].map((after) => `(?:${GROUP}:){1,${7 - after}}(?::${GROUP}){1,${after}}`),
  `:(?:(?::${GROUP}){1,7}|:)`,
].join("|");
/** A part of a path, which may not be `.` or `..`. */
const PART = "(?!\\.{1,2}(?:[/:]|$))[^\\u0000-\\u001f$&;|`:/]+";
const WORD = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?";
const DNS = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";

/** 0 to 2147483647, the last that engines accept. */
const USER_ID =
  "(?:0|[1-9][0-9]{0,8}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}|214[0-6][0-9]{6}|2147[0-3][0-9]{5}|21474[0-7][0-9]{4}|214748[0-2][0-9]{3}|2147483[0-5][0-9]{2}|21474836[0-3][0-9]|214748364[0-7])";

export const REQUEST_CONSTRAINTS = {
  workloadName: documented({ minLength: 2, maxLength: 100, pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]+$" }),
  image: documented({
    pattern: `^(?:(?:npx|uvx|go)://\\S+|https?://\\S+|${IMAGE_REFERENCE_PATTERN}|[a-zA-Z0-9._/-]+@[a-zA-Z0-9.+_-]+)$`,
  }),
  url: documented({ pattern: "^https?://[^\\s#]+$" }),
  transport: documented({ enum: [...REGISTRY_TRANSPORTS] }),
  proxyMode: documented({ enum: [...PROXY_MODES] }),
  host: documented({ pattern: `^(?:localhost|${OCTET}(?:\\.${OCTET}){3}|${IPV6})$` }),
  loopback: documented({ pattern: `^(?:localhost|127(?:\\.${OCTET}){3})$` }),
  variable: documented({ pattern: "^[^=\\u0000-\\u001f\\u007f-\\u009f]+=[^\\u0000]*$" }),
  secretName: documented({ pattern: "^[^,]+$" }),
  secretTarget: documented({ pattern: "^[^=\\s\\u0000-\\u001f\\u007f-\\u009f]+$" }),
  volume: documented({
    pattern: `^(?:/${PART})+:(?!/(?:proc|sys|dev)(?:[/:]|$))(?:/${PART})+(?::(?:(?:ro|rw)(?:,[zZ])?|[zZ]))?$`,
  }),
  user: documented({ pattern: `^${USER_ID}(?::${USER_ID})?$` }),
  labels: documented({
    propertyNames: { pattern: `^(?![Tt][Oo][Oo][Ll][Hh][Ii][Vv][Ee])(?:${DNS}(?:\\.${DNS}){0,2}/)?${WORD}$` },
    additionalProperties: { type: "string", pattern: `^(?:${WORD})?$` },
  }),
} as const;

/** Members of a server in a container that a run configuration keeps and a project file has, all under the same name. */
export const SHARED_MEMBERS = {
  base_image: Type.Optional(
    Type.String({
      description:
        "Image that a package's image is built on, with `npm`, `uv` (or `pip`) or `go`, and `sh`. Default: one of Debian with the package manager.",
      examples: ["python:3.11-slim"],
      ...documented({ pattern: `^${IMAGE_REFERENCE_PATTERN}$` }),
    }),
  ),
  with: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
      maxItems: 50,
      description:
        "Packages from the same package registry to install with an npx:// or uvx:// package, also to choose a version of its dependencies.",
      examples: [["mcp<2"]],
    }),
  ),
  read_only: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Whether the root filesystem is read-only; `/tmp` stays writable, in memory.",
    }),
  ),
  image_verification: Type.Optional(
    Type.Enum([...IMAGE_VERIFICATIONS], {
      default: "warn",
      description:
        "Verification of the image's origin against its registry entry. `disabled`: none. `warn`: ToolHive starts an unverified image and reports it in `status_context`. `enabled`: ToolHive refuses an unverified image, and one whose entry names no origin.",
    }),
  ),
} as const;

/** Members that a run configuration keeps under the same name and with the same meaning. */
export const KEPT_MEMBERS = {
  permission_profile: Type.Optional(PermissionProfileSchema),
  volumes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, ...REQUEST_CONSTRAINTS.volume }), {
      description:
        "Files and folders of the host for the server: `host-path:container-path`, writable unless it ends in `:ro`. `:z` and `:Z` set SELinux labels. A volume replaces the profile's mount at the same path.",
      examples: [["/srv/maps:/data:ro"]],
    }),
  ),
  user: Type.Optional(
    Type.String({
      description:
        "User of the server, and its group, as numbers: `UID` or `UID:GID`. Default: the image's user, or with mounted folders a user with your access to them. The user has no capabilities.",
      examples: ["1000:1000"],
      ...REQUEST_CONSTRAINTS.user,
    }),
  ),
  limits: Type.Optional(
    Type.Object(
      {
        memory_bytes: Type.Optional(
          Type.Integer({ minimum: 0, default: 2147483648, description: "Memory in bytes, swap included." }),
        ),
        cpus: Type.Optional(Type.Number({ minimum: 0, default: 2, description: "Processors." })),
        pids: Type.Optional(Type.Integer({ minimum: 0, default: 1024, description: "Processes and threads." })),
      },
      {
        $id: "ResourceLimits",
        description: "Resource limits of the server; 0 for no limit.",
        examples: [{ memory_bytes: 536870912, cpus: 0.5 }],
      },
    ),
  ),
  pull_policy: Type.Optional(
    Type.Enum([...PULL_POLICIES], {
      default: "missing",
      description:
        "When the image is pulled: `never`; `missing`, if the engine does not have it; `always`, each time a container is created. Not for packages.",
    }),
  ),
  image_digest: Type.Optional(
    Type.String({
      pattern: describePattern("^sha256:[0-9a-f]{64}$", "sha256: and 64 small hexadecimal digits"),
      description:
        "Digest that the image must have. If the engine's image has another digest, it is pulled again, unless `pull_policy` is `never`; a server whose image still differs does not start. Not for packages.",
      examples: ["sha256:0d6a3a3c5c2ee3e2ac1b9a1b5c1a4c2e0f3f1d5d8a3ad6c1d7f9c4c0a3b2f1e0"],
    }),
  ),
  provenance: Type.Optional(ProvenanceSchema),
  ...REMOTE_MEMBERS,
  ...TOOL_MEMBERS,
  ...SHARED_MEMBERS,
  sleep_after_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 31_536_000,
      description:
        "Seconds without a call after which the server is stopped; the next call starts it and waits. An open stream or subscription keeps the server awake. 0: never. Default: the one in the settings, else never.",
    }),
  ),
  learn_network: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Whether ToolHive learns the network rules: a sidecar allows all connections except to this machine and its containers, and records hosts and ports. `getPermissions` returns them as a profile, and `applyLearned` enforces it.",
    }),
  ),
} as const;

export const CreateRequestSchema = Type.Object(
  {
    image: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "Name of a server in the registry, an image reference, a package (`npx://`, `uvx://`, `go://`), or the URL of a remote server. Clients of the reference send that URL as `url`, which is accepted instead.",
      examples: ["everything", "mcp/everything:latest", "npx://@acme/weather@1.4.0", "https://mcp.example.com/mcp"],
      ...REQUEST_CONSTRAINTS.image,
    }),
    url: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: "URL of a remote server; the same as in `image`.",
        ...REQUEST_CONSTRAINTS.url,
      }),
    ),
    name: Type.Optional(
      Type.String({
        maxLength: 100,
        ...REQUEST_CONSTRAINTS.workloadName,
        description:
          "Name of the workload. Default: the server's name in the registry, else the last part of the image's or the package's name, or the host of a remote server; with a number if that name is taken.",
      }),
    ),
    host: Type.Optional(
      Type.String({ default: "127.0.0.1", description: "Address the proxy listens on.", ...REQUEST_CONSTRAINTS.host }),
    ),
    allowed_hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
        maxItems: 50,
        description:
          "Host names that clients may use for the proxy, besides those of this machine: for example, the name of a reverse proxy. Without scheme, port and path.",
        examples: [["tools.example.com"]],
      }),
    ),
    proxy_port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65535, description: "Port the proxy listens on; 0 or absent: a free one." }),
    ),
    transport: Type.Optional(
      Type.String({
        description: `Transport of the server: ${TRANSPORT_TYPES.slice(0, 3).join(", ")}. Default: the one in the registry, else stdio; for a remote server sse if its URL ends in /sse, else streamable-http.`,
        ...REQUEST_CONSTRAINTS.transport,
      }),
    ),
    target_port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65535,
        description:
          "Port the server listens on in its container, for sse and streamable-http; 0 or absent: the port in the registry, else a random one.",
      }),
    ),
    target_host: Type.Optional(
      Type.String({
        description:
          "Loopback address at which the proxy reaches the server, for sse and streamable-http. Default: 127.0.0.1.",
        ...REQUEST_CONSTRAINTS.loopback,
      }),
    ),
    proxy_mode: Type.Optional(
      Type.String({
        default: PROXY_MODES[1],
        description: `Transport that clients of a stdio server use: ${PROXY_MODES.join(" or ")}.`,
        ...REQUEST_CONSTRAINTS.proxyMode,
      }),
    ),
    cmd_arguments: Type.Optional(
      Type.Array(Type.String(), {
        description: "Arguments for the server, after those of the registry; they replace the image's own.",
      }),
    ),
    env_vars: Type.Optional(
      Type.Array(Type.String(REQUEST_CONSTRAINTS.variable), {
        description: "Environment variables, each as KEY=VALUE; an object with names and values is accepted, too.",
        examples: [["UNITS=metric"]],
      }),
    ),
    secrets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({
              description: "Name of the secret.",
              examples: ["github-token"],
              ...REQUEST_CONSTRAINTS.secretName,
            }),
            target: Type.String({
              description: "Environment variable of the server.",
              examples: ["GITHUB_TOKEN"],
              ...REQUEST_CONSTRAINTS.secretTarget,
            }),
          },
          { $id: "SecretParameter" },
        ),
        {
          description:
            "Secrets that the server gets as environment variables. ToolHive reads their values at each start.",
        },
      ),
    ),
    ca_certificate: Type.Optional(
      Type.String({
        description:
          "Absolute path of a PEM file that the build of a package's image trusts. Default: the one in the settings.",
      }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          "Labels of the workload and its container, in the syntax of Kubernetes. Labels that begin with `toolhive` are reserved.",
        examples: [{ team: "maps" }],
        ...REQUEST_CONSTRAINTS.labels,
      }),
    ),
    group: Type.Optional(
      Type.String({
        maxLength: 100,
        description: "Group of the new workload; `default` when absent.",
        examples: ["work"],
      }),
    ),
    network_isolation: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether a sidecar enforces the network rules of the permission profile. A profile without network access is always enforced.",
      }),
    ),
    ...KEPT_MEMBERS,
    ...ACCESS_REQUEST_MEMBERS,
  },
  { $id: "CreateWorkloadRequest" },
);
export type CreateRequest = Readonly<Type.Static<typeof CreateRequestSchema>>;
