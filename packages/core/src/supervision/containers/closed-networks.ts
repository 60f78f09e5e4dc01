/**
 * Networks that an isolated server reaches only when its profile lists the address: this machine at each of its
 * addresses, and the networks of the engine, in which the other containers are.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { ContainerEngine, EngineInfo } from "../../ports/container-engine.ts";

interface ClosedNetworkOptions {
  /** Addresses of this machine. Default: the system's present ones. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * @returns IPv4 networks and addresses, sorted, without doubles. A sidecar closes IPv6 whole. @throws {ThvError} When
 * the engine cannot be asked.
 */
export async function listClosedNetworks(
  engine: ContainerEngine,
  { ownAddresses = listOwnAddresses, signal }: ClosedNetworkOptions = {},
): Promise<string[]> {
  const [networks, engineAddresses] = await Promise.all([engine.listNetworks({ signal }), listAddresses(engine.info)]);
  return [...new Set([...ownAddresses(), ...engineAddresses, ...networks])].sort();
}

function listOwnAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // An address on the loopback interface, as load balancers and name servers have, is one of this machine as well.
  return all
    .map(({ family, address }) => (family === "IPv4" ? address : ""))
    .filter((address) => address !== "" && !address.startsWith("127."));
}

/** Of the machine of an engine that is reached over the network. */
async function listAddresses({ isRemote, address }: EngineInfo): Promise<string[]> {
  if (!isRemote) return [];
  const host = URL.canParse(address) ? new URL(address).hostname : address;
  if (isIP(host) === 4) return [host];
  try {
    return (await lookup(host, { all: true, family: 4 })).map((found) => found.address);
  } catch {
    // It is reached over IPv6, or by a name of this machine only; its networks are closed all the same.
    return [];
  }
}
