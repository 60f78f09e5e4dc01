/** The engines that are on this machine already, for those who are not root or not on Debian. */
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../command.ts";
import { readVersion } from "./engine-api.ts";
import type { EngineDescription } from "./engine-daemon.ts";

/** Where engines listen, first found first. `DOCKER_HOST` goes before all. */
export function listCandidateHosts(env: Readonly<Record<string, string | undefined>>, home: string): string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  const sockets = [
    "/var/run/docker.sock",
    join(home, ".docker/run/docker.sock"),
    join(home, ".docker/desktop/docker.sock"),
    join(home, ".colima/default/docker.sock"),
    join(home, ".rd/docker.sock"),
    ...(runtime === undefined ? [] : [join(runtime, "docker.sock"), join(runtime, "podman/podman.sock")]),
    "/run/podman/podman.sock",
  ];
  const named = env.DOCKER_HOST ? [env.DOCKER_HOST] : [];
  return [...named, ...sockets.map((socket) => `unix://${socket}`)];
}

async function findCommand(kind: EngineDescription["kind"], host: string): Promise<EngineDescription["command"]> {
  const commands: Record<EngineDescription["kind"], EngineDescription["command"]> = {
    docker: ["docker", "--host", host],
    podman: ["podman", "--remote", "--url", host],
  };
  const preferred = commands[kind];
  // Docker's command line speaks to both engines.
  const works = await runCommand(preferred[0], ["--version"]).then(
    ({ code }) => code === 0,
    () => false,
  );
  return works ? preferred : commands.docker;
}

/** At most one Docker and one Podman. */
export async function findHostEngines(): Promise<EngineDescription[]> {
  const found = new Map<string, EngineDescription>();
  for (const host of listCandidateHosts(process.env, homedir())) {
    const socket = host.startsWith("unix://") ? host.slice("unix://".length) : "";
    if (
      socket !== "" &&
      !(await access(socket).then(
        () => true,
        () => false,
      ))
    )
      continue;
    const answer = await readVersion(host).catch(() => undefined); // a socket nobody listens on, or not ours to use
    if (answer === undefined || found.has(answer.kind)) continue;
    const command = await findCommand(answer.kind, host);
    const { kind } = answer;
    found.set(kind, { kind, name: kind, socket, host, command, env: {}, origin: "of this machine" });
  }
  return [...found.values()];
}
