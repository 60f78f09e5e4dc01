/**
 * The packet rules of the network namespace that a server shares with its sidecar, for `nft -f`. Only the sidecar's user
 * sends packets out. What the server sends over TCP is brought to the sidecar, its DNS questions too; the rest is refused.
 * They replace, in one step, those of an earlier sidecar in the same namespace: in a pod, a sidecar that ended leaves its own behind.
 */
import { isIPv6 } from "node:net";
import { DNS_PORT, PROBE_PORT, REDIRECT_PORT } from "@toolhive/core/sidecar-rules";

interface PacketRuleOptions {
  /** Of the sidecar's process. Both are random, so that no image can have been made for them. */
  readonly userId: number;
  readonly groupId: number;
  /** Where the engine's host is; published ports are reached from there. */
  readonly gateway: string | undefined;
  readonly ingressPort: number | undefined;
  /** Whether every address may reach the server's port, and the kubelet the sidecar's probe. */
  readonly inPod?: boolean;
  /**
   * Of this namespace's own interfaces, without loopback. The forwarder of a rootless engine is a process in the namespace that
   * connects to one of them, so the server's port is open there. A server gains nothing by it: what it sends to an address of its
   * own namespace stays there.
   */
  readonly addresses: readonly string[];
}

export function formatPacketRules(options: PacketRuleOptions): string {
  const { userId, groupId, ingressPort, addresses } = options;
  const own = `meta skuid ${userId} meta skgid ${groupId}`;
  const toServer =
    ingressPort === undefined
      ? ""
      : addresses
          .map((address) => `${isIPv6(address) ? "ip6" : "ip"} daddr ${address} tcp dport ${ingressPort} accept`)
          .join("\n    ");
  return `
add table inet toolhive
delete table inet toolhive
table inet toolhive {
  chain divert {
    type nat hook output priority -110; policy accept;
    ${own} accept
    meta nfproto ipv4 udp dport 53 redirect to :${DNS_PORT}
    meta nfproto ipv4 tcp dport 53 redirect to :${DNS_PORT}
    ip daddr 127.0.0.0/8 accept
    ${toServer}
    meta nfproto ipv4 meta l4proto tcp redirect to :${REDIRECT_PORT}
  }
  chain outgoing {
    type filter hook output priority 0; policy drop;
    ${own} accept
    ct state established,related accept
    ip daddr 127.0.0.11 drop
    ip daddr 127.0.0.0/8 accept
    ip6 daddr ::1 accept
    ${toServer}
    meta l4proto udp reject with icmpx type admin-prohibited
    meta l4proto tcp reject with tcp reset
  }
  chain incoming {
    type filter hook input priority 0; policy drop;
    iif lo accept
    ct state established,related accept
    ${formatIngress(options)}
  }
  chain passing {
    type filter hook forward priority 0; policy drop;
  }
}
`;
}

function formatIngress({ gateway, ingressPort, inPod = false }: PacketRuleOptions): string {
  if (inPod) return [PROBE_PORT, ...(ingressPort === undefined ? [] : [ingressPort])].map(formatAccept).join("\n    ");
  return gateway !== undefined && ingressPort !== undefined ? `ip saddr ${gateway} ${formatAccept(ingressPort)}` : "";
}

function formatAccept(port: number): string {
  return `tcp dport ${port} accept`;
}
