/**
 * The run configuration: everything needed to start one workload again, saved before anything is started.
 * One file a workload, `<state>/toolhive/runconfigs/<name>.json`, with the reference's member names (api-behaviour 4.14)
 * and two of ours: what the workload should be, and since when it exists.
 */
import * as Type from "typebox";
import { ACCESS_MEMBERS } from "../access/access-config.ts";
import { KEPT_MEMBERS, PROXY_MODES, TRANSPORT_TYPES } from "./create-request-schema.ts";

/** What the supervisor works towards. `removed` marks a deletion that was begun and has to be finished. */
export const DESIRED_STATES = ["running", "stopped", "removed"] as const;
export type DesiredState = (typeof DESIRED_STATES)[number];

export const RunConfigSchema = Type.Object({
  name: Type.String({ minLength: 1 }),
  container_name: Type.String({ minLength: 1 }),
  base_name: Type.String({ minLength: 1 }),
  /** Empty for a remote server, and then not in the file. */
  image: Type.String(),
  /** Address of a remote server; then there is no container. */
  remote_url: Type.Optional(Type.String({ minLength: 1 })),
  /** The package that the image is built from; absent for one that is pulled. */
  package_target: Type.Optional(Type.String({ minLength: 1 })),
  /** The registry source that its entry is from, unless that is the default one. No other source may change it. */
  registry_source: Type.Optional(Type.Object({ name: Type.String(), location: Type.String() })),
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
  /** Labels of the user; the program adds its own to each new container. */
  container_labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  isolate_network: Type.Optional(Type.Boolean()),
  /** As they were asked for, with absolute paths; absent for the defaults. */
  ...KEPT_MEMBERS,
  ...ACCESS_MEMBERS,
  desired_state: Type.Enum([...DESIRED_STATES]),
  /** Its server is stopped until the next call, and stays so under the next supervisor. */
  asleep: Type.Optional(Type.Boolean()),
  created_at: Type.String({ minLength: 1 }),
});

export type RunConfig = Readonly<Type.Static<typeof RunConfigSchema>>;
