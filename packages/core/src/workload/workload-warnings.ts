/** What a user should know about a configuration before relying on it: rules that nobody enforces, and mounts that hand over more than a folder. */
import { basename, dirname, posix, relative, sep } from "node:path";
import { type Directories, resolveDirectories } from "../files/directories.ts";
import { parseMountDeclaration } from "../permissions/mount-declaration.ts";
import { describeLearning, describeUnenforcedRules } from "./network-access.ts";
import type { RunConfig } from "./run-config.ts";

type Members = Pick<RunConfig, "isolate_network" | "learn_network" | "permission_profile" | "transport" | "volumes">;

/** The engine's API, under the names that engines on Linux and macOS give its socket. */
const ENGINE_SOCKET = /^(?:docker|docker\.raw|podman|podman-machine.*|containerd|crio|buildkitd)\.sock$/;
/** File systems of the kernel: processes of other programs with their variables, devices, settings of the machine. */
const KERNEL_FOLDERS = ["/proc", "/sys", "/dev"];

/** @returns One sentence for each; empty in the usual case. */
export function listWarnings(config: Members, directories: Directories = resolveDirectories()): string[] {
  return [
    ...[describeUnenforcedRules(config) ?? [], describeLearning(config) ?? []].flat(),
    ...listSources(config).flatMap((source) => describeExposure(source, directories) ?? []),
  ];
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
