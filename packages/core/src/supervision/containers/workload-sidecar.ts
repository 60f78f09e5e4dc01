/**
 * The sidecar of one workload: the container whose network the server shares. It runs before the server is started, and is
 * removed after it; without it the server has no network.
 */

import { createInterface } from "node:readline";
import type { Container, ContainerEngine, ContainerStdio } from "../../ports/container-engine.ts";
import type { Logger } from "../../ports/log.ts";
import type { StampedLine } from "../../server-log/log-line.ts";
import { collectLearned, type LearnedTarget, MAX_LEARNED } from "../../sidecar-rules/learned.ts";
import {
  ALLOW_COMMAND,
  ALLOWED_LINE,
  CLOSE_COMMAND,
  CLOSED_LINE,
  DENIAL_PREFIX,
  FAILURE_PREFIX,
  READY_LINE,
} from "../../sidecar-rules/sidecar-rules.ts";
import { ThvError } from "../../support/errors.ts";
import { toOneLine } from "../../support/one-line.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import { isMadeWithClosed, isSidecarMadeFrom, isWorkloadSidecar } from "../../workload/labels.ts";
import { resolveNetworkAccess, resolveOutgoing } from "../../workload/network-access.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import type { DesiredConfig } from "../state/desired-config.ts";
import { listClosedNetworks } from "./closed-networks.ts";
import { createForeignContainerError } from "./foreign-container.ts";
import { PROGRAM_PATH, type SidecarImage } from "./sidecar-image.ts";
import { buildSidecarSpec, formatSidecarName } from "./sidecar-spec.ts";
import type { ReportProgress } from "./workload-image.ts";

/** Milliseconds a sidecar has to load its packet rules and to listen. */
const READY_TIMEOUT_MS = 30_000;
const STOP_GRACE_SECONDS = 2;
/** Lines of its log that are searched for denials. */
const LOG_LINES = 200;
/** The same for learned targets: each is written once for each start. */
const LEARNED_LINES = 10 * MAX_LEARNED;

export interface WorkloadSidecarOptions {
  /** `undefined` where none can be made; then workloads that need one fail. */
  readonly sidecars?:
    | {
        readonly image: SidecarImage;
        readonly hosts: Readonly<Record<string, string>>;
        /** IPv4 addresses of this machine. Default: the system's. */
        readonly ownAddresses?: () => readonly string[];
      }
    | undefined;
  readonly instanceId: string;
  readonly log: Logger;
}

interface EnsureOptions {
  /** Called before another sidecar takes the place of one: Podman removes none whose network a container shares. */
  readonly removeServer: () => Promise<void>;
  readonly onProgress: ReportProgress;
  readonly signal: AbortSignal;
}

export class WorkloadSidecar {
  readonly #config: DesiredConfig;
  readonly #options: WorkloadSidecarOptions;
  /** The closed networks that the running sidecar was given, as JSON; `undefined` when unknown. */
  #sentRules: string | undefined;

  constructor(config: DesiredConfig, options: WorkloadSidecarOptions) {
    this.#config = config;
    this.#options = options;
  }

