/**
 * Where a container engine listens, and how one is found: a list of small strategies, tried in order.
 * Order: explicit variables first, then Podman's sockets, then Docker's (as the reference does), so that a machine with
 * both behaves the same with either tool.
 */
import { posix, win32 } from "node:path";
import { ThvError } from "@toolhive/core";

export type EngineAddress =
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

export interface EngineCandidate {
  readonly address: EngineAddress;
  /** Where the address comes from, for messages: a variable's name or a product. */
  readonly origin: string;
  /** Named by the user: when it does not answer, nothing else is tried. */
  readonly explicit: boolean;
}

interface DiscoveryInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Lists the places an engine may listen at, best first. @throws {ThvError} `INVALID_ARGUMENT` for a bad `DOCKER_HOST`. */
export function listEngineCandidates(input: DiscoveryInput): EngineCandidate[] {
  const explicit = findExplicitCandidate(input.env);
  if (explicit) return [explicit];
  return input.platform === "win32" ? listWindowsCandidates() : listUnixCandidates(input);
}

function findExplicitCandidate(env: DiscoveryInput["env"]): EngineCandidate | undefined {
  for (const origin of ["TOOLHIVE_PODMAN_SOCKET", "TOOLHIVE_DOCKER_SOCKET"] as const) {
    const path = env[origin];
    if (path) return { address: { kind: "socket", path }, origin, explicit: true };
  }
  const host = env.DOCKER_HOST;
  if (!host) return undefined;
  return { address: parseDockerHost(host), origin: "DOCKER_HOST", explicit: true };
}

function listUnixCandidates({ env, home }: DiscoveryInput): EngineCandidate[] {
  const runtimeDir = env.XDG_RUNTIME_DIR;
  const sockets: (readonly [origin: string, path: string | undefined])[] = [
    ["Podman", "/var/run/podman/podman.sock"],
    ["Podman, rootless", runtimeDir && posix.join(runtimeDir, "podman/podman.sock")],
    ["Podman machine", posix.join(home, ".local/share/containers/podman/machine/podman.sock")],
    ["Docker", "/var/run/docker.sock"],
    ["Docker, rootless", runtimeDir && posix.join(runtimeDir, "docker.sock")],
    ["Docker Desktop", posix.join(home, ".docker/run/docker.sock")],
    ["Docker Desktop for Linux", posix.join(home, ".docker/desktop/docker.sock")],
    ["Rancher Desktop", posix.join(home, ".rd/docker.sock")],
    ["Colima", posix.join(home, ".colima/default/docker.sock")],
    ["Colima", posix.join(home, ".config/colima/default/docker.sock")],
  ];
  return sockets.flatMap(([origin, path]) =>
    path ? [{ address: { kind: "socket", path } as const, origin, explicit: false }] : [],
  );
}

function listWindowsCandidates(): EngineCandidate[] {
  return [
    ["Podman", "podman-api"],
    ["Docker", "docker_engine"],
  ].map(([origin = "", pipe = ""]) => ({
    address: { kind: "socket", path: win32.join("\\\\.\\pipe\\", pipe) },
    origin,
    explicit: false,
  }));
}

/** Parses the forms of `DOCKER_HOST` that need no other program: `unix://`, `npipe://`, `tcp://` and `http://`. */
export function parseDockerHost(value: string): EngineAddress {
  // An empty path would be taken for this machine's port 80.
  const scheme = /^([a-z]+):\/\/./.exec(value)?.[1];
  switch (scheme) {
    case "unix":
      return { kind: "socket", path: value.slice("unix://".length) };
    case "npipe":
      return { kind: "socket", path: value.slice("npipe://".length).replaceAll("/", "\\") };
    case "tcp":
    case "http": {
      const url = URL.canParse(value.replace(/^tcp:/, "http:")) ? new URL(value.replace(/^tcp:/, "http:")) : undefined;
      if (url?.hostname) {
        // `URL` drops port 80 from an http address, and 2375 is Docker's plain port.
        const port = Number(/:(\d+)\/?$/.exec(value)?.[1] ?? 2375);
        return { kind: "tcp", host: url.hostname.replace(/^\[|\]$/g, ""), port };
      }
      break;
    }
    case "ssh":
    case "https":
      throw new ThvError("INVALID_ARGUMENT", `DOCKER_HOST is "${value}", and ${scheme}:// is not supported.`, {
        hint: "Forward the engine's socket to this machine and set DOCKER_HOST=unix:///path/to/docker.sock",
      });
  }
  throw new ThvError("INVALID_ARGUMENT", `DOCKER_HOST is "${value}", which is not an engine's address.`, {
    hint: "Use unix:///path/to/docker.sock or tcp://127.0.0.1:2375",
  });
}

export function formatAddress(address: EngineAddress): string {
  return address.kind === "socket" ? address.path : `tcp://${address.host}:${address.port}`;
}
