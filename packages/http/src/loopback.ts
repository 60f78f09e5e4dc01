/** What counts as this machine. One answer for Host headers, addresses in settings and where plain http is allowed. */
import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addAddress("::1", "ipv6");
// Also holds for IPv4 addresses that are written as IPv6.
loopback.addSubnet("127.0.0.0", 8, "ipv4");

/**
 * Whether a host is this machine's loopback interface: `localhost`, 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped to IPv6
 * (RFC 6890). Names are not resolved.
 *
 * @param host Without port, in any case; IPv6 with or without brackets, as a URL's `hostname` has it.
 */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  switch (isIP(bare)) {
    case 4:
      return bare.startsWith("127.");
    case 6:
      return loopback.check(bare, "ipv6");
    default:
      return bare.toLowerCase() === "localhost";
  }
}

/** Whether an exchange is safe from readers and writers on the network: https, or http to this machine. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
