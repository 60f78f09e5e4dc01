/**
 * Addresses of this machine and of private networks. The person who sets the address of a registry or an issuer makes this
 * machine fetch it, which must not expose services that only this machine can reach.
 */
import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** IANA special-purpose address registries; the reference's list (api-behaviour 9), completed. */
const PRIVATE_RANGES: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
  ["::", 128],
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
];

/** IPv6 prefixes that carry an IPv4 address in their last 32 bits: mapped (RFC 4291) and NAT64 (RFC 6052). */
const EMBEDDING_PREFIXES = ["::ffff:", "64:ff9b::"];

const privateAddresses = new BlockList();
for (const [network, prefix] of PRIVATE_RANGES) {
  privateAddresses.addSubnet(network, prefix, isIP(network) === 4 ? "ipv4" : "ipv6");
}

/** @param address An IP address. Anything else counts as private, because its target is unknown. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, "").split("%", 1)[0] ?? "";
  const family = isIP(bare);
  if (family === 0) return true;
  if (family === 4) return privateAddresses.check(bare, "ipv4");
  const embedded = extractIpv4(bare);
  return embedded === undefined ? privateAddresses.check(bare, "ipv6") : isPrivateAddress(embedded);
}

function extractIpv4(address: string): string | undefined {
  // The URL parser writes IPv6 addresses in their one canonical form, with hexadecimal groups only.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const prefix = EMBEDDING_PREFIXES.find((each) => canonical.startsWith(each));
  if (prefix === undefined) return undefined;
  const groups = canonical.slice(prefix.length).split(":");
  if (groups.length > 2) return undefined;
  const [high, low] = groups.length === 2 ? groups : ["0", groups[0]];
  const value = Number.parseInt(high || "0", 16) * 65_536 + Number.parseInt(low || "0", 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

/**
 * Resolves a name as usual and keeps only public addresses.
 *
 * @param refuse Makes the error for a name that has none of these.
 */
export function lookupPublic(refuse: (address: string) => Error): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = (addresses ?? []).filter(({ address }) => !isPrivateAddress(address));
      const [first] = allowed;
      if (error) callback(error, "", 0);
      else if (!first) callback(refuse(addresses[0]?.address ?? hostname), "", 0);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
