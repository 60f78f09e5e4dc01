/**
 * What a test run must leave of the machine as it was: network, packet rules, settings, mounts, control groups, files of
 * engines, what the machine's own engines hold, and what test runs leave behind. As lines by topic, so that two states can
 * be compared. What cannot be read here (another system, no rights, no such program) is empty, before and after alike.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { listEngineObjects } from "./engine-objects.mjs";

/** @typedef {Readonly<Record<string, readonly string[]>>} MachineState */
/**
 * @typedef {object} StateOptions
 * @property {string} [runId] Value of `TOOLHIVE_TEST_RUN` in this run's processes.
 * @property {readonly string[]} [engineHosts] `unix:///…` of engines whose objects belong to the machine. Default: the usual ones.
 */

/** Of these, a new one is a change; a missing one belonged to another run, which has ended or whose remains were removed. */
const ADDITIONS_ONLY = new Set(["control groups", "processes", "folders"]);
/** The kernel adds these itself with a module that it loads; their values are a change only when they were there before. */
const LOSSES_ONLY = new Set(["settings"]);
/** Counters among the settings, and what has no value to read. */
const VOLATILE_SETTINGS = /nf_conntrack_count|\/flush$|_available_/;
/** Prefix of the folders of private engines, see testing/src/engines/engine-run.ts. */
const RUN_FOLDER = "thv-engines-";
/** A home of a test, or a run's engines, in the text of a file. */
const FOLDER_OF_TESTS = /\/thv-(engines-)?\w{6}\b/;
const CGROUPS = "/sys/fs/cgroup";
/** Containers of the machine's own Podman, by their ids. */
const PODMAN_CONTAINERS = "/var/lib/containers/storage/overlay-containers";

const execute = promisify(execFile);

/** @param {string} command */
async function readLines(command) {
  const [program = "", ...args] = command.split(" ");
  const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } };
  const { stdout } = await execute(program, args, options).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter((line) => line.trim() !== "");
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // missing, removed meanwhile, or not ours to read
  }
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** @param {string} folder @returns {string[]} Paths of files below it. */
function filesBelow(folder) {
  return list(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

async function readLinks() {
  // The name, whether it is meant to be up, its size of packets, what it hangs on, its address: not what traffic makes of it.
  return (await readLines("ip -oneline link")).map((line) => {
    const [, name = "", flags = ""] = /^\d+: (\S+): <([^>]*)>/.exec(line) ?? [];
    const parts = [/ mtu \d+/, / master \S+/, / link\/\w+ \S+/].map((part) => part.exec(line)?.[0] ?? "");
    return `${name} ${flags.split(",").includes("UP") ? "up" : "down"}${parts.join("")}`;
  });
}

/** @param {string} line */
const withoutTimes = (line) =>
  line.replace(/ (expires|valid_lft|preferred_lft) \S+/g, "").replace(/ linkdown\b| dead\b|\\/g, "");

async function readAddresses() {
  const lines = await readLines("ip -oneline address");
  return lines.map((line) => withoutTimes(line.replace(/^\d+: /, ""))).filter((line) => !line.includes(" temporary "));
}

async function readRoutes() {
  const commands = ["ip -4 route show table all", "ip -6 route show table all", "ip -4 rule", "ip -6 rule"];
  return (await Promise.all(commands.map(readLines))).flat().map(withoutTimes);
}

async function readPacketRules() {
  const saved = await Promise.all(["iptables-save", "ip6tables-save"].map(readLines));
  const rules = saved.flat().map((line) => line.replace(/ \[\d+:\d+\]$/, ""));
  return [...rules, ...(await readLines("nft --stateless list ruleset"))].filter((line) => !line.startsWith("#"));
}

function readSettings() {
  return ["/proc/sys/net", "/proc/sys/kernel/keys"]
    .flatMap(filesBelow)
    .filter((path) => !VOLATILE_SETTINGS.test(path))
    .map((path) => `${path} ${read(path)?.trim() ?? ""}`);
}

/** @param {readonly string[]} otherRuns */
function readMounts(otherRuns) {
  // Fields by number: the path, its options, and behind a dash the type. A session's own folder exists as long as it.
  const lines = read("/proc/self/mountinfo")?.trim().split("\n") ?? [];
  return lines
    .map((line) => `${line.split(" ").slice(3, 6).join(" ")} ${line.split(" - ")[1] ?? ""}`)
    .filter((line) => !line.includes(" /run/user/") && !otherRuns.some((name) => line.includes(name)));
}

/** Whether somebody listens at a socket. @param {string} path @returns {Promise<boolean>} */
function isHeard(path) {
  return new Promise((resolve) => {
    const asked = connect(path, () => resolve(true));
    asked.once("error", () => resolve(false)).once("connect", () => asked.destroy());
  });
}

/** Names of engine runs that other test runs on this machine have in use, or, where it is known whose they are, have made. @param {string | undefined} runId */
async function listOtherRuns(runId) {
  const names = list(tmpdir()).filter(({ name }) => name.startsWith(RUN_FOLDER));
  // An owner in another process namespace has no entry in /proc here, but its socket answers.
  const heard = await Promise.all(names.map(({ name }) => isHeard(join(tmpdir(), name, "owner.sock"))));
  return names.flatMap(({ name }, at) => (isOfOthers(name, heard[at] === true, runId) ? [name] : []));
}

/** @param {string} name @param {boolean} isOwnerHeard @param {string | undefined} runId */
function isOfOthers(name, isOwnerHeard, runId) {
  const note = read(join(tmpdir(), name, "run.json"));
  if (note === undefined) return true; // it is being made, or removed
  /** @type {{ owner: { pid: number, startTime: string }, testRun?: string }} */
  const { owner, testRun } = JSON.parse(note);
  if (runId !== undefined && testRun !== undefined) return testRun !== runId;
  const { pid, startTime } = owner;
  const stat = read(`/proc/${pid}/stat`);
  const isSeen = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] === startTime;
  if (!isSeen) return isOwnerHeard;
  return !(runId !== undefined && read(`/proc/${pid}/environ`)?.includes(`TOOLHIVE_TEST_RUN=${runId}`));
}

/** Those of engines; a machine's others change at any time. @param {readonly string[]} otherRuns */
function readControlGroups(otherRuns) {
  const others = otherRuns.flatMap((name) => [
    name,
    ...list(join(tmpdir(), name, "podman/storage/overlay-containers")).map((entry) => entry.name),
  ]);
  others.push(...list(PODMAN_CONTAINERS).flatMap(({ name }) => (/^[0-9a-f]{64}$/.test(name) ? [name] : [])));
  const hierarchies = list(CGROUPS).some(({ name }) => name === "cgroup.procs")
    ? [""]
    : list(CGROUPS).map(({ name }) => name);
  const parents = ["", "docker", "libpod_parent", "machine.slice", "system.slice"];
  return hierarchies
    .flatMap((hierarchy) => parents.map((parent) => join(CGROUPS, hierarchy, parent)))
    .flatMap((parent) => list(parent).map(({ name }) => join(parent, name)))
    .filter(
      (path) =>
        /thv-engines-|docker\/|libpod-|docker-[0-9a-f]/.test(path) &&
        statSync(path, { throwIfNoEntry: false })?.isDirectory(),
    )
    .filter((path) => !others.some((name) => path.includes(name)));
}

/** @param {readonly string[]} otherRuns @param {string | undefined} runId */
function readProcesses(otherRuns, runId) {
  return list("/proc").flatMap(({ name: pid }) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    const command = read(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? "";
    const [run] = new RegExp(`${RUN_FOLDER}\\w+`).exec(command) ?? [];
    const isOfRun = run !== undefined && !otherRuns.includes(run);
    const isOurs =
      runId !== undefined && read(`/proc/${pid}/environ`)?.split("\0").includes(`TOOLHIVE_TEST_RUN=${runId}`);
    return command !== "" && (isOfRun || isOurs) ? [`${pid} ${command.slice(0, 200)}`] : [];
  });
}

/**
 * The supervisor of this user's own thv, which writes files and runs containers meanwhile.
 *
 * @param {string | undefined} runId One of this run's in the user's home is not the user's.
 */
function readSupervisor(runId) {
  const record = read(join(homedir(), ".local/state/toolhive/supervisor.json"));
  const pid = /"pid":\s*(\d+)/.exec(record ?? "")?.[1];
  const environment = pid === undefined ? undefined : read(`/proc/${pid}/environ`);
  if (environment === undefined || (runId !== undefined && environment.includes(`TOOLHIVE_TEST_RUN=${runId}`)))
    return [];
  return [`process ${pid}`];
}

/** Settings of engines, and the user's own files of engines and of thv, which tests have homes of their own for. */
function readFiles() {
  const home = homedir();
  const ofUser = [
    ".docker",
    ".config/containers",
    ".config/toolhive",
    ".local/state/toolhive",
    ".local/share/toolhive",
  ];
  const folders = ["/etc/docker", "/etc/containers", "/etc/cni", ...ofUser.map((folder) => join(home, folder))];
  return [...folders.flatMap(filesBelow), "/etc/resolv.conf", "/etc/hosts"].map((path) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode.toString(8);
    const text = read(path) ?? "";
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
    const [folder] = FOLDER_OF_TESTS.exec(text) ?? [];
    return `${path} ${mode} ${hash}${folder === undefined ? "" : ` naming ${folder}`}`;
  });
}

