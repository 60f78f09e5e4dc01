/** Installs programs from Debian's or Ubuntu's packages where that can be done: on such a system, as root. */
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CommandFailure, describeError } from "./errors.mjs";

/** Another apt may be at work, on a fresh machine more often than not. Seconds. */
const WAIT_FOR_LOCK = ["-o", "DPkg::Lock::Timeout=300"];

/** @param {string} program */
export function isInstalled(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @param {string} release Content of `/etc/os-release`. */
export function isDebianLike(release) {
  return /^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(release);
}

/** Whether this is root on Debian or Ubuntu. */
export function canInstall() {
  return process.platform === "linux" && process.getuid?.() === 0 && isDebianLike(readRelease());
}

/** Whether this is Debian itself. */
export function isDebian() {
  return /^ID="?debian"?$/m.test(readRelease());
}

function readRelease() {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return ""; // a system without that file is neither
  }
}

/**
 * @param {string} program
 * @param {string} packageName
 * @param {import("./run-command.mjs").Context} context
 * @returns {Promise<boolean>} Whether the program is installed now.
 */
export async function ensureProgram(program, packageName, { children, terminal }) {
  if (isInstalled(program)) return true;
  if (!canInstall()) {
    terminal.line(`  ${program} is not installed, and only root on Debian or Ubuntu installs it here.`);
    return false;
  }
  await terminal.step(`Install ${packageName} from the system's packages`, (onLine) =>
    installPackages([packageName], children, onLine),
  );
  return true;
}

/**
 * Debian has Chromium without its windows as a package of its own. Where it cannot be installed, tests run in the usual Chromium
 * (testing/src/chromium.ts).
 *
 * @param {import("./run-command.mjs").Context} context
 */
export async function installHeadlessShell(context) {
  if (!isDebian()) return;
  try {
    await ensureProgram("chromium-headless-shell", "chromium-headless-shell", context);
  } catch (error) {
    context.interrupted.throwIfAborted();
    context.terminal.line(describeError(error));
  }
}

/**
 * @param {readonly string[]} packages
 * @param {import("./children.mjs").Children} children
 * @param {(line: string) => void} [onLine]
 * @throws {CommandFailure} With the end of apt's output.
 */
export async function installPackages(packages, children, onLine) {
  const options = { cwd: "/", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, ...(onLine && { onLine }) };
  for (const args of [
    ["update", "-q"],
    ["install", "-y", "--no-install-recommends", ...packages],
  ]) {
    const { code, excerpt } = await children.run("apt-get", "apt-get", [...WAIT_FOR_LOCK, ...args], options);
    if (code !== 0) throw new CommandFailure(`apt-get ${args.join(" ")} ended with code ${code}:\n${excerpt}`);
  }
}
