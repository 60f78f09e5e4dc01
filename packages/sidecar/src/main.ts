/**
 * The sidecar of an isolated workload. In this order, so that nothing is open at any moment: packet rules, then rights are
 * given up, then it listens, then it says that it is ready; the server is started after that.
 */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeSync } from "node:fs";
import { networkInterfaces } from "node:os";
import {
  CLOSE_COMMAND,
  DNS_PORT,
  FAILURE_PREFIX,
  PROXY_PORT,
  parseRules,
  READY_LINE,
  REDIRECT_PORT,
  RULES_VARIABLE,
} from "@toolhive/core/sidecar-rules";
import { openClosedFile } from "./closed-file.ts";
import { DenialLog } from "./denial-log.ts";
import { createDnsServer, createDnsSocket } from "./dns-server.ts";
import { EgressPolicy } from "./egress-policy.ts";
import { EgressProxy } from "./egress-proxy.ts";
import { findGateway, findLinks } from "./gateway.ts";
import { loadPacketRules } from "./load-packet-rules.ts";
import { formatPacketRules } from "./packet-rules.ts";
import { createRedirectedServer } from "./redirected.ts";

/** Within the ids that user namespaces usually have, and above those that systems give out. */
const randomId = () => randomInt(20_000, 60_000);
const LOOPBACK = "127.0.0.1";
const MAX_CONNECTIONS = 1_024;

for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));

// Another process in the same container, which the supervisor starts when the machine's networks have changed.
if (process.argv[2] === CLOSE_COMMAND) {
  openClosedFile.write(process.argv[3] ?? "");
  process.exit(0);
}

const rules = parseRules(process.env[RULES_VARIABLE]);
const routes = readFileSync("/proc/self/net/route", "utf8");
const gateway = findGateway(routes);
const [userId, groupId] = [randomId(), randomId()];
const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
  all.filter(({ internal }) => !internal).map(({ address }) => address),
);
const { ingressPort } = rules;
const problem = loadPacketRules(formatPacketRules({ userId, groupId, gateway, ingressPort, addresses }));
if (problem !== undefined) {
  writeSync(process.stdout.fd, `${FAILURE_PREFIX}${problem}\n`);
  process.exit(1);
}
process.setgroups?.([]);
process.setgid?.(groupId);
process.setuid?.(userId);

const policy = new EgressPolicy(rules, [...findLinks(routes), ...(gateway === undefined ? [] : [gateway])]);
openClosedFile.follow((networks) => policy.close(networks));
const denials = new DenialLog(policy, (line) => process.stdout.write(`${line}\n`));
const proxy = new EgressProxy({ policy, denials });
const redirected = createRedirectedServer({ policy, denials, proxy });
const dns = createDnsSocket({ policy, denials });
const dnsOverTcp = createDnsServer({ policy, denials });
for (const server of [proxy.server, redirected, dnsOverTcp]) server.maxConnections = MAX_CONNECTIONS;
const listening = [proxy.server, redirected, dnsOverTcp, dns].map((each) => once(each, "listening"));
proxy.server.listen(PROXY_PORT, LOOPBACK);
redirected.listen(REDIRECT_PORT, LOOPBACK);
dnsOverTcp.listen(DNS_PORT, LOOPBACK);
dns.bind(DNS_PORT, LOOPBACK);
await Promise.all(listening);
process.stdout.write(`${READY_LINE}\n`);
