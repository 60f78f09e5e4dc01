/** A Docker engine of our own: socket, data and networks that no other engine on the machine shares. */
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type EngineDaemon, startDaemon } from "./engine-daemon.ts";
import type { EngineRun } from "./engine-run.ts";

export interface PrivateEngineOptions {
  readonly run: EngineRun;
  readonly signal: AbortSignal;
}

/** Docker keeps sockets of its parts in the first, shares the system's containerd when it sees one there, and writes a key into the other. */
export const DOCKER_FOLDERS = ["/run", "/etc/docker"] as const;

/** Docker raises both for the whole machine, so it finds them raised. */
const RAISED_SETTINGS = {
  "/proc/sys/kernel/keys/root_maxkeys": "1000000\n",
  "/proc/sys/kernel/keys/root_maxbytes": "25000000\n",
} as const;

interface DockerOptions extends PrivateEngineOptions {
  /** Default `docker`. */
  readonly name?: string;
  /** Where its programs are. Default: on the PATH. */
  readonly programs?: string;
  readonly args?: readonly string[];
}

export async function startPrivateDocker(options: DockerOptions): Promise<EngineDaemon> {
  const { run, signal, name = "docker", programs, args = [] } = options;
  const directory = join(run.directory, name);
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

  const socket = join(run.directory, `${name}.sock`);
  const host = `unix://${socket}`;
  return await startDaemon({
    run,
    program: programs === undefined ? "dockerd" : join(programs, "dockerd"),
    args: ["--config-file", config, ...args, "--host", host],
    privateFolders: DOCKER_FOLDERS,
    privateFiles: RAISED_SETTINGS,
    env: programs === undefined ? {} : { PATH: [programs, process.env.PATH ?? ""].join(delimiter) },
    engine: {
      kind: "docker",
      name,
      socket,
      host,
      command: ["docker", "--host", host],
      env: { DOCKER_CONFIG: join(directory, "client") },
      origin: "private",
    },
    signal,
  });
}