  get isNeeded(): boolean {
    return resolveNetworkAccess(this.#config.current) === "filtered";
  }

  /** Whether the container with this name is, or would be, the sidecar. */
  isNamed(name: string): boolean {
    return this.isNeeded && name === formatSidecarName(this.#config.current);
  }

  async find(engine: ContainerEngine): Promise<Container | undefined> {
    const container = await engine.findContainer(formatSidecarName(this.#config.current));
    const { name } = this.#config.current;
    if (container && !isWorkloadSidecar(container, name, this.#options.instanceId))
      throw createForeignContainerError(container.name);
    return container;
  }

  /** Fetches what a start with these settings needs of it, while the one of now runs on. @throws {ThvError} `ISOLATION_FAILED`. */
  async prepare(engine: ContainerEngine, next: RunConfig, options: Omit<EnsureOptions, "removeServer">): Promise<void> {
    if (resolveNetworkAccess(next) !== "filtered") return;
    const { sidecars, instanceId } = this.#options;
    if (!sidecars) throw new ThvError("INTERNAL", `Nothing here can isolate "${next.name}".`);
    const { image, hosts } = sidecars;
    const closed = await this.#listClosed(engine, options.signal);
    const existing = await this.find(engine);
    const spec = buildSidecarSpec(next, { image: image.reference, instanceId, hosts, closed });
    if (existing && isSidecarMadeFrom(existing, spec)) return;
    await image.ensure(engine, options);
  }

  /** Running, and ready: its rules are in force. @returns Its id. @throws {ThvError} `ISOLATION_FAILED`. */
  async ensure(engine: ContainerEngine, { removeServer, onProgress, signal }: EnsureOptions): Promise<string> {
    const { sidecars, instanceId } = this.#options;
    const config = this.#config.current;
    if (!sidecars) throw new ThvError("INTERNAL", `Nothing here can isolate "${config.name}".`);
    const { image, hosts } = sidecars;
    const closed = await this.#listClosed(engine, signal);
    const spec = buildSidecarSpec(config, { image: image.reference, instanceId, hosts, closed });
    const existing = await this.find(engine);
    if (existing && isSidecarMadeFrom(existing, spec)) {
      if (existing.state === "running") {
        await this.#sendRules(engine, existing.id, closed, signal);
        return existing.id;
      }
      if (existing.state === "exited" || existing.state === "created") {
        await this.#start(engine, existing.id, signal);
        if (!isMadeWithClosed(existing, closed)) await this.#sendRules(engine, existing.id, closed, signal);
        this.#sentRules = JSON.stringify(closed);
        return existing.id;
      }
    }
    if (existing) {
      await removeServer();
      await engine.removeContainer(existing.id);
    }
    await image.ensure(engine, { signal, onProgress });
    signal.throwIfAborted();
    // Not cancelled by the signal: an abandoned call might still make the container.
    const id = await engine.createContainer(spec);
    await this.#start(engine, id, signal);
    this.#sentRules = JSON.stringify(closed);
    return id;
  }

  /** Sends the sidecar networks and addresses that appeared since the last list. */
  async refresh(engine: ContainerEngine): Promise<void> {
    if (!this.isNeeded) return;
    const closed = await this.#listClosed(engine);
    if (this.#sentRules === JSON.stringify(closed)) return;
    const sidecar = await this.find(engine);
    if (sidecar?.state === "running") await this.#sendRules(engine, sidecar.id, closed);
  }

  /**
   * Lets out what the configuration says now, without a new start.
   *
   * @returns False when the sidecar does not run, or cannot: an older one, for example.
   */
  async adoptRules(engine: ContainerEngine): Promise<boolean> {
    const { sidecars } = this.#options;
    const sidecar = this.isNeeded ? await this.find(engine) : undefined;
    // Another version of the program may not know the command.
    // Podman puts a registry in front of the name.
    const isOfNow = sidecars !== undefined && sidecar?.image.endsWith(sidecars.image.reference);
    if (sidecar?.state !== "running" || !isOfNow) return false;
    const rules = JSON.stringify(resolveOutgoing(this.#config.current));
    const lines = await engine.runInContainer(sidecar.id, ["node", PROGRAM_PATH, ALLOW_COMMAND, rules]);
    return lines.includes(ALLOWED_LINE);
  }

  /** What was let out while the rules were learned, since its container was made. */
  async readLearned(engine: ContainerEngine): Promise<LearnedTarget[]> {
    if (!this.isNeeded) return [];
    const container = await this.find(engine);
    return container ? collectLearned(await engine.readLogs(container.id, { tail: LEARNED_LINES })) : [];
  }

  async #sendRules(
    engine: ContainerEngine,
    id: string,
    closed: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    const list = JSON.stringify(closed);
    const lines = await engine.runInContainer(id, ["node", PROGRAM_PATH, CLOSE_COMMAND, list], { signal });
    if (!lines.includes(CLOSED_LINE)) {
      throw new ThvError("ISOLATION_FAILED", "The network sidecar did not accept the list of the machine's networks.", {
        hint: `Start it again: thv restart ${this.#config.current.name}`,
        ...(lines.length > 0 && { detail: lines.join(" / ").slice(0, 500) }),
      });
    }
    this.#sentRules = list;
  }

  async #listClosed(engine: ContainerEngine, signal?: AbortSignal): Promise<string[]> {
    return await listClosedNetworks(engine, { ownAddresses: this.#options.sidecars?.ownAddresses, signal });
  }

  async isRunning(engine: ContainerEngine): Promise<boolean> {
    return this.isNeeded && (await this.find(engine))?.state === "running";
  }

  async stop(engine: ContainerEngine): Promise<void> {
    if (!this.isNeeded) return;
    const container = await this.find(engine);
    if (container?.state === "running") await engine.stopContainer(container.id, { graceSeconds: STOP_GRACE_SECONDS });
  }

  /** After the server: an engine does not remove a container whose network another one shares. */
  async remove(engine: ContainerEngine): Promise<void> {
    if (!this.isNeeded) return;
    const container = await this.find(engine);
    if (container) await engine.removeContainer(container.id);
  }

  /** Denials since its last start, oldest first. */
  async readDenials(engine: ContainerEngine): Promise<StampedLine[]> {
    if (!this.isNeeded) return [];
    const container = await this.find(engine);
    if (!container) return [];
    const lines = await engine.readLogs(container.id, { tail: LOG_LINES, isStamped: true });
    const begin = lines.findLastIndex(({ text }) => text === READY_LINE) + 1;
    return lines.slice(begin).filter(({ text }) => text.startsWith(DENIAL_PREFIX));
  }

  async #start(engine: ContainerEngine, id: string, signal: AbortSignal): Promise<void> {
    // Its list is in memory and does not outlive its end.
    this.#sentRules = undefined;
    const stdio = await engine.attach(id);
    try {
      await engine.startContainer(id);
      if (await waitUntilReady(stdio, AbortSignal.any([signal, startTimeout(READY_TIMEOUT_MS)]))) return;
      signal.throwIfAborted();
      throw createNotReadyError((await engine.readLogs(id, { tail: 5 })).map(({ text }) => text));
    } finally {
      await stdio.close();
    }
  }
}

/** @param lines The last that it wrote, oldest first. */
function createNotReadyError(lines: readonly string[]): ThvError {
  const reason = lines.findLast((line) => line.startsWith(FAILURE_PREFIX))?.slice(FAILURE_PREFIX.length);
  const detail = lines.map(toOneLine).join(" / ");
  return new ThvError(
    "ISOLATION_FAILED",
    `The network sidecar did not become ready, so the server was not started${reason === undefined ? "." : `: ${reason}.`}`,
    {
      hint: "It needs nftables, in its image and in the kernel of the engine's machine. Run without --isolate-network only if you trust the server.",
      ...(detail !== "" && { detail: `Its last output: ${detail.slice(0, 500)}` }),
    },
  );
}

async function waitUntilReady(stdio: ContainerStdio, signal: AbortSignal): Promise<boolean> {
  stdio.stderr.resume();
  const lines = createInterface({ input: stdio.stdout });
  // Does not destroy the stream: the lines would wait for its end.
  const onAbort = () => lines.close();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) return false;
    for await (const line of lines) if (line.trim() === READY_LINE) return true;
    return false;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
