/** Whether a port is free, and who has it when it is not. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { CommandFailure, readSystemCode } from "./errors.mjs";

/**
 * @param {string} name Name of the variable, for the message.
 * @param {string | undefined} text
 * @param {number} fallback
 */
export function parsePort(name, text, fallback) {
  if (text === undefined || text === "") return fallback;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new CommandFailure(`${name} is "${text}", which is not a port number.`, {
    hint: `Use a number from 1 to 65535: ${name}=${fallback}`,
    exitCode: 64,
  });
}

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>}
 */
export async function isPortFree(port, host) {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => {
      if (readSystemCode(error) === "EADDRINUSE") resolve(false);
      else reject(new CommandFailure(`Port ${port} cannot be used: ${error.message}`, { exitCode: 7 }));
    });
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/**
 * Inodes of listening sockets on a port in a table of `/proc/net/tcp`'s form.
 * @param {string} table
 * @param {number} port
 */
export function parseListeners(table, port) {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === "0A")
    .map((fields) => fields[9] ?? "");
}

/**
 * @param {string} output Of `lsof -Fpc`: lines `pPID` and `cCOMMAND`.
 * @returns {string | undefined}
 */
export function parseLsof(output) {
  const pid = /^p(\d+)$/m.exec(output)?.[1];
  const command = /^c(.+)$/m.exec(output)?.[1];
  return pid === undefined ? undefined : `${command ?? "a process"} (pid ${pid})`;
}

/**
 * @param {number} port
 * @returns {string | undefined} For example `node server.mjs (pid 4711)`; `undefined` when the system does not name it.
 */
export function describePortOwner(port) {
  return process.platform === "linux" ? findInProc(port) : findWithLsof(port);
}

/** @param {number} port */
function findWithLsof(port) {
  try {
    return parseLsof(execFileSync("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"], { encoding: "utf8" }));
  } catch {
    return undefined; // no lsof here, or no permission: the message has no name
  }
}

/** @param {number} port */
function findInProc(port) {
  const inodes = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => parseListeners(read(table), port)));
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const isOwner = listDescriptors(pid).some((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? ""));
    if (isOwner) return `${read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 120)} (pid ${pid})`;
  }
  return undefined;
}

/** @param {string} pid */
function listDescriptors(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
      } catch {
        return ""; // closed since
      }
    });
  } catch {
    return []; // another user's process, or one that ended
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // ended since, or a system without IPv6
  }
}
