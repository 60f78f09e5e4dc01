/** The body of `POST /containers/create`: what a container is made of, in the engines' words. */
import type { ContainerMount, ContainerSpec } from "@toolhive/core";
import type { SupportedLimits } from "./engine-json.ts";

/** Microseconds over which a share of the processors is measured; the kernel's own default. */
const CPU_PERIOD_US = 100_000;

/** The kernel's highest out-of-memory score; the starter of a process may raise it. */
const FIRST_CHOICE = 1000;

/** `/tmp` of a container whose root cannot be changed. */
const TMPFS = "rw,nosuid,nodev,size=256m,mode=1777";

/** The home of a user whom the image does not know. Package managers put programs there and run them; it counts as memory. */
const SCRATCH = "rw,nosuid,nodev,exec,size=1g,mode=1777";

interface CreateBodyOptions {
  /** Whether the engine has an init process for containers. */
  readonly init: boolean;
  /** Limits that the engine can enforce; it would refuse the others. */
  readonly limits: SupportedLimits;
  /** Whether the engine confines containers by SELinux labels. Default false. */
  readonly hasSelinux?: boolean;
}

export function buildCreateBody(
  spec: ContainerSpec,
  { init, limits, hasSelinux = false }: CreateBodyOptions,
): Record<string, unknown> {
  return {
    Image: spec.image,
    ...(spec.user !== undefined && { User: spec.user }),
    ...(spec.args.length > 0 && { Cmd: spec.args }),
    Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
    Labels: spec.labels,
    AttachStdin: spec.stdio,
    AttachStdout: spec.stdio,
    AttachStderr: spec.stdio,
    OpenStdin: spec.stdio,
    StdinOnce: false,
    Tty: false,
    ...(spec.publish && { ExposedPorts: { [`${spec.publish}/tcp`]: {} } }),
    HostConfig: {
      ...(spec.publish && {
        PortBindings: { [`${spec.publish}/tcp`]: [{ HostIp: spec.publishAddress ?? "127.0.0.1", HostPort: "" }] },
      }),
      ...buildNetworkMembers(spec),
      CapDrop: ["ALL"],
      ...(spec.capabilities && { CapAdd: spec.capabilities }),
      ...(spec.groups && spec.groups.length > 0 && { GroupAdd: spec.groups }),
      SecurityOpt: ["no-new-privileges", ...(hasSelinux && isUnlabelled(spec) ? ["label=disable"] : [])],
      ...buildLimitMembers(spec, limits),
      ...buildMountMembers(spec.mounts ?? []),
      ...(spec.readOnlyRoot && { ReadonlyRootfs: true }),
      ...buildTmpfsMembers(spec),
      LogConfig: buildLogMember(spec),
      // The supervisor restarts servers: a container that restarts by itself would have no reader and writer on its stdio.
      RestartPolicy: { Name: "no" },
      // A server that is process 1 ignores SIGTERM unless it handles it; an init process forwards it.
      ...(spec.init === false ? { Init: false } : init && { Init: true }),
    },
  };
}

/**
 * SELinux keeps a container from files without its label. A label would stay on the user's files for good, and shares know
 * none: the container is exempt instead, unless the user labels every mount.
 */
function isUnlabelled({ mounts = [] }: ContainerSpec): boolean {
  return mounts.some(({ relabel }) => relabel === undefined);
}

function buildTmpfsMembers({ readOnlyRoot = false, scratch }: ContainerSpec): Record<string, unknown> {
  const folders = { ...(readOnlyRoot && { "/tmp": TMPFS }), ...(scratch !== undefined && { [scratch]: SCRATCH }) };
  return Object.keys(folders).length === 0 ? {} : { Tmpfs: folders };
}

function buildLogMember({ isLogged = true }: ContainerSpec): Record<string, unknown> {
  if (!isLogged) return { Type: "none", Config: {} };
  // Bounded, or it would fill the disk.
  return { Type: "json-file", Config: { "max-size": "5m", "max-file": "2" } };
}

function buildNetworkMembers({ network, hosts = {} }: ContainerSpec): Record<string, unknown> {
  const entries = Object.entries(hosts).map(([name, address]) => `${name}:${address}`);
  return {
    ...(network && { NetworkMode: network === "none" ? network : `container:${network.joins}` }),
    ...(entries.length > 0 && { ExtraHosts: entries }),
  };
}

function buildLimitMembers({ limits }: ContainerSpec, supported: SupportedLimits): Record<string, unknown> {
  if (!limits) return {};
  const { memoryBytes, cpus, pids } = limits;
  const isMemoryBounded = memoryBytes > 0 && supported.memory;
  return {
    ...(isMemoryBounded && { Memory: memoryBytes }),
    // Where nothing bounds it, the kernel ends it first when the machine runs out of memory.
    ...(memoryBytes > 0 && !supported.memory && { OomScoreAdj: FIRST_CHOICE }),
    // Equal to the memory: no swap on top of it.
    ...(isMemoryBounded && supported.swap && { MemorySwap: memoryBytes }),
    // Not as `NanoCpus`: that is refused on a machine with fewer processors, where it would be no limit anyway.
    ...(cpus > 0 && supported.cpu && { CpuPeriod: CPU_PERIOD_US, CpuQuota: Math.round(cpus * CPU_PERIOD_US) }),
    ...(pids > 0 && supported.pids && { PidsLimit: pids }),
  };
}

function buildMountMembers(mounts: readonly ContainerMount[]): Record<string, unknown> {
  const relabelled = mounts.filter(({ relabel }) => relabel);
  const plain = mounts.filter(({ relabel }) => !relabel);
  return {
    // Unlike a bind of the older form, this one is refused when its source is missing.
    ...(plain.length > 0 && {
      Mounts: plain.map(({ source, target, readOnly }) => ({
        Type: "bind",
        Source: source,
        Target: target,
        ReadOnly: readOnly,
      })),
    }),
    // Only the older form knows SELinux labels.
    ...(relabelled.length > 0 && {
      Binds: relabelled.map(({ source, target, readOnly, relabel }) => {
        const label = relabel === "shared" ? "z" : "Z";
        return `${source}:${target}:${readOnly ? "ro" : "rw"},${label}`;
      }),
    }),
  };
}
