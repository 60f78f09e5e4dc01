/** What the operator asks the cluster about itself, before it works and now and then. None of it is needed: rights may be missing. */
import { BlockList, isIPv4 } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import type { ClusterClient } from "../cluster/index.ts";
import type { JsonObject } from "../contract/index.ts";

export interface ClusterFacts {
  /** IPv4 networks of pods and Services, addresses of nodes and API servers, as far as they are known. */
  readonly networks: readonly string[];
  /** Issuer of service accounts' tokens, if it could be asked for. */
  readonly issuer: string | undefined;
  /** What the cluster did not say. */
  readonly unknown: readonly string[];
}

/** What a permission profile closes. */
const NETWORKS_OF = {
  services: "networks of Services",
  nodes: "networks of pods and addresses of nodes",
  servers: "addresses of API servers",
} as const;
const NETWORKS: readonly string[] = Object.values(NETWORKS_OF);

/** More networks than this are joined: every server with a permission profile has the list twice. */
const MAX_NETWORKS = 64;
/** Lengths of the prefixes that networks are joined to, until they are few enough. */
const WIDER = [20, 16, 12, 8];

interface FactsOptions {
  readonly client: ClusterClient;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export async function readClusterFacts({ client, env, log, signal }: FactsOptions): Promise<ClusterFacts> {
  const unknown: string[] = [];
  const ask = async (what: string, question: () => Promise<readonly string[]>): Promise<readonly string[]> => {
    try {
      return await question();
    } catch (error) {
      signal.throwIfAborted();
      unknown.push(what);
      log.info({ what, error: describeError(error) }, "cluster does not say");
      return [];
    }
  };
  const list = async (path: string, read: (object: JsonObject) => readonly (string | undefined)[]) => {
    const found: string[] = [];
    for await (const object of client.list(path, {}, { signal }))
      found.push(...read(object).filter((each) => each !== undefined));
    return found;
  };
  const [services, nodes, servers, [issuer]] = await Promise.all([
    ask(NETWORKS_OF.services, () => list("/apis/networking.k8s.io/v1/servicecidrs", ({ spec }) => spec?.cidrs ?? [])),
    ask(NETWORKS_OF.nodes, () =>
      list("/api/v1/nodes", ({ spec, status }) => [
        ...(spec?.podCIDRs ?? [spec?.podCIDR]),
        ...(status?.addresses ?? []).map(({ address }: JsonObject) => address),
      ]),
    ),
    ask(NETWORKS_OF.servers, async () => {
      const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
      const { endpoints } = await client.send({ path, signal });
      return (endpoints ?? []).flatMap(({ addresses }: { addresses: string[] }) => addresses);
    }),
    ask("issuer of tokens", async () => {
      const { issuer: said } = await client.send({ path: "/.well-known/openid-configuration", signal });
      return typeof said === "string" ? [said] : [];
    }),
  ]);
  const own = env.KUBERNETES_SERVICE_HOST;
  const networks = joinNetworks([...services, ...nodes, ...servers, ...(own ? [own] : [])]);
  return { networks, issuer, unknown: unknown.sort() };
}

/** @returns The networks that stay open, because neither the cluster nor a person has named them; empty when all are known. */
export function listOpenNetworks(
  { unknown }: Pick<ClusterFacts, "unknown">,
  named: readonly string[],
): readonly string[] {
  return named.length > 0 ? [] : unknown.filter((what) => NETWORKS.includes(what));
}

/** Milliseconds between two readings: a new node brings a network with it. */
const READ_MS = 600_000;

/**
 * Reads the networks again and again, until the signal is aborted.
 *
 * @param first What was known before. An answer that lacks more than this one did opens nothing: it is not used.
 */
export async function followNetworks(
  first: ClusterFacts,
  onChange: (networks: readonly string[]) => void,
  { intervalMs = READ_MS, ...options }: FactsOptions & { readonly intervalMs?: number },
): Promise<void> {
  let known = first.networks;
  const { signal } = options;
  try {
    for (;;) {
      await setTimeout(intervalMs, undefined, { signal });
      const { networks, unknown } = await readClusterFacts(options);
      const isWhole = unknown.every((what) => first.unknown.includes(what));
      if (!isWhole || JSON.stringify(networks) === JSON.stringify(known)) continue;
      known = networks;
      options.log.info({ networks: networks.length }, "the cluster's networks have changed");
      onChange(networks);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * @param found Networks and addresses; those that are not IPv4 are omitted.
 * @returns At most 64 networks that hold all of them, none within another one, sorted.
 */
export function joinNetworks(found: readonly string[]): readonly string[] {
  const networks = found.map((text) => (text.includes("/") ? text : `${text}/32`)).filter(isNetwork);
  for (const length of [32, ...WIDER]) {
    const joined = dropInner([...new Set(networks.map((network) => widen(network, length)))]);
    if (joined.length <= MAX_NETWORKS) return joined.sort();
  }
  // Every address, in halves: a NetworkPolicy cannot leave all out at once.
  return ["0.0.0.0/1", "128.0.0.0/1"];
}

function isNetwork(text: string): boolean {
  const [address = "", length = ""] = text.split("/");
  return isIPv4(address) && /^\d{1,2}$/.test(length) && Number(length) <= 32;
}

function widen(network: string, longest: number): string {
  const [address = "", length] = network.split("/");
  const kept = Math.min(Number(length), longest);
  const bits = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - kept);
  const first = Math.floor(bits / size) * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${kept}`;
}

function dropInner(networks: readonly string[]): string[] {
  const sorted = [...networks].sort((a, b) => Number(a.split("/")[1]) - Number(b.split("/")[1]));
  const covered = new BlockList();
  return sorted.filter((network) => {
    const [address = "", length] = network.split("/");
    if (covered.check(address)) return false;
    covered.addSubnet(address, Number(length));
    return true;
  });
}
