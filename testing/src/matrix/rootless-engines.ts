/** Engines that an ordinary user starts, as they are set up on a machine: configuration in the home, socket in the runtime folder. */
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type EngineDaemon, type OrdinaryUser, startDaemon } from "../engines/engine-daemon.ts";
import type { PrivateEngineOptions } from "../engines/private-docker.ts";
import { COMMON_CONF, hidePackageManager, REGISTRIES_CONF } from "../engines/private-podman.ts";
import { buildUserEnv } from "./ordinary-user.ts";

interface RootlessOptions extends PrivateEngineOptions {
  readonly user: OrdinaryUser;
}

async function makeFolder(path: string, { uid, gid }: OrdinaryUser): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  await chown(path, uid, gid);
}

/** Docker sees folders of its own in the place of these, as its own script for this has it. */
const OWN_FOLDERS = ["/run/docker", "/run/containerd", "/run/xtables.lock"];

/** The flags of Docker's own script for this, `dockerd-rootless.sh`, which not every system has at the same place. */
export async function startRootlessDocker({ run, user, signal }: RootlessOptions): Promise<EngineDaemon> {
  const socket = join(user.runtimeDir, "docker.sock");
  const host = `unix://${socket}`;
  return await startDaemon({
    run,
    program: "rootlesskit",
    args: [
      `--state-dir=${join(user.runtimeDir, "rootlesskit")}`,
      "--net=slirp4netns",
      "--mtu=65520",
      "--slirp4netns-sandbox=auto",
      "--slirp4netns-seccomp=auto",
      "--disable-host-loopback",
      "--port-driver=builtin",
      "--copy-up=/etc",
      "--copy-up=/run",
      "--propagation=rslave",
      ...["sh", "-c", `rm -f ${OWN_FOLDERS.join(" ")}; exec "$@"`, "sh"],
      ...["dockerd", "--host", host],
    ],
    env: buildUserEnv(user),
    privateFolders: [],
    engine: {
      kind: "docker",
      name: "rootless-docker",
      socket,
      host,
      command: ["docker", "--host", host],
      env: { DOCKER_CONFIG: join(run.directory, "docker/client") },
      origin: "private, rootless",
      owner: user,
    },
    signal,
  });
}

export async function startRootlessPodman({ run, user, signal }: RootlessOptions): Promise<EngineDaemon> {
  await mkdir(join(user.home, ".config"), { recursive: true });
  await chown(join(user.home, ".config"), user.uid, user.gid);
  const folder = join(user.home, ".config/containers");
  await makeFolder(folder, user);
  const files = {
    "containers.conf": COMMON_CONF,
    "storage.conf": `[storage]\ndriver = "overlay"\n`,
    "registries.conf": REGISTRIES_CONF,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);

  const sockets = join(user.runtimeDir, "podman");
  await makeFolder(sockets, user);
  const socket = join(sockets, "podman.sock");
  const host = `unix://${socket}`;
  const env = buildUserEnv(user);
  return await startDaemon({
    run,
    program: "podman",
    args: ["system", "service", "--time=0", host],
    env: { ...env, PATH: await hidePackageManager(run.directory, env.PATH ?? "") },
    privateFolders: [],
    engine: {
      kind: "podman",
      name: "rootless-podman",
      socket,
      host,
      command: ["podman", "--remote", "--url", host],
      env: {},
      origin: "private, rootless",
      owner: user,
    },
    signal,
  });
}
