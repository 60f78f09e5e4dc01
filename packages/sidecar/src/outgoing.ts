/** Connections to the outside: by name or address, to what the policy allows, at an address that was checked. */
import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import type { DenialLog } from "./policy/denial-log.ts";
import type { EgressPolicy } from "./policy/egress-policy.ts";
import type { LearnedLog } from "./policy/learned-log.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** The policy forbids it, which the log says already. */
export class Denied extends Error {}

export interface OutgoingOptions {
  readonly policy: EgressPolicy;
  readonly denials: DenialLog;
  readonly learned: LearnedLog;
}

/** @throws {Denied} When it is not allowed. @throws {Error} When it cannot be reached. */
export async function openConnection(host: string, port: number, options: OutgoingOptions): Promise<Socket> {
  const { policy, denials } = options;
  if (!policy.allows(host, port)) {
    denials.add(host, port);
    throw new Denied(`${host}:${port} is not allowed by the permission profile`);
  }
  const addresses = isIP(host) ? [host] : (await lookup(host, { all: true, family: 4 })).map(({ address }) => address);
  const usable = addresses.filter((address) => policy.allowsAddress(address));
  if (usable.length === 0) {
    const [address = host] = addresses;
    denials.add(
      address,
      port,
      address === host ? "an address of this machine or of its containers" : `the address of ${host}`,
    );
    throw new Denied(`${host} leads to ${address}, which only an address in allow_host allows`);
  }
  options.learned.add(host, port);
  let failure: unknown;
  for (const address of usable) {
    try {
      return await connectTo(address, port);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function connectTo(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error(`no answer from ${host}:${port}`)));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Joins two connections until either ends. */
export function joinConnections(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
}
