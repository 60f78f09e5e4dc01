/**
 * Two small programs around the Inspector, which is not ours, as text for Node.js.
 */

/** Begin of the line that says why the command could not be started; a code of the system follows. */
export const GUARD_PREFIX = "guard: ";

/**
 * Runs the command in its arguments and ends it with everything it has started once standard input has ended: thv has exited
 * then, also when it was killed and could not do it itself. It leads their process group.
 */
export const GUARD = `
const { spawn, spawnSync } = require("node:child_process");
const [program, ...args] = process.argv.slice(1);
const isWindows = process.platform === "win32";
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], shell: isWindows });
child.on("error", ({ code }) => { console.error("${GUARD_PREFIX}" + code); process.exit(1); });
child.on("exit", (code) => process.exit(code ?? 1));
const end = () => {
  if (isWindows) spawnSync("taskkill", ["/T", "/F", "/PID", String(child.pid)]);
  else process.kill(-process.pid, "SIGKILL");
};
process.stdin.on("end", end).on("error", end).resume();
`;

/** Makes every server of a Node.js process that names no address listen on loopback: the Inspector's page would be on all. */
const LOOPBACK_ONLY = `
import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  const [first, second] = args;
  const isObject = typeof first === "object" && first !== null;
  if (isObject && first.port !== undefined && !first.host) args[0] = { ...first, host: "127.0.0.1" };
  else if (!isObject && /^\\d+$/.test(String(first)) && typeof second !== "string") args.splice(1, 0, "127.0.0.1");
  return listen.apply(this, args);
};
`;

/** For the variable `NODE_OPTIONS`, which reaches every process below. It may hold no blanks and quotes. */
export const LOOPBACK_OPTION = `--import=data:text/javascript,${encodeURIComponent(LOOPBACK_ONLY)}`;
