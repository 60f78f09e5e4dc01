/**
 * What a workload may reach, in a sentence: the only place where its network rules become words. `thv`, the API, the application
 * and the pages print it, and the test of the sidecar compares it with what the sidecar lets out.
 */
import { type NetworkMembers, resolveNetworkAccess, resolveOutgoing } from "../workload/network-access.ts";

interface ReachMembers extends NetworkMembers {
  /** Of a server that runs elsewhere. */
  readonly remote_url?: string | undefined;
}

const LIST = new Intl.ListFormat("en", { type: "conjunction" });
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * @returns For example `Only api.github.com, on port 443.` Words of hosts are those of a profile: `.domain` is that domain with
 *   everything below it.
 */
export function describeReach(config: ReachMembers): string {
  if (config.remote_url !== undefined) return "It runs elsewhere, where nothing here limits its network.";
  const access = resolveNetworkAccess(config);
  if (access === "none") return "Nothing, because it has no network.";
  const { allowAll, hosts, ports, learns = false } = resolveOutgoing(config);
  if (access === "open") {
    const isUnused = !allowAll && hosts.length + ports.length > 0;
    return `Every host, on every port, because ${isUnused ? "the rules of its profile are not enforced" : "nothing limits its network"}.`;
  }
  if (allowAll) {
    const learning = learns ? " Its network rules are being learned." : "";
    return `Every host, on every port, ${describeException(hosts)}.${learning}`;
  }
  if (hosts.length > 0) return `Only ${LIST.format(hosts)}, ${describePorts(ports)}.`;
  if (ports.length > 0) return `Every host, ${describePorts(ports)}, ${describeException(hosts)}.`;
  return "Nothing, because every connection is refused.";
}

function describePorts(ports: readonly number[]): string {
  if (ports.length === 0) return "on every port";
  return `on ${ports.length === 1 ? "port" : "ports"} ${LIST.format(ports.map(String))}`;
}

/** Where every host is open, those near by are not, but for addresses that the profile lists. */
function describeException(hosts: readonly string[]): string {
  const addresses = hosts.filter((host) => ADDRESS.test(host));
  const near = "except this machine and its containers";
  return addresses.length === 0 ? near : `${near} other than ${LIST.format(addresses)}`;
}