/** @param {StateOptions} [options] @returns {Promise<MachineState>} */
export async function readMachineState({ runId, engineHosts } = {}) {
  const otherRuns = await listOtherRuns(runId);
  const folders = list(tmpdir()).map(({ name }) => name);
  return {
    links: await readLinks(),
    addresses: await readAddresses(),
    routes: await readRoutes(),
    "packet rules": await readPacketRules(),
    settings: readSettings(),
    mounts: readMounts(otherRuns),
    "control groups": readControlGroups(otherRuns),
    processes: readProcesses(otherRuns, runId),
    folders: folders.filter((name) => name.startsWith(RUN_FOLDER) && !otherRuns.includes(name)),
    files: readFiles(),
    supervisor: readSupervisor(runId),
    ...(await listEngineObjects(engineHosts)),
  };
}

/**
 * Lines of `left` that `right` lacks, each as often as it is missing. @param {readonly string[]} left @param {readonly string[]}
 * right
 */
function subtract(left, right) {
  const rest = [...right];
  return left.filter((line) => {
    const index = rest.indexOf(line);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

/**
 * @param {MachineState} before
 * @param {MachineState} after
 * @returns {string[]} One line a difference: `links: gone: docker0 …` or `links: new: veth1 …`. Empty when the machine is as it was.
 */
export function compareStates(before, after) {
  const topics = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return topics.flatMap((topic) => {
    const [old, now] = [before[topic] ?? [], after[topic] ?? []];
    const gone = ADDITIONS_ONLY.has(topic) ? [] : subtract(old, now);
    const added = LOSSES_ONLY.has(topic) ? [] : subtract(now, old);
    return [...gone.map((line) => `${topic}: gone: ${line}`), ...added.map((line) => `${topic}: new: ${line}`)];
  });
}
