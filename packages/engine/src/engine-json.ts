/** The parts of an engine's JSON answers that we read, parsed once into the domain's types. */
import type { Container, ContainerEvent, ContainerState, LimitName, UserMapping } from "@toolhive/core";
import { ThvError } from "@toolhive/core";
import { toRecord } from "@toolhive/http/values";

type JsonObject = Record<string, unknown>;

export interface EngineVersion {
  readonly kind: "docker" | "podman";
  readonly version: string;
  readonly apiVersion: string;
  readonly minApiVersion: string;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function toTextMap(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(toRecord(value)).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** `GET /version`. Podman answers the same path and names itself among the components. */
export function parseVersion(raw: unknown): EngineVersion {
  const body = toRecord(raw);
  const components = Array.isArray(body.Components) ? body.Components.map(toRecord) : [];
  const podman = components.find((component) => /podman/i.test(toText(component.Name)));
  const apiVersion = toText(body.ApiVersion);
  if (!/^\d+\.\d+$/.test(apiVersion)) {
    throw new ThvError("ENGINE_FAILED", "What answers at the engine's address is not a container engine.", {
      hint: "Check DOCKER_HOST, TOOLHIVE_DOCKER_SOCKET and TOOLHIVE_PODMAN_SOCKET.",
    });
  }
  return {
    kind: podman ? "podman" : "docker",
    version: toText(podman?.Version) || toText(body.Version),
    apiVersion,
    minApiVersion: toText(body.MinAPIVersion) || apiVersion,
  };
}

/** Which limits an engine can enforce on this kernel. */
export interface SupportedLimits {
  readonly memory: boolean;
  readonly swap: boolean;
  readonly cpu: boolean;
  readonly pids: boolean;
}

const NO_LIMITS: SupportedLimits = { memory: false, swap: false, cpu: false, pids: false };

/**
 * A limit that an engine does not mention counts as supported. Podman reports to Docker's clients what root could limit: a
 * rootless one without control groups of version 2 limits nothing, and with them only what was delegated to its user.
 *
 * @param raw `GET /info`
 * @param podman Podman's own `GET /libpod/info`, which lists the controllers that it has.
 */
export function parseSupportedLimits(raw: unknown, podman?: unknown): SupportedLimits {
  const { MemoryLimit, SwapLimit, CpuCfsQuota, PidsLimit, CgroupVersion } = toRecord(raw);
  if (isRootless(raw) && toText(CgroupVersion) === "1") return NO_LIMITS;
  const { cgroupVersion, cgroupManager } = toRecord(toRecord(podman).host);
  // Without systemd a rootless Podman accepts limits and does not set them: github.com/containers/podman/issues/21575
  if (isRootless(raw) && cgroupVersion === "v2" && cgroupManager === "cgroupfs") return NO_LIMITS;
  const controllers = readControllers(podman);
  const can = (value: unknown, controller: string) =>
    value !== false && (controllers === undefined || controllers.includes(controller));
  return {
    memory: can(MemoryLimit, "memory"),
    swap: can(SwapLimit, "memory"),
    cpu: can(CpuCfsQuota, "cpu"),
    pids: can(PidsLimit, "pids"),
  };
}

/** @returns `undefined` where Podman does not list them. */
function readControllers(podman: unknown): readonly unknown[] | undefined {
  const { host, version } = toRecord(podman);
  const { cgroupVersion, cgroupControllers } = toRecord(host);
  if (cgroupVersion !== "v2" || !Array.isArray(cgroupControllers)) return undefined;
  // Before 4.0 a rootless one listed none, whatever it had: github.com/containers/podman/issues/11931
  const isSilent = cgroupControllers.length === 0 && /^[0-3]\./.test(toText(toRecord(version).Version));
  return isSilent ? undefined : cgroupControllers;
}

/**
 * `GET /info`.
 *
 * @param platform Of this machine, as Node.js names it. Engines for others than Linux run in a virtual machine.
 */
export function parseUserMapping(raw: unknown, platform: NodeJS.Platform): UserMapping {
  const { OperatingSystem } = toRecord(raw);
  if (platform !== "linux" || /^docker desktop/i.test(toText(OperatingSystem))) return "virtual-machine";
  if (isRootless(raw)) return "engine-user";
  return hasSecurityOption(raw, "userns") ? "shifted" : "same";
}

/** Docker lists it among the security options; Podman has a member of its own. */
function isRootless(raw: unknown): boolean {
  return hasSecurityOption(raw, "rootless") || toRecord(raw).Rootless === true;
}

/** `GET /info` lists what is on as `name=selinux` or `name=seccomp,profile=default`. */
export function hasSecurityOption(raw: unknown, name: string): boolean {
  const { SecurityOptions } = toRecord(raw);
  return (
    Array.isArray(SecurityOptions) && SecurityOptions.some((item) => toText(item).split(",")[0] === `name=${name}`)
  );
}

/** Podman's own `GET /libpod/info`: what it answers to Docker's call leaves SELinux out. */
export function parsePodmanSelinux(raw: unknown): boolean {
  return toRecord(toRecord(toRecord(raw).host).security).selinuxEnabled === true;
}

/** The limits that the domain knows by name and the engine does not keep. */
export function listMissingLimits({ memory, cpu, pids }: SupportedLimits): LimitName[] {
  return [
    ...(memory ? [] : ["memory" as const]),
    ...(cpu ? [] : ["cpus" as const]),
    ...(pids ? [] : ["pids" as const]),
  ];
}

/** `GET /containers/{id}/json`. */
export function parseInspectedContainer(raw: unknown): Container {
  const body = toRecord(raw);
  const config = toRecord(body.Config);
  const state = toRecord(body.State);
  return {
    id: toText(body.Id),
    name: toText(body.Name).replace(/^\//, ""),
    image: toText(config.Image),
    state: parseState(state.Status),
    labels: toTextMap(config.Labels),
    createdAt: new Date(toText(body.Created)),
    ...readPublishedPort(body),
    ...readNetworkAddress(body),
    ...readImageId(body),
    ...readStartedAt(state),
    ...(typeof state.Pid === "number" && state.Pid > 0 && { pid: state.Pid }),
    ...(typeof state.ExitCode === "number" && { exitCode: state.ExitCode }),
  };
}

/** `[{"IPAM": {"Config": [{"Subnet": "172.17.0.0/16"}]}}]`; IPv6 is omitted. */
export function parseNetworks(raw: unknown): string[] {
  const networks = Array.isArray(raw) ? raw : [];
  const configs = networks.flatMap((network) => toRecord(toRecord(network).IPAM).Config ?? []);
  return configs.map((config) => toText(toRecord(config).Subnet)).filter((subnet) => /^[\d.]+\/\d+$/.test(subnet));
}

/** We publish one port at most. `NetworkSettings.Ports` is `{"8080/tcp": [{"HostIp", "HostPort"}]}`. */
function readNetworkAddress(body: JsonObject): { networkAddress?: string } {
  const networks = Object.values(toRecord(toRecord(body.NetworkSettings).Networks));
  const addresses = networks.map((network) => toText(toRecord(network).IPAddress));
  const networkAddress = addresses.find((address) => address !== "");
  return networkAddress === undefined ? {} : { networkAddress };
}

/** The digest of its configuration. */
function readImageId(body: JsonObject): { imageId?: string } {
  const imageId = toText(body.Image);
  return imageId === "" ? {} : { imageId };
}

/** Engines report the year 1 for a container that was never started. */
function readStartedAt(state: JsonObject): { startedAt?: Date } {
  const at = Date.parse(toText(state.StartedAt));
  return at > 0 ? { startedAt: new Date(at) } : {};
}

function readPublishedPort(body: JsonObject): { publishedPort?: number } {
  for (const bindings of Object.values(toRecord(toRecord(body.NetworkSettings).Ports))) {
    const port = Number(Array.isArray(bindings) ? toRecord(bindings[0]).HostPort : undefined);
    if (Number.isInteger(port) && port > 0) return { publishedPort: port };
  }
  return {};
}

/** One element of `GET /containers/json`. */
export function parseListedContainer(raw: unknown): Container {
  const body = toRecord(raw);
  const names = Array.isArray(body.Names) ? body.Names : [];
  return {
    id: toText(body.Id),
    name: toText(names[0]).replace(/^\//, ""),
    image: toText(body.Image),
    state: parseState(body.State),
    labels: toTextMap(body.Labels),
    createdAt: new Date((typeof body.Created === "number" ? body.Created : 0) * 1000),
  };
}

function parseState(raw: unknown): ContainerState {
  switch (raw) {
    case "created":
    case "running":
    case "paused":
    case "restarting":
    case "removing":
    case "dead":
      return raw;
    // Podman's own words.
    case "configured":
    case "initialized":
      return "created";
    case "stopping":
      return "running";
    default:
      return "exited";
  }
}

/** Of an image: `repository@sha256:…` for every repository that it was pulled from. */
export function parseImageDigests(raw: unknown): string[] {
  const { RepoDigests: digests } = toRecord(raw);
  return Array.isArray(digests) ? digests.filter((item) => /@sha256:[0-9a-f]{64}$/.test(toText(item))) : [];
}

/** One line of `GET /events`; `undefined` for actions that we do not follow. */
export function parseEvent(raw: unknown): ContainerEvent | undefined {
  const body = toRecord(raw);
  const actor = toRecord(body.Actor);
  const attributes = toTextMap(actor.Attributes);
  const action = eventAction(toText(body.Action) || toText(body.status));
  if (!action) return undefined;
  const exitCode = Number(attributes.exitCode ?? attributes.containerExitCode);
  return {
    action,
    containerId: toText(actor.ID) || toText(body.id),
    containerName: attributes.name ?? "",
    ...(Number.isInteger(exitCode) && action === "die" && { exitCode }),
  };
}

/** Whether the container that an event is about carries every given label. */
export function hasLabels(raw: unknown, labels: Readonly<Record<string, string>>): boolean {
  const attributes = toTextMap(toRecord(toRecord(raw).Actor).Attributes);
  return Object.entries(labels).every(([key, value]) => attributes[key] === value);
}

function eventAction(action: string): ContainerEvent["action"] | undefined {
  switch (action) {
    case "start":
      return "start";
    case "die":
    case "died":
      return "die";
    case "destroy":
    case "remove":
      return "destroy";
    default:
      return undefined;
  }
}

/** The `error` of a pull message, if it is one. */
export function readPullError(raw: unknown): string | undefined {
  const { error } = toRecord(raw);
  return typeof error === "string" ? error : undefined;
}

/** What a build says: text to show, and the `error` that ends it. */
export function readBuildMessage(raw: unknown): { readonly text: string; readonly error: string | undefined } {
  const { stream, error } = toRecord(raw);
  return { text: toText(stream), error: typeof error === "string" ? error : undefined };
}

export function readCreatedId(raw: unknown): string {
  return toText(toRecord(raw).Id);
}
