/**
 * A Podman service of our own: socket, storage, configuration and networks that no other Podman on the machine shares.
 * `runc`, because Debian's `crun` refuses hybrid cgroups; both limits, because Podman otherwise raises `nproc` past a
 * hard limit it may not change.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type EngineDaemon, startDaemon } from "./engine-daemon.ts";
import type { PrivateEngineOptions } from "./private-docker.ts";

/** What any Podman of the tests needs to run here. */
export const COMMON_CONF = `[containers]
default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]
log_driver = "k8s-file"

[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
helper_binaries_dir = ["/usr/lib/podman", "/usr/libexec/podman", "/usr/local/libexec/podman"]
`;

/** Image registries of tests speak plain http on a port of this address, as Docker takes for granted. */
export const REGISTRIES_CONF = `unqualified-search-registries = ["docker.io"]
[[registry]]
location = "127.0.0.1"
insecure = true
`;

function formatContainersConf(directory: string): string {
  return `${COMMON_CONF}tmp_dir = "${directory}/tmp"
static_dir = "${directory}/storage/libpod"
volume_path = "${directory}/storage/volumes"

[network]
network_backend = "netavark"
network_config_dir = "${directory}/networks"
`;
}

/**
 * Addresses and names in use, network namespaces and the runtime's state are at fixed paths in the first when Podman runs as
 * root, what it knows of image registries is in the others.
 */
export const PODMAN_FOLDERS = ["/run", "/var/lib/containers", "/var/cache/containers"] as const;

/**
 * Each time that it is asked about itself, as each supervisor does when it starts, Podman asks the package manager which packages have
 * `runc` and `conmon`. That reads the files of all packages: it was a twelfth of all that the tests with engines computed.
 *
 * @returns The `PATH` of a Podman that finds no package manager.
 */
export async function hidePackageManager(directory: string, path: string): Promise<string> {
  const folder = join(directory, "no-packages");
  await mkdir(folder, { recursive: true });
  for (const program of ["rpm", "dpkg", "dpkg-query"]) {
    await writeFile(join(folder, program), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  }
  return [folder, path].join(delimiter);
}

export async function startPrivatePodman({ run, signal }: PrivateEngineOptions): Promise<EngineDaemon> {
  const directory = join(run.directory, "podman");
  for (const name of ["networks", "tmp", "storage"]) await mkdir(join(directory, name), { recursive: true });
  const files = {
    "containers.conf": formatContainersConf(directory),
    "storage.conf": `[storage]\ndriver = "overlay"\ngraphroot = "${directory}/storage"\nrunroot = "${directory}/run"\n`,
    "registries.conf": REGISTRIES_CONF,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);

  const socket = join(run.directory, "podman.sock");
  const host = `unix://${socket}`;
  const env = {
    CONTAINERS_CONF: join(directory, "containers.conf"),
    CONTAINERS_STORAGE_CONF: join(directory, "storage.conf"),
    CONTAINERS_REGISTRIES_CONF: join(directory, "registries.conf"),
  };
  return await startDaemon({
    run,
    program: "podman",
    args: ["system", "service", "--time=0", host],
    env: { ...env, PATH: await hidePackageManager(run.directory, process.env.PATH ?? "") },
    privateFolders: PODMAN_FOLDERS,
    engine: {
      kind: "podman",
      name: "podman",
      socket,
      host,
      command: ["podman", "--remote", "--url", host],
      env,
      origin: "private",
    },
    signal,
  });
}
