/** The result that creating a workload would have, for `thv run --dry-run`. Values of variables are omitted. */
import * as Type from "typebox";
import { readOutbound } from "../permissions/permission-profile.ts";
import type { EngineInfo } from "../ports/container-engine.ts";
import { describeReach } from "../reach/network-reach.ts";
import { describeBuild, listReceivers, listUsedFiles } from "../reach/outward-settings.ts";
import { formatRemoteAddress } from "../remote/remote-address.ts";
import { listRemoteSecrets } from "../remote/remote-schema.ts";
import { formatSecretReference } from "../secrets/secret-reference.ts";
import { listMounts } from "../workload/mounts.ts";
import { resolveNetworkAccess } from "../workload/network-access.ts";
import { type RunConfig, RunConfigSchema } from "../workload/run-config.ts";
import { workloadUrl } from "../workload/workload.ts";
import { listSwitchedOff, listWarnings } from "../workload/workload-warnings.ts";
import { resolveLimits } from "./containers/container-spec.ts";
import type { ContainerUser } from "./containers/container-user.ts";
import { createImageMissingError } from "./containers/workload-image.ts";
import { listEngineWarnings } from "./places/engine-warnings.ts";

export const RunPlanSchema = Type.Object({
  name: Type.String(),
  image: Type.String(),
  image_from: Type.Enum(["engine", "pull", "refresh", "build", "remote"], {
    description:
      "Where the image comes from. `refresh`: the engine has it and checks for a newer one. `remote`: a remote server has no image.",
  }),
  package: Type.Optional(Type.String({ description: "Package that the image is built from." })),
  registry_source: Type.Optional(
    Type.String({ description: "Registry source of the entry, if it is not the default one, with its URL or path." }),
  ),
  arguments: Type.Array(Type.String()),
  transport: RunConfigSchema.properties.transport,
  url: Type.String({ description: "URL for MCP clients; its port is 0 until a port is chosen." }),
  port_chosen: Type.Boolean(),
  variables: Type.Array(Type.String(), { description: "Names only." }),
  secrets: Type.Array(Type.String(), { description: "References, `<name>,target=<variable>`." }),
  labels: Type.Record(Type.String(), Type.String()),
  mounts: Type.Array(
    Type.Object({
      source: Type.String(),
      target: Type.String(),
      read_only: Type.Boolean(),
      relabel: Type.Optional(Type.Enum(["shared", "private"])),
      real_source: Type.Optional(
        Type.String({ description: "Path after the links in `source` are resolved; absent if there are none." }),
      ),
    }),
    { description: "Folders and files of the permission profile and the volumes together." },
  ),
  user: Type.Optional(
    Type.Object(
      {
        id: Type.Optional(Type.String({ description: "`UID` or `UID:GID`; absent: the user that the image names." })),
        groups: Type.Array(Type.String(), { description: "Supplementary groups, as numbers." }),
        description: Type.String({ description: "Description of the user, and the reason for the choice." }),
      },
      { description: "User that the server runs as; absent while no engine answers." },
    ),
  ),
  network: Type.Object({
    reach: Type.String({
      description: "A sentence that describes what the server may reach.",
      examples: ["Only api.github.com, on port 443."],
    }),
    access: Type.Enum(["open", "none", "filtered"]),
    outbound: Type.Object(
      {
        allow_all: Type.Boolean(),
        hosts: Type.Array(Type.String()),
        ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 })),
      },
      { description: "Rules of the profile; only a `filtered` network enforces them." },
    ),
  }),
  limits: Type.Object(
    {
      memory_bytes: Type.Integer({ minimum: 0, description: "Memory in bytes, swap included." }),
      cpus: Type.Number({ minimum: 0, description: "Processors." }),
      pids: Type.Integer({ minimum: 0, description: "Processes and threads." }),
    },
    { description: "Limits, including defaults; 0: no limit." },
  ),
  read_only: Type.Boolean(),
  tokens_from: Type.Optional(
    Type.String({
      description: "Issuer of the tokens that callers need, or the URL of its keys. Absent: callers need no token.",
    }),
  ),
  build: Type.Optional(
    Type.String({
      description: "Base image and additional packages of a package's build. Absent: ToolHive's image, and no others.",
    }),
  ),
  files: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Files of this machine that ToolHive itself reads or writes for the server, one phrase each. Absent: none.",
    }),
  ),
  receivers: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Receivers of data about its calls, and authorization servers of its sign-in, one phrase each. Absent: none.",
    }),
  ),
  switched_off: Type.Array(Type.String(), {
    description: "Default protections that are turned off, one phrase each; usually empty.",
  }),
  warnings: Type.Array(Type.String(), {
    description:
      "Warnings, one sentence each: rules and limits that nothing enforces or only the supervisor does, mounts that expose more than a folder, and folders that the server cannot use.",
  }),
});

/** A type whose lists and members cannot be changed, at any depth. */
type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: ReadonlyDeep<T[Member]> }
    : T;

