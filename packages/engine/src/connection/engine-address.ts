/** Where a container engine listens: a socket or pipe, a port with or without TLS, or another machine behind `ssh`. */
import { ThvError } from "@toolhive/core";
import { formatUrlHost, isLoopback } from "@toolhive/http";

/** Paths of PEM files, as Docker's `ca.pem`, `cert.pem` and `key.pem`. */
export interface TlsFiles {
  /** Certificates that sign the engine's; absent: those that Node.js trusts. */
  readonly ca?: string;
  /** The certificate that identifies this client, with its key. */
  readonly cert?: string;
  readonly key?: string;
  /** Accepts any certificate of the engine. */
  readonly skipsVerification: boolean;
}

export type EngineAddress =
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly tls?: TlsFiles }
  | {
      readonly kind: "ssh";
      readonly host: string;
      readonly user?: string;
      /** Absent: the one of the user's ssh settings. */
      readonly port?: number;
      /** Path of a private key; absent: those of the user's ssh settings. */
      readonly identity?: string;
      /** Socket on the other machine; absent: the one that the program there uses. */
      readonly path?: string;
      /** Program that talks to the engine there. */
      readonly program: "docker" | "podman";
    };

const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

interface ParseOptions {
  /** What named the address, for messages: a variable, a command, a file. */
  readonly origin: string;
  /** For `tcp://`. */
  readonly tls?: TlsFiles | undefined;
  /** For `ssh://`. Default `docker`. */
  readonly program?: "docker" | "podman";
}

/**
 * Parses `unix://`, `npipe://`, `tcp://`, `http://` and `ssh://[user@]host[:port][/path]`.
 *
 * @throws {ThvError} `INVALID_ARGUMENT`.
 */
export function parseEngineAddress(value: string, { origin, tls, program = "docker" }: ParseOptions): EngineAddress {
  // An empty path would mean this machine's port 80.
  const scheme = /^([a-z]+):\/\/./.exec(value)?.[1];
  switch (scheme) {
    case "unix":
      return { kind: "socket", path: value.slice("unix://".length) };
    case "npipe":
      return { kind: "socket", path: value.slice("npipe://".length).replaceAll("/", "\\") };
    case "tcp":
    case "http": {
      const address = parseTcp(value, tls);
      if (address) return address;
      break;
    }
    case "ssh": {
      const address = parseSsh(value, program);
      if (address) return address;
      break;
    }
    case "https":
      throw new ThvError("INVALID_ARGUMENT", `${origin} is "${value}", and https:// is not supported.`, {
        hint: "For TLS, use tcp://host:2376 and set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH",
      });
  }
  throw new ThvError("INVALID_ARGUMENT", `${origin} is "${value}", which is not an engine's address.`, {
    hint: "Use unix:///path/to/docker.sock, tcp://127.0.0.1:2375 or ssh://user@host",
  });
}

function parseTcp(value: string, tls: TlsFiles | undefined): EngineAddress | undefined {
  const text = value.replace(/^tcp:/, "http:");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname) return undefined;
  // `URL` drops port 80 from an http address.
  const port = Number(/:(\d+)\/?$/.exec(value)?.[1] ?? (tls ? TLS_PORT : PLAIN_PORT));
  return { kind: "tcp", host: url.hostname.replace(/^\[|\]$/g, ""), port, ...(tls && { tls }) };
}

function parseSsh(value: string, program: "docker" | "podman"): EngineAddress | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // ssh would read a host or a user that begins with a dash as an option. A password has no place in an address.
  if (!url?.hostname || /^-/.test(url.hostname) || /^(?:-|%2d)/i.test(url.username) || url.password !== "")
    return undefined;
  const path = decodeURIComponent(url.pathname);
  return {
    kind: "ssh",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    program,
    ...(url.username !== "" && { user: decodeURIComponent(url.username) }),
    ...(url.port !== "" && { port: Number(url.port) }),
    ...(path !== "" && path !== "/" && { path }),
  };
}

/** As `DOCKER_HOST` has it, but for a socket, which is its path. */
export function formatAddress(address: EngineAddress): string {
  switch (address.kind) {
    case "socket":
      return address.path;
    case "tcp":
      return `tcp://${formatUrlHost(address.host)}:${address.port}`;
    case "ssh": {
      const { user, host, port, path = "" } = address;
      return `ssh://${user === undefined ? "" : `${user}@`}${formatUrlHost(host)}${port === undefined ? "" : `:${port}`}${path}`;
    }
  }
}

/**
 * Whether the engine runs on another machine, so that its files and ports are not this machine's. Loopback is this machine
 * or a virtual machine on it, which shares its folders and forwards its ports.
 */
export function isRemoteAddress(address: EngineAddress): boolean {
  if (address.kind === "socket") return false;
  return !isLoopback(address.host);
}
