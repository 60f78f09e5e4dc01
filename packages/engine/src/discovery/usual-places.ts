/** The sockets and pipes at which engines listen unless they are configured otherwise, best first. */
import { posix, win32 } from "node:path";
import type { DiscoveryInput, EngineCandidate } from "./candidate.ts";

/** Podman before Docker, and the system's before the user's. */
export function listUsualPlaces({ env, home, platform, root = "/" }: DiscoveryInput): EngineCandidate[] {
  return (platform === "win32" ? listPipes() : listSockets({ env, home, root })).map(([origin, path]) => ({
    address: { kind: "socket", path },
    origin,
    explicit: false,
  }));
}

type Named = readonly [origin: string, path: string];

function listSockets({ env, home, root }: Required<Pick<DiscoveryInput, "env" | "home" | "root">>): Named[] {
  const runtime = (path: string) => (env.XDG_RUNTIME_DIR ? [posix.join(env.XDG_RUNTIME_DIR, path)] : []);
  const own = (path: string) => [posix.join(home, path)];
  const system = (path: string) => [posix.join(root, path)];
  const sockets: (readonly [origin: string, paths: readonly string[]])[] = [
    ["Podman", system("var/run/podman/podman.sock")],
    ["Podman, rootless", runtime("podman/podman.sock")],
    ["Podman machine", own(".local/share/containers/podman/machine/podman.sock")],
    ["Docker", system("var/run/docker.sock")],
    ["Docker, rootless", runtime("docker.sock")],
    ["Docker Desktop", own(".docker/run/docker.sock")],
    ["Docker Desktop for Linux", own(".docker/desktop/docker.sock")],
    ["OrbStack", own(".orbstack/run/docker.sock")],
    ["Rancher Desktop", own(".rd/docker.sock")],
    ["Colima", own(".colima/default/docker.sock")],
    ["Colima", own(".config/colima/default/docker.sock")],
    // Podman Desktop's machine, as WSL's distributions see it.
    ["Podman machine in WSL", system("mnt/wsl/podman-sockets/podman-machine-default/podman-user.sock")],
    ["Podman machine in WSL", system("mnt/wsl/podman-sockets/podman-machine-default/podman-root.sock")],
  ];
  return sockets.flatMap(([origin, paths]) => paths.map((path) => [origin, path] as const));
}

function listPipes(): Named[] {
  return [
    ["Podman", win32.join("\\\\.\\pipe\\", "podman-api")],
    ["Podman machine", win32.join("\\\\.\\pipe\\", "podman-machine-default")],
    ["Docker", win32.join("\\\\.\\pipe\\", "docker_engine")],
  ];
}
