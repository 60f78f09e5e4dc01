/** `npm start` on a machine without a container engine: installs Debian's Podman where it may. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { canInstall, installPackages, isInstalled } from "./system-packages.mjs";

/** Podman with what isolated servers need; thv serves its API by itself. */
const PACKAGES = ["podman", "netavark", "aardvark-dns", "catatonit", "iptables", "nftables", "uidmap", "slirp4netns"];
const VARIABLES = [
  "DOCKER_HOST",
  "CONTAINER_HOST",
  "DOCKER_CONTEXT",
  "TOOLHIVE_DOCKER_SOCKET",
  "TOOLHIVE_PODMAN_SOCKET",
];
/** Milliseconds that a daemon has to answer. */
const ANSWER_MS = 10_000;

/**
 * @typedef {{
 *   env: Readonly<Record<string, string | undefined>>,
 *   isInstalled: (program: string) => boolean,
 *   exists: (path: string) => boolean,
 *   accepts: (socket: string) => Promise<boolean>,
 *   succeeds: (program: string, args: readonly string[]) => Promise<boolean>,
 *   canInstall: () => boolean,
 * }} Machine
 */

/** @type {Machine} */
const THIS_MACHINE = { env: process.env, isInstalled, exists: existsSync, accepts, succeeds, canInstall };

/**
 * The places where thv searches for an engine on Linux, too: this runs before anything of thv is built.
 *
 * @param {{ env: Machine["env"], home: string }} place
 */
export function listSockets({ env, home }) {
  const runtime = env.XDG_RUNTIME_DIR;
  return [
    "/var/run/podman/podman.sock",
    ...(runtime ? [join(runtime, "podman/podman.sock"), join(runtime, "docker.sock")] : []),
    "/var/run/docker.sock",
    ...[
      ".local/share/containers/podman/machine/podman.sock",
      ".docker/run/docker.sock",
      ".docker/desktop/docker.sock",
      ".orbstack/run/docker.sock",
      ".rd/docker.sock",
      ".colima/default/docker.sock",
      ".config/colima/default/docker.sock",
    ].map((path) => join(home, path)),
    "/mnt/wsl/podman-sockets/podman-machine-default/podman-user.sock",
    "/mnt/wsl/podman-sockets/podman-machine-default/podman-root.sock",
  ];
}

/**
 * Whether there is an engine that can be reached or started. A command without its daemon is none: `docker` alone is usual in
 * container and CI images.
 *
 * @param {Machine} [machine]
 */
export async function hasEngine(machine = THIS_MACHINE) {
  const { env, isInstalled, accepts, succeeds } = machine;
  // A user who names an engine wants that one. thv starts Podman's service by itself.
  if (VARIABLES.some((name) => env[name]) || isInstalled("podman") || canStartDocker(machine)) return true;
  const sockets = listSockets({ env, home: env.HOME ?? homedir() });
  if ((await Promise.all(sockets.map(accepts))).includes(true)) return true;
  // Its current context may be on another machine.
  return isInstalled("docker") && (await succeeds("docker", ["version", "--format", "{{.Server.Version}}"]));
}

/** A daemon is started by the system's service manager, which containers do not have. @param {Machine} machine */
function canStartDocker({ isInstalled, exists }) {
  return (isInstalled("dockerd") || exists("/usr/sbin/dockerd")) && exists("/run/systemd/system");
}

/**
 * What to do where no engine answers after the start.
 *
 * @param {Machine} [machine]
 * @returns {string[]} Lines.
 */
export function describeNextStep(machine = THIS_MACHINE) {
  if (machine.isInstalled("podman")) return ["Podman is installed. Find out what it lacks: npx thv doctor"];
  if (canStartDocker(machine)) return ["Docker is installed. Start it: sudo systemctl start docker"];
  const beside = machine.isInstalled("docker") ? " The docker command is installed, without a daemon." : "";
  return [
    `Install Docker or Podman; thv finds it by itself.${beside}`,
    "On Debian or Ubuntu: sudo apt-get install podman",
  ];
}

/**
 * What to do about an engine: nothing, install one, or ask first, because there is a terminal.
 *
 * @param {{ isUnwanted: boolean, isInteractive: boolean }} wishes
 * @param {Machine} [machine]
 * @returns {Promise<"leave" | "install" | "ask">}
 */
export async function decideOnEngine({ isUnwanted, isInteractive }, machine = THIS_MACHINE) {
  if (isUnwanted || !machine.canInstall() || (await hasEngine(machine))) return "leave";
  return isInteractive ? "ask" : "install";
}

/**
 * Begins to install Podman, if that was decided, and returns at once.
 *
 * @param {import("./run-command.mjs").Context} context
 * @returns {Promise<() => Promise<void>>} Waits for the end and reports it. An engine is worth having and no condition:
 *   a failure is reported, and the start continues.
 */
export async function beginEngine({ children, terminal, interrupted }) {
  const isInteractive = process.stdin.isTTY === true && terminal.isLive;
  const decision = await decideOnEngine({ isUnwanted: process.argv.includes("--no-engine"), isInteractive });
  if (decision === "leave") return async () => undefined;
  if (decision === "ask" && !(await ask(interrupted))) return async () => undefined;
  /** @type {string} */
  let failure = "";
  const begin = performance.now();
  let end = Number.POSITIVE_INFINITY;
  const installing = installPackages(PACKAGES, children)
    .catch((error) => {
      failure = error instanceof Error ? error.message : String(error);
    })
    .finally(() => {
      end = performance.now();
    });
  return async () => {
    await terminal.step(
      "Install Podman from the system's packages, because there is no container engine",
      () => installing,
      // What ran beside other steps is reported with its own time.
      { begin: begin + Math.max(0, performance.now() - end) },
    );
    if (failure === "") return;
    terminal.line(
      `  ${terminal.style("yellow", "Podman could not be installed.")} Everything but running servers works.`,
    );
    for (const line of failure.split("\n").slice(-5)) terminal.line(`  ${line}`);
  };
}

/** @param {AbortSignal} signal */
async function ask(signal) {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await lines.question(
      "There is no container engine. Install Podman from the system's packages? [Y/n] ",
      {
        signal,
      },
    );
    return /^\s*(y(es)?)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}

/** @param {string} path @returns {Promise<boolean>} Whether somebody listens there. */
export async function accepts(path) {
  if (!existsSync(path)) return false;
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.once("connect", () => {
      resolve(true);
      socket.destroy();
    });
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
  });
}

/** @param {string} program @param {readonly string[]} args @returns {Promise<boolean>} Whether it ends with 0 in time. */
export async function succeeds(program, args) {
  return await new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", timeout: ANSWER_MS, killSignal: "SIGKILL" });
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}
