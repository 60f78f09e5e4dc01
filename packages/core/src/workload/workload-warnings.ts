/**
 * Warnings about a configuration before a user relies on it: rules that are not enforced, and mounts that give access to more
 * than a folder.
 */
import { basename, dirname, posix, relative, sep } from "node:path";
import { isLoopback } from "@toolhive/http";
import { type Directories, resolveDirectories } from "../files/directories.ts";
import { parseMountDeclaration } from "../permissions/mount-declaration.ts";
import { describeLearning, describeUnenforcedRules } from "./network-access.ts";
import type { RunConfig } from "./run-config.ts";

type Members = Pick<
  RunConfig,
  "name" | "isolate_network" | "learn_network" | "permission_profile" | "transport" | "volumes"
>;

/** The engine's API, under the names that engines on Linux and macOS give its socket. */
const ENGINE_SOCKET = /^(?:docker|docker\.raw|podman|podman-machine.*|containerd|crio|buildkitd)\.sock$/;
/** Where engines keep these sockets and their containers' files: a mount of the folder gives access to them. */
const ENGINE_FOLDERS = ["/run", "/var/run", "/run/podman", "/run/containerd", "/var/lib/docker", "/var/lib/containers"];
/** Settings, programs and the files of every user: nothing that one server needs as a whole. */
const MACHINE_FOLDERS: ReadonlySet<string> = new Set(
  ["etc", "usr", "bin", "sbin", "lib", "boot", "var", "opt", "home", "root", "Users"].map((name) => posix.sep + name),
);
/** File systems of the kernel: processes of other programs with their variables, devices, settings of the machine. */
const KERNEL_FOLDERS = ["/proc", "/sys", "/dev"];

interface WarningOptions {
  readonly directories?: Directories;
  /** Where links among its sources lead, by the path that was given. */
  readonly realSources?: ReadonlyMap<string, string>;
}

/** @returns One sentence for each; empty in the usual case. */
export function listWarnings(config: Members, options: WarningOptions = {}): string[] {
  return [...listNetworkWarnings(config), ...listMountWarnings(config, options)];
}

/** @returns Those that isolating the server's network ends. */
export function listNetworkWarnings(config: Members): string[] {
  return [describeUnenforcedRules(config) ?? [], describeLearning(config) ?? []].flat();
}

/** @returns Those that other mounts end. */
export function listMountWarnings(
  config: Members,
  { directories = resolveDirectories(), realSources = new Map() }: WarningOptions = {},
): string[] {
  const sources = listSources(config).flatMap((source) => [source, realSources.get(source) ?? []].flat());
  return [...new Set(sources)].flatMap((source) => describeExposure(source, directories) ?? []);
}

function listSources({ permission_profile: { read = [], write = [] } = {}, volumes = [] }: Members): string[] {
  const sources = [...read, ...write, ...volumes].flatMap((text) => {
    const declaration = parseMountDeclaration(text);
    // A damaged one is reported when the server starts, not by each list of servers.
    return typeof declaration === "string" ? [] : [declaration.source];
  });
  return [...new Set(sources)];
}

/** @param source Absolute path on this machine. */
function describeExposure(source: string, directories: Directories): string | undefined {
  if (ENGINE_SOCKET.test(basename(source))) {
    return `The server gets "${source}": whoever can talk to the container engine controls this machine. Mount it only for a server that you trust like an administrator.`;
  }
  if (dirname(source) === source) {
    return `The server gets "${source}", the whole file system with every file that you can use. Mount only the folders that it needs.`;
  }
  if (ENGINE_FOLDERS.includes(source)) {
    return `The server gets "${source}", where a container engine has its socket or its containers: with these, it controls this machine. Mount only the folders that it needs.`;
  }
  if (MACHINE_FOLDERS.has(source)) {
    return `The server gets "${source}", a folder of the whole machine and not of one program. Mount only the folders that it needs.`;
  }
  const kernel = KERNEL_FOLDERS.find((folder) => source === folder || source.startsWith(folder + posix.sep));
  if (kernel !== undefined) {
    return `The server gets "${source}", which belongs to this machine's kernel and shows other programs. Mount only folders with files of your own.`;
  }
  const own = Object.values(directories).find((folder) => contains(source, folder) || contains(folder, source));
  if (own === undefined) return undefined;
  return `The server gets "${source}", and with it ToolHive's own files in "${own}": settings, secrets and the state of every server. Mount a folder that does not contain them.`;
}

/** Whether `inner` is `outer` or lies below it. */
function contains(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path === "" || (path !== ".." && !path.startsWith(`..${sep}`) && path !== inner);
}

type Protection = Pick<
  RunConfig,
  "image_verification" | "pin_tools" | "changed_tools" | "limits" | "host" | "allowed_hosts" | "allow_insecure_http"
>;

/**
 * What a configuration gives up of the protection that a server has by default.
 *
 * @returns Half a sentence for each, without a full stop; empty in the usual case.
 */
export function listSwitchedOff(config: Protection): string[] {
  const { image_verification: verification, pin_tools: pins, changed_tools: changed, limits = {}, host } = config;
  const unlimited = [
    limits.memory_bytes === 0 ? "memory" : [],
    limits.cpus === 0 ? "CPUs" : [],
    limits.pids === 0 ? "processes" : [],
  ].flat();
  return [
    verification === "disabled" ? "the origin of its image is not verified" : [],
    pins === "off" ? "tools that change later are not held back" : [],
    changed === "allow" ? "a tool that has changed can be called before you accept it" : [],
    unlimited.length > 0 ? `it has no limit of ${unlimited.join(", ")}` : [],
    isLoopback(host) ? [] : `other machines can call it, at ${host}`,
    (config.allowed_hosts ?? []).length > 0 ? `clients may call it as ${config.allowed_hosts?.join(", ")}` : [],
    config.allow_insecure_http ? "its address is called without TLS" : [],
  ].flat();
}
