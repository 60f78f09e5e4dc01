/** `npm start` on a machine without a container engine: installs Debian's Podman where it may. */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { canInstall, installPackages, isInstalled } from "./system-packages.mjs";

/** Podman with what isolated servers need; thv serves its API by itself. */
const PACKAGES = ["podman", "netavark", "aardvark-dns", "catatonit", "iptables", "nftables", "uidmap", "slirp4netns"];
const PROGRAMS = ["docker", "dockerd", "podman"];
const SOCKETS = ["/var/run/docker.sock", "/var/run/podman/podman.sock"];
const VARIABLES = [
  "DOCKER_HOST",
  "CONTAINER_HOST",
  "DOCKER_CONTEXT",
  "TOOLHIVE_DOCKER_SOCKET",
  "TOOLHIVE_PODMAN_SOCKET",
];

/**
 * @typedef {{
 *   env: Readonly<Record<string, string | undefined>>,
 *   isInstalled: (program: string) => boolean,
 *   exists: (path: string) => boolean,
 *   canInstall: () => boolean,
 * }} Machine
 */

/** @type {Machine} */
const THIS_MACHINE = { env: process.env, isInstalled, exists: existsSync, canInstall };

/** Whether there is an engine, running or not, as far as that shows without asking it. @param {Machine} [machine] */
export function hasEngine({ env, isInstalled, exists } = THIS_MACHINE) {
  return VARIABLES.some((name) => env[name]) || SOCKETS.some(exists) || PROGRAMS.some(isInstalled);
}

/**
 * What to do about an engine: nothing, install one, or ask first, because somebody is there to answer.
 *
 * @param {{ isUnwanted: boolean, isInteractive: boolean }} wishes
 * @param {Machine} [machine]
 * @returns {"leave" | "install" | "ask"}
 */
export function decideOnEngine({ isUnwanted, isInteractive }, machine = THIS_MACHINE) {
  if (isUnwanted || hasEngine(machine) || !machine.canInstall()) return "leave";
  return isInteractive ? "ask" : "install";
}

/**
 * Begins to install Podman, if that is wanted, and returns at once.
 *
 * @param {import("./run-command.mjs").Context} context
 * @returns {Promise<() => Promise<void>>} Waits for the end and reports it. An engine is worth having and no condition:
 *   what fails is said, and the start goes on.
 */
export async function beginEngine({ children, terminal, interrupted }) {
  const isInteractive = process.stdin.isTTY === true && terminal.isLive;
  const decision = decideOnEngine({ isUnwanted: process.argv.includes("--no-engine"), isInteractive });
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
