/** What may be reached: hosts and ports of a permission profile, and addresses that no name may lead to. */
import { BlockList, isIPv4 } from "node:net";
import { type OutgoingRules, parseNetwork, type SidecarRules } from "@toolhive/core/sidecar-rules";

/** This container, link-local (with the metadata services of clouds), multicast, and the rest that is no host's address. */
const NEVER = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["192.0.0.0", 24],
  ["224.0.0.0", 3],
] as const) {
  NEVER.addSubnet(network, prefix, "ipv4");
}

export class EgressPolicy {
  #rules: OutgoingRules;
  /** Networks of this container itself, its gateway among them; they stay closed whatever rules the supervisor sends later. */
  readonly #own: readonly string[];
  /** The machine's addresses and the engine's networks, with the siblings in them. */
  #closed = new BlockList();

  /** @param own Networks and addresses, besides those in the rules, that only an entry by address opens. */
  constructor(rules: SidecarRules, own: readonly string[] = []) {
    this.#rules = rules;
    this.#own = own;
    this.close(rules.closed);
  }

  /** Takes the place of the earlier list. @param networks `address/prefix`, or an address. */
  close(networks: readonly string[]): void {
    const closed = new BlockList();
    for (const network of [...this.#own, ...networks]) {
      const { address, prefix } = parseNetwork(network);
      closed.addSubnet(address, prefix, "ipv4");
    }
    this.#closed = closed;
  }

  /** Takes the place of what was let out before; connections that are open stay so. */
  replace(rules: OutgoingRules): void {
    this.#rules = rules;
  }

  /** Whether what is let out is to be written down. */
  get learns(): boolean {
    return this.#rules.learns === true;
  }

  /** Hosts and ports both have to match; an empty list of one matches when the other one is given. */
  allows(host: string, port: number): boolean {
    const { allowAll, ports } = this.#rules;
    if (allowAll) return true;
    return this.allowsName(host) && (ports.length === 0 || ports.includes(port));
  }

  /** Whether some port of the host may be reached. */
  allowsName(host: string): boolean {
    const { allowAll, hosts, ports } = this.#rules;
    if (allowAll) return true;
    if (hosts.length === 0) return ports.length > 0;
    const name = canonicalize(host);
    return hosts.some((entry) => matches(canonicalize(entry), name));
  }

  /**
   * Whether an address may be connected to. What leads to the machine itself or to another container has to be listed by
   * address: a name, also an allowed one, or the permission for everything do not open it.
   */
  allowsAddress(address: string): boolean {
    if (this.#rules.hosts.includes(address)) return true;
    if (!isIPv4(address)) return false;
    return !NEVER.check(address, "ipv4") && !this.#closed.check(address, "ipv4");
  }

  /** The members of `network.outbound` that would allow it, as they are written in a profile. */
  formatRefusal(host: string, port: number | undefined): string {
    const { hosts, ports } = this.#rules;
    // An empty list of hosts beside ports means every host, and one entry would close all others.
    const isEveryHost = hosts.length === 0 && ports.length > 0 && port !== undefined && !ports.includes(port);
    const hostPart = hosts.includes(host) || isEveryHost ? hosts : [...hosts, host];
    const needsPort = port !== undefined && ports.length > 0 && !ports.includes(port);
    const portPart = needsPort ? `, "allow_port": ${JSON.stringify([...ports, port])}` : "";
    return `"allow_host": ${JSON.stringify(hostPart)}${portPart}`;
  }
}

function canonicalize(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function matches(entry: string, name: string): boolean {
  if (entry.startsWith("*.")) return name.endsWith(entry.slice(1)) && name.length > entry.length - 1;
  if (entry.startsWith(".")) return name === entry.slice(1) || name.endsWith(entry);
  return name === entry;
}
