/** A Docker engine of our own: socket, data and networks that no other engine on the machine shares. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type EngineDaemon, startDaemon } from "./engine-daemon.ts";
import type { EngineRun } from "./engine-run.ts";

export interface PrivateEngineOptions {
  readonly run: EngineRun;
  readonly signal: AbortSignal;
}

/** Docker keeps sockets of its parts in the first, shares the system's containerd when it sees one there, and writes a key into the other. */
export const DOCKER_FOLDERS = ["/run", "/etc/docker"] as const;

export async function startPrivateDocker({ run, signal }: PrivateEngineOptions): Promise<EngineDaemon> {
  const directory = join(run.directory, "docker");
  await mkdir(join(directory, "client"), { recursive: true });
  const config = join(directory, "daemon.json"); // a file of our own, so that /etc/docker/daemon.json is not read
  const settings = {
    "data-root": join(directory, "data"),
    "exec-root": join(directory, "exec"),
    pidfile: join(directory, "docker.pid"),
    // With systemd, control groups would be units of the machine.
    "exec-opts": ["native.cgroupdriver=cgroupfs"],
    "cgroup-parent": `/${run.name}`,
    "shutdown-timeout": 1,
  };
  await writeFile(config, JSON.stringify(settings));

  const socket = join(run.directory, "docker.sock");
  const host = `unix://${socket}`;
  return await startDaemon({
    run,
    program: "dockerd",
    args: ["--config-file", config, "--host", host],
    privateFolders: DOCKER_FOLDERS,
    env: {},
    engine: {
      kind: "docker",
      socket,
      host,
      command: ["docker", "--host", host],
      env: { DOCKER_CONFIG: join(directory, "client") },
      origin: "private",
    },
    signal,
  });
}