export type RunPlan = ReadonlyDeep<Type.Static<typeof RunPlanSchema>>;

export function buildRunPlan(
  draft: Omit<RunConfig, "port">,
  {
    proxyPort,
    isImageThere,
    user,
    engine,
    realSources,
  }: {
    proxyPort: number | undefined;
    isImageThere: boolean;
    user: ContainerUser | undefined;
    engine: EngineInfo | undefined;
    /** Where links among its sources lead. */
    realSources: ReadonlyMap<string, string>;
  },
): RunPlan {
  const {
    name,
    image,
    package_target,
    registry_source,
    cmd_args,
    transport,
    env_vars,
    secrets = [],
    container_labels = {},
  } = draft;
  const { allowAll, hosts, ports } = readOutbound(draft.permission_profile);
  const { memoryBytes, cpus, pids } = resolveLimits(draft);
  const tokensFrom = draft.oidc_config?.Issuer ?? draft.oidc_config?.JWKSURL;
  return {
    name,
    image,
    image_from: describeImageOrigin(draft, isImageThere),
    ...(package_target !== undefined && { package: package_target }),
    ...describeOrigin(registry_source),
    arguments: cmd_args,
    transport,
    url: workloadUrl({ ...draft, port: proxyPort ?? 0 }),
    port_chosen: proxyPort !== undefined,
    variables: Object.keys(env_vars),
    secrets,
    labels: container_labels,
    mounts: listMounts(draft).map(({ readOnly, ...mount }) => {
      const real = realSources.get(mount.source);
      return { ...mount, read_only: readOnly, ...(real !== undefined && { real_source: real }) };
    }),
    ...(user && describeUser(user)),
    network: {
      reach: describeReach(draft),
      access: resolveNetworkAccess(draft),
      outbound: { allow_all: allowAll, hosts, ports },
    },
    limits: { memory_bytes: memoryBytes, cpus, pids },
    read_only: draft.read_only ?? false,
    ...(tokensFrom !== undefined && { tokens_from: tokensFrom }),
    ...describeOutward(draft),
    switched_off: listSwitchedOff(draft),
    warnings: [...listWarnings(draft, { realSources }), ...listEngineWarnings({ engine, user }, draft)],
  };
}

/** The plan of a server that runs elsewhere: no image, no container, no limits. */
export function buildRemotePlan(draft: Omit<RunConfig, "port">, proxyPort: number | undefined): RunPlan {
  const { name, transport, remote_url = "", container_labels = {} } = draft;
  const tokensFrom = draft.oidc_config?.Issuer ?? draft.oidc_config?.JWKSURL;
  const { hostname, port, protocol } = new URL(remote_url);
  return {
    name,
    image: formatRemoteAddress(remote_url),
    image_from: "remote",
    ...describeOrigin(draft.registry_source),
    arguments: [],
    transport,
    url: workloadUrl({ ...draft, port: proxyPort ?? 0 }),
    port_chosen: proxyPort !== undefined,
    variables: [],
    secrets: listRemoteSecrets(draft).map(formatSecretReference),
    labels: container_labels,
    mounts: [],
    network: {
      reach: describeReach(draft),
      access: "open",
      outbound: { allow_all: false, hosts: [hostname], ports: [Number(port) || (protocol === "https:" ? 443 : 80)] },
    },
    limits: { memory_bytes: 0, cpus: 0, pids: 0 },
    read_only: false,
    ...(tokensFrom !== undefined && { tokens_from: tokensFrom }),
    ...describeOutward(draft),
    switched_off: listSwitchedOff(draft),
    warnings: [],
  };
}

function describeOrigin(origin: RunConfig["registry_source"]) {
  return origin === undefined ? {} : { registry_source: `${origin.name} (${origin.location})` };
}

function describeOutward(draft: Omit<RunConfig, "port">): Pick<RunPlan, "build" | "files" | "receivers"> {
  const [build, files, receivers] = [describeBuild(draft).trim(), listUsedFiles(draft), listReceivers(draft)];
  return {
    ...(build !== "" && { build }),
    ...(files.length > 0 && { files }),
    ...(receivers.length > 0 && { receivers }),
  };
}

function describeUser({ id, groups, description }: ContainerUser): Required<Pick<RunPlan, "user">> {
  return { user: { ...(id !== undefined && { id }), groups, description } };
}

/** @throws {ThvError} `IMAGE_NOT_FOUND` when it is not there and must not be pulled. */
function describeImageOrigin(
  { image, package_target, pull_policy }: Pick<RunConfig, "image" | "package_target" | "pull_policy">,
  isThere: boolean,
): RunPlan["image_from"] {
  if (package_target !== undefined) return isThere ? "engine" : "build";
  if (isThere) return pull_policy === "always" ? "refresh" : "engine";
  if (pull_policy === "never") throw createImageMissingError(image);
  return "pull";
}
