/**
 * Who may talk to an endpoint: a web page can reach it too, directly or by rebinding its own name (DNS).
 * Host must name this machine or the configured address, Origin must be the endpoint's own or a configured one.
 */
import { isIP } from "node:net";
import { hostname } from "node:os";
import { isLoopback, normalizeHost, parseAuthority } from "@toolhive/http";

export interface GuardOptions {
  /** Address the endpoint listens on. */
  readonly host: string;
  readonly port: number;
  /** Further names, in lower case, with whatever port: a forwarder in front may have another one. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Host name of this machine. Default: the system's. */
  readonly machineName?: string;
}

/** Names by which containers call the machine of their engine. Nobody can register them: `internal` is reserved for such use. */
const NAMES_FROM_CONTAINERS = ["host.docker.internal", "gateway.docker.internal", "host.containers.internal"];

const WILDCARDS = new Set(["0.0.0.0", "::", ""]);

/** @param header Of HTTP/1.1: `name`, `name:port`, `[v6]:port`. */
export function isHostAllowed(header: string | undefined, options: GuardOptions): boolean {
  const { port, allowedHosts = [] } = options;
  const authority = header === undefined ? undefined : parseAuthority(header);
  if (authority === undefined) return false;
  const { name } = authority;
  if (allowedHosts.includes(name)) return true;
  if ((authority.port ?? 80) !== port) return false;
  const host = normalizeHost(options.host);
  if (isLoopback(name) || normalizeHost(name) === host) return true;
  // Only this machine reaches loopback, so no other name is needed.
  if (isLoopback(host)) return false;
  // Asking the system for its name costs 7 µs, a tenth of a small request, so it is asked last.
  const machineName = options.machineName ?? hostname();
  if (NAMES_FROM_CONTAINERS.includes(name) || name === machineName.toLowerCase()) return true;
  // When listening everywhere, any IP address is accepted: DNS rebinding needs a name.
  return WILDCARDS.has(host) && isIP(name) !== 0;
}

/**
 * Every server's endpoint is on this machine, so that one page of this machine must not count as all of them.
 *
 * @param host The request's own Host header, which was checked: a page served by this endpoint is allowed.
 * @param allowed Origins of other pages, in lower case.
 */
export function isOriginAllowed(
  origin: string | undefined,
  host: string | undefined,
  allowed: readonly string[] = [],
): boolean {
  if (origin === undefined) return true;
  const own = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  return (own !== undefined && own === host?.toLowerCase()) || allowed.includes(origin.toLowerCase());
}
