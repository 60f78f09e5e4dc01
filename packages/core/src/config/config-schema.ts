/** The settings in `config.yaml`: members, defaults and bounds. Source: api-behaviour 11.2. */
import * as Type from "typebox";

/** Spec §5. Empty means that nothing was set up yet. */
export const CONFIG_SECRETS_PROVIDERS = ["", "encrypted", "1password", "none"] as const;

/** Further registries at most. */
export const MAX_REGISTRY_SOURCES = 10;

/** One further registry, beside the one of `registry_url`. */
const RegistrySourceSchema = Type.Object({
  name: Type.String(),
  /** `https://…`, `file://…` or an absolute path. */
  url: Type.String(),
  allow_private_ip: Type.Optional(Type.Boolean()),
});
export type RegistrySourceSetting = Readonly<Type.Static<typeof RegistrySourceSchema>>;

/** All objects are open: members of newer or older versions are kept without complaint. */
export const ConfigSchema = Type.Object(
  {
    /** Address of the update check; absent or empty turns it off. */
    update_check_url: Type.Optional(Type.String()),
    secrets: Type.Object({
      provider_type: Type.Enum([...CONFIG_SECRETS_PROVIDERS]),
      setup_completed: Type.Boolean(),
    }),
    clients: Type.Object({
      /** In the order of registration. */
      registered_clients: Type.Array(Type.String()),
      /** Groups of a client, by its id; absent for one that is in `default` alone. */
      groups: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
      auto_discovery: Type.Boolean(),
    }),
    /** `https://…`, `file://…`, an absolute path, or empty for the embedded registry. */
    registry_url: Type.String(),
    allow_private_registry_ip: Type.Boolean(),
    /** In the order in which a name is looked up, after `registry_url`; absent: there are none. */
    registry_sources: Type.Optional(Type.Array(RegistrySourceSchema, { maxItems: MAX_REGISTRY_SOURCES })),
    /** Address of the container engine, as `DOCKER_HOST` has it; absent or empty: the engine is searched for. */
    engine: Type.Optional(Type.String()),
    /** Of servers that are created without a time of their own; absent or 0: they do not sleep. */
    sleep_after_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000 })),
    /** Whether calls of servers are counted; absent: they are. */
    record_usage: Type.Optional(Type.Boolean()),
    /** Absolute path of a PEM file, or empty. */
    ca_certificate_path: Type.String(),
    otel: Type.Object({
      endpoint: Type.String(),
      /** Share of requests that are traced; absent means that it was not set, which 0 is not. */
      "sampling-rate": Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      "env-vars": Type.Array(Type.String()),
      /** Plain http for an endpoint without a scheme; absent: for one on this machine only. */
      insecure: Type.Optional(Type.Boolean()),
    }),
  },
  { $id: "Config" },
);

export type Config = Type.Static<typeof ConfigSchema>;

export const DEFAULT_CONFIG: Config = {
  secrets: { provider_type: "", setup_completed: false },
  clients: { registered_clients: [], auto_discovery: false },
  registry_url: "",
  allow_private_registry_ip: false,
  ca_certificate_path: "",
  otel: { endpoint: "", "env-vars": [] },
};
