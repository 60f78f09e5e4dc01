/**
 * Which changes of the machine a test run has made. On a machine with other work, links, routes, rules, containers and files
 * change meanwhile: a run is responsible for those with its own mark, and only lists the rest.
 */
import { setTimeout as delay } from "node:timers/promises";
import { compareStates } from "./machine-state.mjs";

/** @typedef {import("./machine-state.mjs").MachineState} MachineState */
/** @typedef {{ readonly own: string[], readonly others: string[] }} Changes As `compareStates` writes them. */

/** Changes that stay count; the kernel, and another run, may be in the middle of something at the first check. */
const LOOKS = 10;
const LOOK_INTERVAL_MS = 1_000;
/** Names that only tests give: prefixes of their folders, images, namespaces and links. */
const MARK = /\bthv-|\btoolhive-test\b|\bmcp\/[\w-]+:test\b/;
/** The lists of these topics contain a run's own items only: other runs are omitted. */
const OF_RUNS = new Set(["processes", "folders"]);
/** Files of a user's own thv, which only a supervisor writes. */
const FILES_OF_THV = /\/(\.config|\.local\/(state|share))\/toolhive\//;

/** @param {string} change @returns {{ topic: string, line: string }} */
function parseChange(change) {
  const [, topic = "", line = ""] = /^(.+?): (?:gone|new): (.*)$/s.exec(change) ?? [];
  return { topic, line };
}

/**
 * @param {{ topic: string, line: string }} change
 * @param {{ isThvInUse: boolean }} context By a supervisor that is not of this run.
 */
function isOwn({ topic, line }, { isThvInUse }) {
  if (OF_RUNS.has(topic) || MARK.test(line)) return true;
  // Docker's are below one with a run's name; those of Podman are next to others, which `readMachineState` knows.
  if (topic === "control groups") return line.includes("libpod-");
  return topic === "files" && !isThvInUse && FILES_OF_THV.test(line);
}

/**
 * @param {MachineState} before
 * @param {MachineState} after
 * @returns {Changes}
 */
export function judgeChanges(before, after) {
  const changes = compareStates(before, after).filter((change) => parseChange(change).topic !== "supervisor");
  const context = { isThvInUse: [before, after].some(({ supervisor = [] }) => supervisor.length > 0) };
  const own = changes.filter((change) => isOwn(parseChange(change), context));
  return { own, others: changes.filter((change) => !own.includes(change)) };
}

/**
 * Checks again as long as something of the run exists.
 *
 * @param {MachineState} before
 * @param {() => Promise<MachineState>} look
 * @param {number} [intervalMs]
 * @returns {Promise<Changes>} Of the last check.
 */
export async function findChanges(before, look, intervalMs = LOOK_INTERVAL_MS) {
  let changes = judgeChanges(before, await look());
  for (let count = 1; changes.own.length > 0 && count < LOOKS; count += 1) {
    await delay(intervalMs);
    changes = judgeChanges(before, await look());
  }
  return changes;
}
