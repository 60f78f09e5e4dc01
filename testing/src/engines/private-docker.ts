/**
 * A Docker engine of our own: socket, data, bridge and networks that no other engine on the machine shares.
 * A second `dockerd` rebuilds the packet filter chains it finds, so with another one running ours keeps its hands off
 * them: ports published on the loopback address go through Docker's user-land proxy and work either way.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "../command.ts";
import { type EngineDaemon, startDaemon } from "./engine-daemon.ts";
import type { EngineRun } from "./engine-run.ts";

export interface PrivateEngineOptions {
  readonly run: EngineRun;
  /** First two bytes of the engine's networks. */
  readonly network: string;
  readonly signal: AbortSignal;
}

export async function startPrivateDocker({
  run,
  network,
  managesPacketRules,
  signal,
}: PrivateEngineOptions & { readonly managesPacketRules: boolean }): Promise<EngineDaemon> {
  const directory = join(run.directory, "docker");
  await mkdir(join(directory, "client"), { recursive: true });
  // Interface names are limited to 15 characters.
  const bridge = `thvd${run.name.slice(-6)}`;
  await mustRun("ip", ["link", "add", "name", bridge, "type", "bridge"]);
  await mustRun("ip", ["address", "add", `${network}.0.1/24`, "dev", bridge]);
  await mustRun("ip", ["link", "set", bridge, "up"]);

  const config = join(directory, "daemon.json"); // a file of our own, so that /etc/docker/daemon.json is not read
  const settings = {
    "data-root": join(directory, "data"),
    "exec-root": join(directory, "exec"),
    pidfile: join(directory, "docker.pid"),
    bridge,
    "default-address-pools": [{ base: `${network}.128.0/17`, size: 24 }],
    iptables: managesPacketRules,
    "ip-forward": managesPacketRules,
    "shutdown-timeout": 1,
  };
  await writeFile(config, JSON.stringify(settings));

  const socket = join(run.directory, "docker.sock");
  const host = `unix://${socket}`;
  return await startDaemon({
    run,
    program: "dockerd",
    args: ["--config-file", config, "--host", host],
    // Docker shares the system's containerd when it sees one there.
    privateFolders: ["/run/containerd"],
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
