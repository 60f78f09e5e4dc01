/** The API's entities as schemas: validation, types and the OpenAPI document come from these. Source: api-behaviour 3. */
import {
  type CreateWorkloadRequest,
  IMAGE_VERIFICATIONS,
  type PartialRequest,
  PermissionProfileSchema,
  PROXY_MODES,
  ProvenanceSchema,
  PULL_POLICIES,
  problemsOfRequest,
  ThvError,
  TRANSPORT_TYPES,
  WORKLOAD_STATUSES,
} from "@toolhive/core";
import { type Static, Type } from "typebox";
import { ACCESS_PROPERTIES, accessRequest } from "./access-schemas.ts";
import { DOCUMENTED } from "./documented.ts";

export const WorkloadSchema = Type.Object(
  {
    name: Type.String({ description: "Unique name; also the container's name." }),
    package: Type.String({ description: "What the server was made from: an image, or a package as `npx://server`." }),
    url: Type.String({ description: "Address for MCP clients." }),
    port: Type.Integer({ minimum: 0, maximum: 65535, description: "Port of the proxy on the host." }),
    tool_type: Type.Literal("mcp"),
    transport_type: Type.Enum([...TRANSPORT_TYPES]),
    status: Type.Enum([...WORKLOAD_STATUSES]),
    status_context: Type.Optional(Type.String({ description: "Why the status is what it is." })),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.String({ description: "Code of the error catalogue." }),
          message: Type.String({ description: "What happened." }),
          hint: Type.Optional(Type.String({ description: "What to do next." })),
        },
        { description: "Present while the status is error." },
      ),
    ),
    pull: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ description: "Short id of the layer." }),
            state: Type.Enum(["waiting", "downloading", "unpacking", "done"]),
            current_bytes: Type.Integer({ minimum: 0 }),
            total_bytes: Type.Integer({ minimum: 0, description: "0 while it is not known." }),
          },
          { $id: "PullLayer" },
        ),
        { description: "Layers of the image that is being pulled; absent at any other time." },
      ),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "What does not hold although it looks as if it did, each a sentence: rules for the network that nobody enforces, for example. Absent when there is nothing.",
      }),
    ),
    created_at: Type.String({ format: "date-time" }),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Labels that were given; absent without any." }),
    ),
  },
  { $id: "Workload" },
);
export type WorkloadBody = Static<typeof WorkloadSchema>;

export const WorkloadListSchema = Type.Object({ workloads: Type.Array(WorkloadSchema) }, { $id: "WorkloadList" });

export const CreateWorkloadSchema = Type.Object(
  {
    image: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Name of a server in the registry, an image reference, or a package: `npx://`, `uvx://`, `go://`.",
      examples: ["everything", "mcp/everything:latest", "npx://@acme/weather@1.4.0"],
      ...DOCUMENTED.image,
    }),
    name: Type.Optional(
      Type.String({
        maxLength: 100,
        ...DOCUMENTED.workloadName,
        description:
          "Workload name. Default: the server's name in the registry, else the last part of the image's or the package's, with a number when that is taken.",
      }),
    ),
    host: Type.Optional(
      Type.String({ default: "127.0.0.1", description: "Address the proxy listens on.", ...DOCUMENTED.host }),
    ),
    allowed_hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
        maxItems: 50,
        description:
          "Names by which clients may call the proxy, besides those of this machine: of a forwarder in front, for example. Without scheme, port and path.",
        examples: [["tools.example.com"]],
      }),
    ),
    proxy_port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65535, description: "Port the proxy listens on; 0 or absent: a free one." }),
    ),
    transport: Type.Optional(
      Type.String({
        description: `How the server talks: ${TRANSPORT_TYPES.slice(0, 3).join(", ")}. Default: the registry's, else stdio.`,
        ...DOCUMENTED.transport,
      }),
    ),
    target_port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65535,
        description:
          "Port the server listens on in its container, for sse and streamable-http; 0 or absent: the registry's, else a random one.",
      }),
    ),
    target_host: Type.Optional(
      Type.String({
        description:
          "Loopback address at which the proxy reaches the server, for sse and streamable-http. Default: 127.0.0.1.",
        ...DOCUMENTED.loopback,
      }),
    ),
    proxy_mode: Type.Optional(
      Type.String({
        default: PROXY_MODES[1],
        description: `How a stdio server is offered: ${PROXY_MODES.join(" or ")}.`,
        ...DOCUMENTED.proxyMode,
      }),
    ),
    cmd_arguments: Type.Optional(
      Type.Array(Type.String(), {
        description: "Arguments for the server, after those of the registry; they replace the image's own.",
      }),
    ),
    env_vars: Type.Optional(
      Type.Array(Type.String(DOCUMENTED.variable), {
        description: "Environment variables, each as KEY=VALUE.",
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
              ...DOCUMENTED.secretName,
            }),
            target: Type.String({
              description: "Environment variable of the server.",
              examples: ["GITHUB_TOKEN"],
              ...DOCUMENTED.secretTarget,
            }),
          },
          { $id: "SecretParameter" },
        ),
        { description: "Secrets that the server gets as environment variables. Their values are read at each start." },
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
          "Labels of the container, in Kubernetes' syntax, to find the workload by. Those that begin with `toolhive` are reserved.",
        examples: [{ team: "maps" }],
        ...DOCUMENTED.labels,
      }),
    ),
    network_isolation: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether the network rules of the permission profile are enforced, by a sidecar that lets out what they allow. A profile that forbids the network is always enforced.",
      }),
    ),
    permission_profile: Type.Optional(PermissionProfileSchema),
    volumes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, ...DOCUMENTED.volume }), {
        description:
          "Files and folders of the host for the server: `host-path:container-path`, writable unless it ends in `:ro`. `:z` and `:Z` set SELinux labels. A volume takes the place of the profile's mount at the same path.",
        examples: [["/srv/maps:/data:ro"]],
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
          description: "How much of the machine the server may take; 0 takes a limit away.",
          examples: [{ memory_bytes: 536870912, cpus: 0.5 }],
        },
      ),
    ),
    read_only: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether nothing of the image can be changed while it runs; `/tmp` stays writable, in memory.",
      }),
    ),
    pull_policy: Type.Optional(
      Type.Enum([...PULL_POLICIES], {
        default: "missing",
        description:
          "When the image is pulled: `never`, `missing` when the engine does not have it, `always` each time a container is made. Not for packages.",
      }),
    ),
    image_verification: Type.Optional(
      Type.Enum([...IMAGE_VERIFICATIONS], {
        default: "warn",
        description:
          "What becomes of an image that cannot prove the origin its registry entry names: `disabled` does not look, `warn` says so in `status_context`, `enabled` does not start it, nor one of which no origin is named.",
      }),
    ),
    provenance: Type.Optional(ProvenanceSchema),
    ...ACCESS_PROPERTIES,
  },
  { $id: "CreateWorkloadRequest" },
);
export type CreateWorkloadBody = Static<typeof CreateWorkloadSchema>;

