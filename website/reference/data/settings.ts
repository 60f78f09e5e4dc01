/** The purpose of each setting of `config.yaml`, in the reader's words. Types, bounds and defaults come from the schema. */
export interface SettingGuide {
  readonly meaning: string;
  readonly values: string;
  /** The commands that change it, or another way in which it changes. */
  readonly changedBy: string;
}

export const SETTING_GUIDE: Readonly<Record<string, SettingGuide>> = {
  "secrets.provider_type": {
    meaning: "Where secrets are kept",
    values: "`encrypted`, `1password`, `none`, or empty before the first setup",
    changedBy: "`thv secret setup`, `thv secret provider`",
  },
  "secrets.setup_completed": {
    meaning: "Whether a provider was chosen",
    values: "`true` or `false`",
    changedBy: "`thv secret setup`, `thv secret provider`",
  },
  "clients.registered_clients": {
    meaning: "Clients whose settings follow the servers",
    values: "List of names",
    changedBy: "`thv client register`, `setup`, `remove`",
  },
  "clients.groups": {
    meaning: "Groups of clients that follow another group than `default`",
    values: "Names of groups by the client's name",
    changedBy: "`thv client register --group`, `remove --group`",
  },
  "clients.auto_discovery": {
    meaning: "Kept for the reference's files; nothing is registered by itself",
    values: "`true` or `false`",
    changedBy: "Nothing",
  },
  registry_url: {
    meaning: "The registry in use",
    values: "`https://…`, `file://…`, an absolute path, or empty for the one that comes with `thv`",
    changedBy: "`thv config set-registry-url`, `unset-registry-url`",
  },
  registry_sources: {
    meaning:
      "Further registries beside it, in the order in which a name is looked up; each with `name`, `url` and `allow_private_ip`",
    values: "A list of at most ten",
    changedBy: "`thv registry source add`, `remove`",
  },
  allow_private_registry_ip: {
    meaning: "Whether the registry may be on this machine or a private network",
    values: "`true` or `false`",
    changedBy: "`thv config set-registry-url --allow-private-ip`",
  },
  engine: {
    meaning: "The container engine in use",
    values: "`unix://…`, `npipe://…`, `tcp://…` or `ssh://…`; absent or empty: `thv` searches for one",
    changedBy: "`thv config set-engine`",
  },
  sleep_after_seconds: {
    meaning: "Seconds without a call after which new servers sleep",
    values: "Whole seconds, at most a year; absent or 0: they do not sleep",
    changedBy: "`thv config set-sleep-after`",
  },
  record_usage: {
    meaning: "Whether calls of servers are counted",
    values: "`true` or `false`; absent: they are",
    changedBy: "`thv config set-usage`",
  },
  ca_certificate_path: {
    meaning: "Certificate that image builds and connections to remote servers trust",
    values: "Absolute path of a PEM file, or empty",
    changedBy: "`thv config set-ca-cert`, `unset-ca-cert`",
  },
  "otel.endpoint": {
    meaning: "Collector that traces go to",
    values: "`HOST` or `HOST:PORT`, with or without `http://` or `https://`; or empty",
    changedBy: "`thv config otel set-endpoint`, `unset-endpoint`",
  },
  "otel.insecure": {
    meaning: "Plain http for an endpoint without a scheme",
    values: "`true`, `false`; absent: for one on this machine only",
    changedBy: "`thv config otel set-insecure`, `unset-insecure`",
  },
  "otel.sampling-rate": {
    meaning: "Share of requests that is traced",
    values: "0 to 1; absent means not set",
    changedBy: "`thv config otel set-sampling-rate`, `unset-sampling-rate`",
  },
  update_check_url: {
    meaning:
      "Address that is asked for the newest version, at most once in four hours; nobody is asked when it is absent",
    values: '`https://…`, which answers `{"version": "v1.2.3"}`',
    changedBy: "Editing the file",
  },
  "otel.env-vars": {
    meaning: "Variables of this machine that are put on traces",
    values: "List of names",
    changedBy: "`thv config otel set-env-vars`, `unset-env-vars`",
  },
};
