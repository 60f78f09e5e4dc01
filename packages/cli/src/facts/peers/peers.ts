/** Other people's SDKs on each way through this product: what they get there, compared with what they get without it. */
import data from "./peers.json" with { type: "json" };

export type PeerWay = "direct" | "remote" | "container" | "stdio" | "group" | "docs";

export interface PeerDifference {
  readonly way: PeerWay;
  readonly step: string;
  readonly reason: string;
}

/** One kind of server or client that an SDK can be. */
export interface PeerRow {
  readonly kind: string;
  /** Steps that gave a result without us, and those that failed. */
  readonly direct: string;
  /** Whether a server is started for each way, because the version ends for all clients at the first DELETE. */
  readonly serverForEachWay?: true;
  /** From what the same client gets without us. */
  readonly differences: readonly PeerDifference[];
}

/** As `peers.schema.json` describes it. */
export interface PeerFacts {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly language: "typescript" | "python" | "go" | "rust" | "java";
  readonly sdk: string;
  /** The peer whose client talks to its servers. */
  readonly client: string;
  readonly servers: readonly PeerRow[];
  readonly clients: readonly PeerRow[];
}

/** The ways to servers of peers. */
export function listServerWays(kind: string): readonly PeerWay[] {
  return kind === "stdio" ? ["direct", "stdio", "group"] : ["direct", "remote", "container", "group"];
}

/** The ways of peers that are clients. The documentation's server does not speak HTTP with SSE. */
export function listClientWays(kind: string): readonly PeerWay[] {
  const ways = ["direct", "remote", "container", "stdio", "group"] as const;
  return kind === "sse" ? ways : [...ways, "docs"];
}

export const PEERS = data.peers as readonly PeerFacts[];