export const CreatedWorkloadSchema = Type.Object(
  { name: Type.String(), port: Type.Integer({ minimum: 1, maximum: 65535 }) },
  { $id: "CreateWorkloadResponse" },
);

/** A create request as the domain has it. @throws {ThvError} `INVALID_ARGUMENT` with everything that is wrong. */
export function createRequest(body: CreateWorkloadBody): CreateWorkloadRequest {
  const unknown = problemsOfWords(body);
  if (unknown.length > 0) throw new ThvError("INVALID_ARGUMENT", problemsOfBody(body).join("; "));
  return { ...partOf(body), image: body.image, access: accessRequest(body) };
}

/** Everything that is wrong with those members that have the right form. */
export function problemsOfBody(sound: Partial<CreateWorkloadBody>): string[] {
  return [...problemsOfWords(sound), ...problemsOfRequest(partOf(sound))];
}

function problemsOfWords({ transport, proxy_mode }: Partial<CreateWorkloadBody>): string[] {
  const unknown = (member: string, values: readonly string[], value: string | undefined) =>
    value && wordOf(values, value) === undefined
      ? [`${member} ${JSON.stringify(value.slice(0, 100))} is not one of ${values.join(", ")}`]
      : [];
  return [...unknown("transport", TRANSPORT_TYPES, transport), ...unknown("proxy_mode", PROXY_MODES, proxy_mode)];
}

/** The reference accepts the values in upper case too. */
function wordOf<T extends string>(values: readonly T[], value: string | undefined): T | undefined {
  return values.find((candidate) => candidate === value?.toLowerCase());
}

function partOf(body: Partial<CreateWorkloadBody>): PartialRequest {
  return {
    name: body.name,
    host: body.host,
    allowedHosts: body.allowed_hosts,
    proxyPort: body.proxy_port || undefined,
    targetPort: body.target_port || undefined,
    targetHost: body.target_host || undefined,
    transport: wordOf(TRANSPORT_TYPES, body.transport),
    proxyMode: wordOf(PROXY_MODES, body.proxy_mode),
    cmdArguments: body.cmd_arguments,
    envVars: body.env_vars,
    secrets: body.secrets,
    labels: body.labels,
    caCertificate: body.ca_certificate || undefined,
    permissionProfile: body.permission_profile,
    isolateNetwork: body.network_isolation,
    volumes: body.volumes,
    limits: body.limits && {
      ...(body.limits.memory_bytes !== undefined && { memoryBytes: body.limits.memory_bytes }),
      ...(body.limits.cpus !== undefined && { cpus: body.limits.cpus }),
      ...(body.limits.pids !== undefined && { pids: body.limits.pids }),
    },
    readOnly: body.read_only,
    pullPolicy: body.pull_policy,
    imageVerification: body.image_verification,
    provenance: body.provenance,
  };
}
