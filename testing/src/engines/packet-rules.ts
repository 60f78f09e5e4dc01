/**
 * Packet filter rules that engines leave behind when they are killed. Podman's publish ports of this machine to containers:
 * when these are gone, the port is a hole in which every connection hangs, whoever listens there later.
 */
import { networkInterfaces } from "node:os";
import { runCommand } from "../command.ts";

export const TABLES = ["filter", "nat"] as const;
export type Table = (typeof TABLES)[number];

/** Lines of `iptables -S`; none where there is no iptables, or no right to use it. */
export async function listRules(table: Table): Promise<string[]> {
  const { stdout } = await runCommand("iptables", ["-t", table, "-S"]).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter((line) => line !== "");
}

/** @param rule A line of `iptables -S` that begins with `-A`. */
export async function deleteRule(table: Table, rule: string): Promise<void> {
  await runCommand("iptables", ["-t", table, "-D", ...splitRule(rule).slice(1)]);
}

/** Removes Podman's rules about networks. @param networks First two bytes of each, for example `10.213`. */
export async function removePodmanRules(networks: readonly string[]): Promise<void> {
  for (const table of TABLES) {
    for (const rule of await listRules(table)) {
      if (networksOf(rule).some((network) => networks.includes(network))) await deleteRule(table, rule);
    }
  }
  await removeEmptyPodmanChains();
}

/** Removes Podman's rules about private networks that no running interface of this machine is in. @param except Networks in use. */
export async function removeDeadPodmanRules(except: readonly string[]): Promise<void> {
  const rules = [...(await listRules("filter")), ...(await listRules("nat"))];
  if (!rules.some((rule) => rule.includes("NETAVARK"))) return;
  const networks = new Set(rules.flatMap(networksOf));
  const addresses = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
  const isDead = (network: string) =>
    !except.includes(network) && !addresses.some((address) => address.startsWith(`${network}.`));
  await removePodmanRules([...networks].filter(isDead));
}

/** Networks of private engines (10.128 to 10.254) that a rule of Podman is about. */
function networksOf(rule: string): string[] {
  if (!rule.startsWith("-A ") || !rule.includes("NETAVARK")) return [];
  return [...rule.matchAll(/\b(10\.(?:12[89]|1[3-9]\d|2\d\d))\.\d/g)].map(([, network]) => network ?? "");
}

/** A published port leads to a chain, and a network has one: both stay when only the rules about addresses go. */
async function removeEmptyPodmanChains(): Promise<void> {
  const rules = await listRules("nat");
  const has = (start: string, part = "") => rules.some((rule) => rule.startsWith(start) && rule.includes(part));
  for (const rule of rules) {
    const [, port, chain] = /^-A NETAVARK-HOSTPORT-DNAT .*--dport (\d+) .*-j (NETAVARK-DN-\S+)$/.exec(rule) ?? [];
    if (chain !== undefined && !has(`-A ${chain} `, ` --dport ${port} `)) await deleteRule("nat", rule);
  }
  for (const rule of rules) {
    const [, chain] = /^-N (NETAVARK-(?:DN-)?[0-9A-F]{10,})$/.exec(rule) ?? [];
    if (chain === undefined || has(`-A ${chain} `, "10.") || has("-A POSTROUTING", `-j ${chain}`)) continue;
    for (const action of ["-F", "-X"]) await runCommand("iptables", ["-t", "nat", action, chain]);
  }
}

/** Splits a line of `iptables -S` into arguments; comments are quoted. */
function splitRule(rule: string): string[] {
  return [...rule.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
