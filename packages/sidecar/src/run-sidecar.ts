/**
 * The sidecar of an isolated workload. In this order, so that nothing is open at any moment: packet rules, then rights are
 * given up, then it listens, then it says that it is ready; the server is started after that.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeSync } from "node:fs";
import { networkInterfaces } from "node:os";
import {
  CLOSED_FILE_VARIABLE,
  DNS_PORT,
  FAILURE_PREFIX,
  PROBE_PORT,
  PROXY_PORT,
  parseRules,
  READY_LINE,
  REDIRECT_PORT,
  RULES_VARIABLE,
  type SidecarRules,
} from "@toolhive/core/sidecar-rules";
import { closedNetworksFile, readClosedFile } from "./closed-file.ts";
import { createDnsServer, createDnsSocket } from "./dns/dns-server.ts";
import { readSearchDomains, SearchExpansions } from "./dns/search-expansions.ts";
import { EgressProxy } from "./egress-proxy.ts";
import { findGateway, findLinks } from "./packets/gateway.ts";
import { loadPacketRules } from "./packets/load-packet-rules.ts";
import { formatPacketRules } from "./packets/packet-rules.ts";
import { DenialLog } from "./policy/denial-log.ts";
import { EgressPolicy } from "./policy/egress-policy.ts";
import { LearnedLog } from "./policy/learned-log.ts";
import { createProbeServer } from "./probe-server.ts";
import { createRedirectedServer } from "./redirected.ts";
import { rulesFile } from "./rules-file.ts";

/** Within the ids that user namespaces usually have, and above those that systems give out. */
const randomId = () => randomInt(20_000, 60_000);
const LOOPBACK = "127.0.0.1";
const MAX_CONNECTIONS = 1_024;

interface SidecarSettings {
  readonly rules: SidecarRules;
  /** Path of the file that replaces the closed networks. Default: the one that the program itself writes when asked to. */
  readonly closedFile?: string | undefined;
}

/**
 * @param env Its `RULES_VARIABLE` is used, and in a pod `CLOSED_FILE_VARIABLE`.
 * @throws {Error} When they do not hold rules.
 */
export function readSidecarSettings(env: Readonly<Record<string, string | undefined>>): SidecarSettings {
  const rules = parseRules(env[RULES_VARIABLE]);
  const closedFile = env[CLOSED_FILE_VARIABLE];
  if (closedFile === undefined) return { rules };
  return { rules: { ...rules, closed: readClosedFile(closedFile) }, closedFile };
}

/**
 * Resolves when it is ready; it serves until the process ends. Ends the process itself when the rules cannot be brought into
 * force, and on SIGTERM and SIGINT.
 */
export async function runSidecar({ rules, closedFile }: SidecarSettings): Promise<void> {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));
  const { ingressPort, inPod = false } = rules;
  const routes = readFileSync("/proc/self/net/route", "utf8");
  const gateway = findGateway(routes);
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal }) => !internal).map(({ address }) => address),
  );
  enforcePacketRules({ gateway, ingressPort, inPod, addresses });

  const policy = new EgressPolicy(rules, [...findLinks(routes), ...(gateway === undefined ? [] : [gateway])]);
  closedNetworksFile.follow((networks) => policy.close(networks), closedFile);
  rulesFile.follow((outgoing) => policy.replace(outgoing));
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const denials = new DenialLog(policy, write);
  const learned = new LearnedLog(policy, write);
  const proxy = new EgressProxy({ policy, denials, learned });
  const redirected = createRedirectedServer({ policy, denials, learned, proxy });
  const expansions = new SearchExpansions(readSearchDomains());
  const dns = createDnsSocket({ policy, denials, expansions });
  const dnsOverTcp = createDnsServer({ policy, denials, expansions });
  for (const server of [proxy.server, redirected, dnsOverTcp]) server.maxConnections = MAX_CONNECTIONS;
  const listening = [proxy.server, redirected, dnsOverTcp, dns].map((each) => once(each, "listening"));
  proxy.server.listen(PROXY_PORT, LOOPBACK);
  redirected.listen(REDIRECT_PORT, LOOPBACK);
  dnsOverTcp.listen(DNS_PORT, LOOPBACK);
  dns.bind(DNS_PORT, LOOPBACK);
  await Promise.all(listening);
  // The last one: who gets an answer there knows that all others answer.
  if (inPod) await once(createProbeServer().listen(PROBE_PORT), "listening");
  process.stdout.write(`${READY_LINE}\n`);
}

/** Loads them as root, and becomes the one user whose packets they let out. */
function enforcePacketRules(options: Omit<Parameters<typeof formatPacketRules>[0], "userId" | "groupId">): void {
  const [userId, groupId] = [randomId(), randomId()];
  const problem = loadPacketRules(formatPacketRules({ ...options, userId, groupId }));
  if (problem !== undefined) {
    writeSync(process.stdout.fd, `${FAILURE_PREFIX}${problem}\n`);
    process.exit(1);
  }
  process.setgroups?.([]);
  process.setgid?.(groupId);
  process.setuid?.(userId);
}
