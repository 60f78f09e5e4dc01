/** The rules that the supervisor passes to a sidecar in one variable, and the ports at which the server finds it. */

/** Variable of the sidecar's container that holds the rules. */
export const RULES_VARIABLE = "TOOLHIVE_SIDECAR_RULES";

/** Ports on the loopback address that the server and its sidecar share; a server rarely wants one of them. */
export const PROXY_PORT = 61_728;
export const DNS_PORT = 61_753;
export const REDIRECT_PORT = 61_780;

/** Port at which the kubelet asks whether the rules are in force; only in a pod, where the sidecar's output is not read. */
export const PROBE_PORT = 61_791;
/** Its only path. */
export const PROBE_PATH = "/healthz";

/** Line that a sidecar writes once its rules are in force and it answers. */
export const READY_LINE = "sidecar: ready";

/** Begin of the line that says why a sidecar ends before it is ready. */
export const FAILURE_PREFIX = "sidecar: failed: ";

/**
 * Variable with the path of a file that holds the closed networks as JSON, and that is followed. Where it is set, the rules' own list is
 * not used: the networks of a cluster change while its pods stay.
 */
export const CLOSED_FILE_VARIABLE = "TOOLHIVE_SIDECAR_CLOSED_FILE";

/** First argument that makes the sidecar's program replace the list of closed networks of the sidecar that runs; the list follows as JSON. */
export const CLOSE_COMMAND = "close";

/** Line that it writes when that is done. */
export const CLOSED_LINE = "sidecar: closed";

/** First argument that makes the sidecar's program replace what the sidecar that runs lets out; the rules follow as JSON. */
export const ALLOW_COMMAND = "allow";

/** Line that it writes when that is done. */
export const ALLOWED_LINE = "sidecar: allowed";

/** Begin of each line about something that was refused. */
export const DENIAL_PREFIX = "network: denied ";
/** Behind a name that was only looked up. */
export const LOOKED_UP = "its address was asked for";

/** Begin of each line about something that was let out while the rules are learned. */
export const LEARNED_PREFIX = "network: learned ";

/** What is let out. */
export interface OutgoingRules {
  readonly allowAll: boolean;
  /** Exact names, `.domain` with everything below it, `*.domain` for what is below it, and IPv4 addresses. */
  readonly hosts: readonly string[];
  /** Empty: every port. */
  readonly ports: readonly number[];
  /** Whether it writes down what it lets out. */
  readonly learns?: boolean;
}

export interface SidecarRules extends OutgoingRules {
  /** IPv4 networks and addresses that are open only when `hosts` has the address: the machine's own, and the engine's networks. */
  readonly closed: readonly string[];
  /** Port the server listens on, which the engine publishes. */
  readonly ingressPort?: number;
  /**
   * Whether it runs in a pod. There, the server's port answers every address, because proxies start and end and a NetworkPolicy
   * decides who may connect, and `PROBE_PORT` answers the kubelet. Otherwise only the engine's gateway reaches the server.
   */
  readonly inPod?: boolean;
}

/** For servers that honour proxy variables; traffic of the others is redirected to the sidecar. */
export function buildProxyEnv(): Record<string, string> {
  const proxy = `http://127.0.0.1:${PROXY_PORT}`;
  const direct = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
  };
}

/** @throws {Error} For anything but rules. */
export function parseRules(text: string | undefined): SidecarRules {
  if (!text) throw new Error(`${RULES_VARIABLE} is not set`);
  const value = JSON.parse(text) as Partial<SidecarRules>;
  const { closed, ingressPort, inPod = false } = value;
  const outgoing = readOutgoingRules(value);
  if (!outgoing || typeof inPod !== "boolean" || (ingressPort !== undefined && !isPort(ingressPort))) {
    throw new Error(`${RULES_VARIABLE} does not hold rules`);
  }
  return {
    ...outgoing,
    closed: parseClosed(closed),
    ...(ingressPort !== undefined && { ingressPort }),
    ...(inPod && { inPod }),
  };
}

/** @throws {Error} For anything but what is let out. */
export function parseOutgoingRules(text: string): OutgoingRules {
  const rules = readOutgoingRules(JSON.parse(text));
  if (!rules) throw new Error("these are no rules of what is let out");
  return rules;
}

function readOutgoingRules(value: Partial<OutgoingRules> | null): OutgoingRules | undefined {
  const { allowAll, hosts, ports, learns = false } = value ?? {};
  const areHosts = Array.isArray(hosts) && hosts.every((host) => typeof host === "string");
  const arePorts = Array.isArray(ports) && ports.every(isPort);
  if (typeof allowAll !== "boolean" || typeof learns !== "boolean" || !areHosts || !arePorts) return undefined;
  return { allowAll, hosts, ports, ...(learns && { learns }) };
}

/** @throws {Error} For anything but a list of IPv4 networks. */
export function parseClosed(value: unknown): string[] {
  if (!Array.isArray(value)) throw new Error("the closed networks are no list");
  for (const network of value) parseNetwork(String(network));
  return value.map(String);
}

/** @param text `192.0.2.0/24`, or `192.0.2.7` for that address alone. @throws {Error} For anything but an IPv4 network. */
export function parseNetwork(text: string): { readonly address: string; readonly prefix: number } {
  const [, address = "", prefix = "32"] = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?$/.exec(text) ?? [];
  const isAddress = address !== "" && address.split(".").every((part) => Number(part) <= 255);
  if (!isAddress || Number(prefix) > 32) throw new Error(`"${text.slice(0, 60)}" is no IPv4 network`);
  return { address, prefix: Number(prefix) };
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}
