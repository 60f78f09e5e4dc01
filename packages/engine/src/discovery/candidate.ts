/** Shared by the strategies that search for an engine. */
import type { EngineAddress } from "../connection/engine-address.ts";

export interface DiscoveryInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Address from the settings (`thv config set-engine`); empty: none. */
  readonly configured?: string | undefined;
  /** The folder above the system's sockets. Default `/`; tests have one of their own, because a machine may have engines. */
  readonly root?: string;
}

export interface EngineCandidate {
  readonly address: EngineAddress;
  /** The source of the address, for messages: a variable's name, a Docker context, a product. */
  readonly origin: string;
  /** Named by the user: when it does not answer, nothing else is tried. */
  readonly explicit: boolean;
}

/** A place that names an engine and cannot be used; the search continues. */
export interface UnusablePlace {
  readonly origin: string;
  /** Half a sentence. */
  readonly problem: string;
}

export type Place = EngineCandidate | UnusablePlace;

export function isUsable(place: Place): place is EngineCandidate {
  return "address" in place;
}
