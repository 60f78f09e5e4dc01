/**
 * The run configuration: everything needed to start one workload again, saved before anything is started.
 * One file a workload, `<state>/toolhive/runconfigs/<name>.json`, with the reference's member names (api-behaviour 4.14)
 * and two of ours: what the workload should be, and since when it exists.
 */
import { type Static, Type } from "typebox";
import { ACCESS_MEMBERS } from "../access/access-config.ts";
import { PermissionProfileSchema, ProvenanceSchema } from "../registry/registry-schema.ts";

/** Spec §4. */
export const TRANSPORT_TYPES = ["stdio", "sse", "streamable-http", "inspector"] as const;
export type TransportType = (typeof TRANSPORT_TYPES)[number];

export const PROXY_MODES = ["sse", "streamable-http"] as const;
export type ProxyMode = (typeof PROXY_MODES)[number];

/** What the supervisor works towards. `removed` marks a deletion that was begun and has to be finished. */
export const DESIRED_STATES = ["running", "stopped", "removed"] as const;
export type DesiredState = (typeof DESIRED_STATES)[number];

/** What becomes of an image that cannot prove its origin: nothing is looked at, it is said, or the workload does not start. */
export const IMAGE_VERIFICATIONS = ["disabled", "warn", "enabled"] as const;
export type ImageVerification = (typeof IMAGE_VERIFICATIONS)[number];

/** When the image is pulled: not at all, when the engine does not have it, or each time a container is made. */
export const PULL_POLICIES = ["never", "missing", "always"] as const;
export type PullPolicy = (typeof PULL_POLICIES)[number];

export const RunConfigSchema = Type.Object({
  name: Type.String({ minLength: 1 }),
  container_name: Type.String({ minLength: 1 }),
  base_name: Type.String({ minLength: 1 }),
  image: Type.String({ minLength: 1 }),
  /** Absent for `missing`. */
  pull_policy: Type.Optional(Type.Enum([...PULL_POLICIES])),
  /** The package that the image is built from; absent for one that is pulled. */
  package_target: Type.Optional(Type.String({ minLength: 1 })),
  /** Certificate that its build trusts instead of the one in the settings. */
  ca_certificate: Type.Optional(Type.String({ minLength: 1 })),
  cmd_args: Type.Array(Type.String()),
  transport: Type.Enum([...TRANSPORT_TYPES]),
  proxy_mode: Type.Enum([...PROXY_MODES]),
  host: Type.String({ minLength: 1 }),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  /** Names besides those of this machine by which clients may call the proxy, in lower case. */
  allowed_hosts: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  /** Port in the container; for sse and streamable-http. */
  target_port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
  /** Loopback address at which the proxy reaches the server's port; absent for 127.0.0.1. */
  target_host: Type.Optional(Type.String({ minLength: 1 })),
  env_vars: Type.Record(Type.String(), Type.String()),
  /** References, `<name>,target=<variable>`; the values are read at each start and never kept. */
  secrets: Type.Optional(Type.Array(Type.String())),
  /** The user's own; the program's are made anew for each container. */
  container_labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** From the request, else from the registry; its paths are absolute. Its network rules are enforced when isolated. */
  permission_profile: Type.Optional(PermissionProfileSchema),
  /** Mount declarations with absolute paths, over those of the profile. */
  volumes: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  isolate_network: Type.Optional(Type.Boolean()),
  /** Those that were asked for; the defaults stand for the rest. 0: no limit. */
  limits: Type.Optional(
    Type.Object({
      memory_bytes: Type.Optional(Type.Integer({ minimum: 0 })),
      cpus: Type.Optional(Type.Number({ minimum: 0 })),
      pids: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  read_only: Type.Optional(Type.Boolean()),
  /** Absent for `warn`. */
  image_verification: Type.Optional(Type.Enum([...IMAGE_VERIFICATIONS])),
  /** Where the image has to come from; from the request, else from the registry. */
  provenance: Type.Optional(ProvenanceSchema),
  ...ACCESS_MEMBERS,
  desired_state: Type.Enum([...DESIRED_STATES]),
  created_at: Type.String({ minLength: 1 }),
});

export type RunConfig = Readonly<Static<typeof RunConfigSchema>>;
