/**
 * Podman without a socket: most distributions install it so. Its API is served by `podman system service`, which this starts on a
 * socket of our own and which ends by itself when it is no longer used. The servers are the user's own Podman's, so `podman ps`
 * shows them. https://docs.podman.io/en/latest/markdown/podman-system-service.1.html
 */
import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readSystemCode } from "@toolhive/core";
import { makeDirectory } from "@toolhive/core/make-directory";
import type { DiscoveryInput, Place } from "./candidate.ts";

/** Seconds without a connection after which Podman ends its service: a supervisor that was killed leaves it behind. */
const IDLE_SECONDS = 60;
const START_MS = 15_000;
const POLL_MS = 50;
const MAX_WORDS = 2_000;

export const PODMAN_SERVICE = "podman system service";

interface PodmanServiceOptions extends Pick<DiscoveryInput, "env" | "platform"> {
  /** Path of the socket, at most 103 bytes. Its folder is the user's alone. */
  readonly socketPath: string;
  /** Milliseconds that the service has to accept a connection. Default 15,000. */
  readonly startMs?: number;
}

export class PodmanService {
  readonly #options: PodmanServiceOptions;
  #child: ChildProcess | undefined;

  constructor(options: PodmanServiceOptions) {
    this.#options = options;
  }

  /**
   * Starts the service, unless it runs.
   *
   * @returns Where it listens, or why it does not; `undefined` where Podman is not installed, or runs in a virtual machine.
   */
  async start(signal?: AbortSignal): Promise<Place | undefined> {
    const { socketPath, platform, startMs = START_MS } = this.#options;
    if (platform !== "linux") return undefined;
    const place = { address: { kind: "socket", path: socketPath } as const, origin: PODMAN_SERVICE, explicit: false };
    // It may also belong to a supervisor that was killed, whose service continues for a while.
    if (await accepts(socketPath)) return place;
    await this.stop();
    await makeDirectory(dirname(socketPath));
    // Podman refuses an existing socket, also one on which nothing listens.
    await rm(socketPath, { force: true });
    const ended = this.#spawn();
    const deadline = performance.now() + startMs;
    for (;;) {
      signal?.throwIfAborted();
      const failure = await Promise.race([ended, delay(POLL_MS, undefined, signal ? { signal } : {})]);
      if (failure === NOT_INSTALLED) return undefined;
      if (failure !== undefined) return { origin: PODMAN_SERVICE, problem: failure };
      if (await accepts(socketPath)) return place;
      if (performance.now() < deadline) continue;
      await this.stop();
      return { origin: PODMAN_SERVICE, problem: `it did not answer within ${startMs / 1000} s` };
    }
  }

  /** Ends the service; the containers keep running. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    // A process that hangs ignores the first signal.
    const force = setTimeout(() => child.kill("SIGKILL"), 2_000);
    await closed;
    clearTimeout(force);
  }

  /** @returns Resolves when it ends: half a sentence that says why. */
  #spawn(): Promise<string> {
    const { env, socketPath } = this.#options;
    const args = ["system", "service", `--time=${IDLE_SECONDS}`, `unix://${socketPath}`];
    const child = spawn("podman", args, { env: env as NodeJS.ProcessEnv, stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    child.unref();
    let words = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-MAX_WORDS);
    });
    (child.stderr as unknown as { unref(): void }).unref();
    return new Promise((resolve) => {
      child.once("error", (error) => {
        resolve(readSystemCode(error) === "ENOENT" ? NOT_INSTALLED : `podman cannot be run (${readSystemCode(error)})`);
      });
      child.once("close", (code, signal) => {
        const last = words.trim().split("\n").at(-1)?.trim();
        resolve(`it ended with ${signal ?? code}${last ? `: ${last}` : ""}`);
      });
    });
  }
}

const NOT_INSTALLED = "not installed";

async function accepts(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
