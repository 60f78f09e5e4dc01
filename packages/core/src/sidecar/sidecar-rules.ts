/** What the supervisor tells a sidecar: one variable with JSON, and the addresses at which the server finds it. */

/** Variable of the sidecar's container that holds the rules. */
export const RULES_VARIABLE = "TOOLHIVE_SIDECAR_RULES";

/** Ports on the loopback address that the server and its sidecar share; a server rarely wants one of them. */
export const PROXY_PORT = 61_728;
export const DNS_PORT = 61_753;
export const REDIRECT_PORT = 61_780;

/** Line that a sidecar writes once its rules are in force and it answers. */
export const READY_LINE = "sidecar: ready";

/** Begin of the line that says why a sidecar ends before it is ready. */
export const FAILURE_PREFIX = "sidecar: failed: ";

/** Begin of each line about something that was refused. */
export const DENIAL_PREFIX = "network: denied ";

export interface SidecarRules {
  readonly allowAll: boolean;
  /** Exact names, `.domain` with everything below it, `*.domain` for what is below it, and IPv4 addresses. */
  readonly hosts: readonly string[];
  /** Empty: every port. */
  readonly ports: readonly number[];
  /** Port the server listens on, which the engine publishes. */
  readonly ingressPort?: number;
}

/** @throws {Error} For anything but rules. */
export function parseRules(text: string | undefined): SidecarRules {
  const value = JSON.parse(text ?? "") as Partial<SidecarRules>;
  const { allowAll, hosts, ports, ingressPort } = value;
  const isList = Array.isArray(hosts) && hosts.every((host) => typeof host === "string");
  const arePorts = Array.isArray(ports) && ports.every(isPort);
  if (typeof allowAll !== "boolean" || !isList || !arePorts || (ingressPort !== undefined && !isPort(ingressPort))) {
    throw new Error(`${RULES_VARIABLE} does not hold rules`);
  }
  return { allowAll, hosts, ports, ...(ingressPort !== undefined && { ingressPort }) };
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}
