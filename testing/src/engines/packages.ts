/** Installs what private engines need from Debian's or Ubuntu's packages: only what is missing, with its progress. */
import { access, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { mustRun, runCommand } from "../command.ts";
import type { EngineKind } from "../lanes.ts";

interface Program {
  readonly program: string;
  readonly packageName: string;
}

/** What the network of a lane needs, whatever is in it. */
const NEEDED_BY_NETWORK: readonly Program[] = [
  { program: "ip", packageName: "iproute2" },
  { program: "slirp4netns", packageName: "slirp4netns" },
];

/** Programs by the package that has them. Podman's helpers are not on the PATH. */
const NEEDED_BY_ENGINES: readonly Program[] = [
  { program: "dockerd", packageName: "docker.io" },
  { program: "docker", packageName: "docker-cli" },
  { program: "podman", packageName: "podman" },
  { program: "runc", packageName: "runc" },
  { program: "conmon", packageName: "conmon" },
  { program: "/usr/lib/podman/netavark", packageName: "netavark" },
  { program: "/usr/lib/podman/aardvark-dns", packageName: "aardvark-dns" },
  { program: "catatonit", packageName: "catatonit" },
  { program: "iptables", packageName: "iptables" },
  { program: "/usr/sbin/nft", packageName: "nftables" },
  { program: "newuidmap", packageName: "uidmap" },
  { program: "rootlesskit", packageName: "rootlesskit" },
  // Where project files are pushed to.
  { program: "docker-registry", packageName: "docker-registry" },
];

/** What the newest Docker is built with, where Go is; see newest-docker.ts. */
const NEEDED_BESIDE_GO: readonly Program[] = [
  { program: "gcc", packageName: "gcc" },
  { program: "pkg-config", packageName: "pkg-config" },
  { program: "/usr/include/seccomp.h", packageName: "libseccomp-dev" },
];

/** Another apt may be at work, on a fresh machine more often than not. Seconds. */
const WAIT_FOR_LOCK = ["-o", "DPkg::Lock::Timeout=300"];

const SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

export async function isInstalled(program: string): Promise<boolean> {
  if (program.startsWith("/")) return await exists(program);
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  const found = await Promise.all(folders.map((folder) => exists(join(folder, program))));
  return found.includes(true);
}

/** Packages of the programs that are not on this machine. @param kinds Engines to start. */
export async function listMissingPackages(kinds: readonly EngineKind[]): Promise<string[]> {
  const needed = [
    ...NEEDED_BY_NETWORK,
    ...(kinds.length > 0 ? NEEDED_BY_ENGINES : []),
    ...(kinds.length > 0 && (await isInstalled("go")) ? NEEDED_BESIDE_GO : []),
  ];
  const states = await Promise.all(
    needed.map(async ({ program, packageName }) => ({ packageName, found: await isInstalled(program) })),
  );
  return states.filter(({ found }) => !found).map(({ packageName }) => packageName);
}

/** Whether private engines can be run here: Linux with apt, as root who may make namespaces. @returns Why not, or `undefined`. */
export async function findObstacle(): Promise<string | undefined> {
  if (process.platform !== "linux") return `this is ${process.platform}, not Linux`;
  if (process.getuid?.() !== 0) return "this user is not root";
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  const isDebian = /^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(release);
  if (!isDebian) return "this is neither Debian nor Ubuntu";
  const { code } = await runCommand("unshare", ["--net", "--mount", "true"]).catch(() => ({ code: 127 }));
  return code === 0 ? undefined : "this root may not make namespaces";
}

export interface InstallOptions {
  readonly onProgress: (message: string) => void;
}

/**
 * @throws {Error} With the end of apt's output.
 */
export async function ensurePackages({
  kinds,
  ...options
}: InstallOptions & { readonly kinds: readonly EngineKind[] }): Promise<void> {
  const missing = await listMissingPackages(kinds);
  if (missing.length > 0) await installPackages(missing, options);
}

/**
 * @throws {Error} With the end of apt's output.
 */
export async function installPackages(wanted: readonly string[], { onProgress }: InstallOptions): Promise<void> {
  let missing = wanted;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  onProgress("reading the package lists");
  await mustRun("apt-get", [...WAIT_FOR_LOCK, "update", "-qq"], { env });
  // Some releases have Docker's command line inside docker.io, others in a package of its own.
  const { code } = await runCommand("apt-cache", ["show", "docker-cli"]);
  if (code !== 0) missing = missing.map((name) => (name === "docker-cli" ? "docker.io" : name));
  // Tests with an image registry are left out, and say so, where the system has no package of one.
  const registry = await runCommand("apt-cache", ["show", "docker-registry"]);
  if (registry.code !== 0) missing = missing.filter((name) => name !== "docker-registry");
  const packages = [...new Set(missing)];
  if (packages.length === 0) return;
  onProgress(`installing ${packages.join(", ")}`);
  await mustRun("apt-get", [...WAIT_FOR_LOCK, "install", "-y", "--no-install-recommends", ...packages], {
    env,
    onOutput: (text) => {
      for (const line of text.split("\n")) if (/^(Setting up|Unpacking) /.test(line)) onProgress(line.trim());
    },
  });
}
