#!/usr/bin/env node
/**
 * Stands in for `systemctl --user`, because no systemd can be started where the tests run. It reads the unit as systemd does
 * as far as our units go, starts what it names as a process of its own, and says what it was asked in SYSTEMCTL_LOG.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [, , user, verb, ...rest] = process.argv;
const { HOME = "", XDG_CONFIG_HOME = join(HOME, ".config"), SYSTEMCTL_LOG = "", SYSTEMCTL_FAILS } = process.env;
const pidFile = `${SYSTEMCTL_LOG}.pid`;
appendFileSync(SYSTEMCTL_LOG, `${[user, verb, ...rest].join(" ")}\n`);
if (SYSTEMCTL_FAILS === verb) {
  console.error("Failed to connect to bus: No medium found");
  process.exit(1);
}

/** Words in quotes, as in systemd.syntax(7). */
function splitWords(text) {
  return [...text.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, word]) =>
    word.replace(/\\(.)/g, "$1").replaceAll("%%", "%").replaceAll("$$", "$"),
  );
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : undefined;
async function stop() {
  if (pid === undefined) return;
  if (isAlive(pid)) process.kill(pid, "SIGTERM");
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  rmSync(pidFile);
}

if (verb === "is-active") {
  const isRunning = pid !== undefined && isAlive(pid);
  console.log(isRunning ? "active" : "inactive");
  process.exit(isRunning ? 0 : 3);
}
if (verb === "disable") await stop();
if (verb === "restart") {
  await stop();
  const unit = readFileSync(join(XDG_CONFIG_HOME, "systemd/user", rest[0]), "utf8");
  const [program, ...args] = splitWords(/^ExecStart=(.*)$/m.exec(unit)[1]);
  const variables = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, text]) => splitWords(text));
  const env = { HOME, ...Object.fromEntries(variables.map((each) => each.split(/=(.*)/s).slice(0, 2))) };
  const child = spawn(program, args, { env, stdio: "ignore", detached: true });
  child.unref();
  writeFileSync(pidFile, String(child.pid));
}
