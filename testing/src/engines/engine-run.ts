/**
 * One run of private engines as a folder: everything the run puts on the machine can be found from the folder's name
 * (processes) and its record (networks), so that a later run can clean up after one that was killed. The engines' mounts
 * are in a namespace of their own and go with their processes.
 */
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { mustRun, runCommand } from "../command.ts";
import { deleteRule, listRules, removeDeadPodmanRules, removePodmanRules, TABLES, type Table } from "./packet-rules.ts";
import type { ProcessIdentity } from "./processes.ts";
import { commandLineOf, endProcesses, identify, isAlive, listProcessesOf, listProcessIds } from "./processes.ts";

/** What engines change of the machine and leave changed when they end. */
export interface ForwardingState {
  /** Content of `/proc/sys/net/ipv4/ip_forward`. */
  readonly ipForward: string;
  /** Lines of `iptables -S` for each table. */
  readonly rules: Readonly<Record<Table, readonly string[]>>;
}

const PREFIX = "thv-engines-";
const RECORD = "run.json";

/** What a run took of the machine, beside its folder. */
export interface RunRecord {
  readonly owner: ProcessIdentity;
  /** First two bytes of the private networks, for example `10.213`. */
  readonly networks: readonly string[];
  /** The machine's packet forwarding before any run of engines changed it. */
  readonly before: ForwardingState;
}

export interface EngineRun {
  /** Absolute; short enough for socket paths. */
  readonly directory: string;
  /** The folder's name, unique on this machine. */
  readonly name: string;
}

const IP_FORWARD = "/proc/sys/net/ipv4/ip_forward";

export async function createRun(owner: ProcessIdentity): Promise<EngineRun> {
  const directory = await mkdtemp(join(tmpdir(), PREFIX));
  // Homes of the tests are below it, and some belong to another user; what is not theirs has modes of its own.
  await chmod(directory, 0o711);
  const run = { directory, name: basename(directory) };
  // Another run that lives has changed the machine already; it knows what was there before.
  const [other] = await listOtherRuns(run);
  const before = other?.before ?? (await readForwardingState());
  await writeRecord(run, { owner, networks: [], before });
  return run;
}

export async function writeRecord({ directory }: EngineRun, record: RunRecord): Promise<void> {
  await writeFile(join(directory, RECORD), JSON.stringify(record));
}

export async function readRecord({ directory }: EngineRun): Promise<RunRecord> {
  return JSON.parse(await readFile(join(directory, RECORD), "utf8")) as RunRecord;
}

async function readForwardingState(): Promise<ForwardingState> {
  const ipForward = (await readFile(IP_FORWARD, "utf8")).trim();
  return { ipForward, rules: { filter: await listRules("filter"), nat: await listRules("nat") } };
}

/** Records of the runs on this machine but the given one, dead or alive. */
async function listOtherRuns(run: EngineRun): Promise<RunRecord[]> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX) && name !== run.name);
  // A folder without a record is from a run killed in its first millisecond, or one that another run removes now.
  const records = await Promise.all(
    names.map((name) => readRecord({ directory: join(tmpdir(), name), name }).catch(() => undefined)),
  );
  return records.filter((record) => record !== undefined);
}

/** Whether any Docker daemon but those of this run is on the machine. */
export async function hasOtherDocker(runName: string): Promise<boolean> {
  for (const pid of await listProcessIds()) {
    const commandLine = await commandLineOf(pid);
    if (/^(\S*\/)?dockerd(\s|$)/.test(commandLine) && !commandLine.includes(runName)) return true;
  }
  return false;
}

/** Runs on this machine whose owner is gone: they were killed before they could clean up. */
export async function listAbandonedRuns(): Promise<EngineRun[]> {
  const abandoned: EngineRun[] = [];
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const run = { directory: join(tmpdir(), name), name };
    // A folder without a record is from a run killed in its first millisecond, or one that another run removes now.
    const record = await readRecord(run).catch(() => undefined);
    if (record !== undefined && !(await isAlive(record.owner))) abandoned.push(run);
  }
  return abandoned;
}

