/** A note about the `npm start` that runs in this checkout, so that a second one can say where. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readSystemCode } from "./errors.mjs";

/** @typedef {{ pid: number, startTicks: string, site: string, api: string }} RunningNote */

const placeNote = (/** @type {string} */ root) => join(root, ".cache/start/running.json");

/** When a process started, where the system shows it (Linux): distinguishes it from a later one with the same id. */
function readStartTicks(/** @type {number} */ pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return ""; // another system, or no such process
  }
}

function isAlive(/** @type {RunningNote} */ { pid, startTicks }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (readSystemCode(error) !== "EPERM") return false;
  }
  return readStartTicks(pid) === startTicks;
}

/**
 * @param {string} root
 * @returns {RunningNote | undefined} `undefined` when nothing runs; a note whose writer was killed counts for nothing.
 */
export function findRunning(root) {
  try {
    const note = JSON.parse(readFileSync(placeNote(root), "utf8"));
    return isAlive(note) ? note : undefined;
  } catch (error) {
    if (readSystemCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * @param {string} root
 * @param {{ site: string, api: string }} addresses
 */
export function writeRunning(root, addresses) {
  const file = placeNote(root);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ pid: process.pid, startTicks: readStartTicks(process.pid), ...addresses }));
  return () => rmSync(file, { force: true });
}