/** Removes everything a run left on the machine. Safe to repeat. */
export async function removeRun(run: EngineRun): Promise<void> {
  const record = await readRecord(run);
  await endProcesses(await listProcessesOf(run.name), { graceMs: 0 });
  await removeLinks(record.networks);
  await removePodmanRules(record.networks);
  if ((await listOtherRuns(run)).length === 0) await restoreForwarding(record.before, run.name);
  await rm(run.directory, { recursive: true, force: true });
}

/** Frees the ports that engines published and never took back. Engines of living runs keep theirs. */
export async function removeDeadRules(): Promise<void> {
  const living = await listOtherRuns({ directory: "", name: "" });
  await removeDeadPodmanRules(living.flatMap(({ networks }) => networks));
}

interface Link {
  readonly ifname: string;
  readonly addr_info?: readonly { readonly family: string; readonly local?: string }[];
}

/** Bridges with an address in the run's networks. What hangs on them went with its network namespace. */
async function removeLinks(networks: readonly string[]): Promise<void> {
  const links = JSON.parse(await mustRun("ip", ["-json", "address"])) as Link[];
  const isOurs = ({ addr_info = [] }: Link) =>
    addr_info.some(({ family, local }) => family === "inet" && networks.some((net) => local?.startsWith(`${net}.`)));
  for (const { ifname } of links.filter(isOurs)) await runCommand("ip", ["link", "delete", ifname]);
}

/**
 * Puts back what the engines changed of the machine's packet forwarding. Rules of engines that are not ours stay: chains
 * of Docker while one runs, chains of Podman while any holds a rule.
 */
async function restoreForwarding(before: ForwardingState, runName: string): Promise<void> {
  const isDockerNeeded = await hasOtherDocker(runName);
  const now = await readForwardingState();
  // Podman's chains hold rules about its own mark at all times, and rules of another form while a container is up.
  const isPodmanNeeded = TABLES.some((table) =>
    now.rules[table].some((rule) => rule.startsWith("-A NETAVARK") && !rule.includes("mark 0x2000")),
  );
  const isNeeded = (chain: string) => (chain.startsWith("DOCKER") ? isDockerNeeded : isPodmanNeeded);
  for (const table of TABLES) {
    const added = now.rules[table].filter((rule) => !before.rules[table].includes(rule));
    const chains = added.filter((rule) => rule.startsWith("-N ")).map((rule) => rule.slice(3));
    const doomed = chains.filter((chain) => /^(DOCKER|NETAVARK)/.test(chain) && !isNeeded(chain));
    const isDoomed = (rule: string) =>
      rule.startsWith("-A ") && (doomed.some((chain) => rule.includes(` -j ${chain}`)) || / (br-|thvd)/.test(rule));
    for (const rule of added.filter(isDoomed)) {
      await deleteRule(table, rule);
    }
    for (const action of ["-F", "-X"])
      for (const chain of doomed) await runCommand("iptables", ["-t", table, action, chain]);
  }
  if (isDockerNeeded || isPodmanNeeded) return;
  if (before.rules.filter.includes("-P FORWARD ACCEPT")) await mustRun("iptables", ["-P", "FORWARD", "ACCEPT"]);
  if (before.ipForward !== now.ipForward) await writeFile(IP_FORWARD, `${before.ipForward}\n`);
}

/** This process as the owner of a run. */
export async function currentOwner(): Promise<ProcessIdentity> {
  const identity = await identify(process.pid);
  if (identity === undefined) throw new Error("This process does not find itself in /proc.");
  return identity;
}

/** First two bytes of a /16 in 10.0.0.0/8 that no interface or route of this machine uses. */
export async function pickNetwork(taken: readonly string[]): Promise<string> {
  const routes = await mustRun("ip", ["-4", "route", "show", "table", "all"]);
  const candidates = Array.from({ length: 127 }, (_, index) => `10.${index + 128}`);
  const free = candidates.filter(
    (net) => !taken.includes(net) && !routes.includes(` ${net}.`) && !routes.includes(`${net}.0.0`),
  );
  // Random, so that two runs that start at once rarely pick the same.
  const picked = free[Math.floor(Math.random() * free.length)];
  if (picked === undefined) throw new Error("Every network from 10.128 to 10.254 is in use on this machine.");
  return picked;
}
