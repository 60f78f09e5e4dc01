/**
 * The sidecar of one workload: the container whose network the server shares. It runs before the server is started, and is
 * removed after it; without it the server has no network.
 */
import { createInterface } from "node:readline";
import type { Container, ContainerEngine, ContainerStdio } from "../container-engine.ts";
import { ThvError } from "../errors.ts";
import { isSidecarMadeFrom, isSidecarOf } from "../labels.ts";
import type { Logger } from "../log.ts";
import { networkAccessOf } from "../permissions/network-access.ts";
import type { DesiredConfig } from "../workload/desired-config.ts";
import { foreignContainer } from "../workload/foreign-container.ts";
import type { ReportProgress } from "../workload/workload-image.ts";
import type { SidecarImage } from "./sidecar-image.ts";
import { DENIAL_PREFIX, FAILURE_PREFIX, READY_LINE } from "./sidecar-rules.ts";
import { sidecarName, sidecarSpec } from "./sidecar-spec.ts";

/** Milliseconds a sidecar has to load its packet rules and to listen. */
const READY_TIMEOUT_MS = 30_000;
const STOP_GRACE_SECONDS = 2;
/** Lines of its log that are looked through for what was refused. */
const LOG_LINES = 200;

export interface WorkloadSidecarOptions {
  /** `undefined` where nothing can make one; then what needs one is refused. */
  readonly sidecars: { readonly image: SidecarImage; readonly hosts: Readonly<Record<string, string>> } | undefined;
  readonly instanceId: string;
  readonly log: Logger;
}

interface EnsureOptions {
  readonly onProgress: ReportProgress;
  readonly signal: AbortSignal;
}

export class WorkloadSidecar {
  readonly #config: DesiredConfig;
  readonly #options: WorkloadSidecarOptions;

  constructor(config: DesiredConfig, options: WorkloadSidecarOptions) {
    this.#config = config;
    this.#options = options;
  }

  get isNeeded(): boolean {
    return networkAccessOf(this.#config.current) === "filtered";
  }

  /** Whether the container with this name is, or would be, the sidecar. */
  isNamed(name: string): boolean {
    return this.isNeeded && name === sidecarName(this.#config.current);
  }

  async find(engine: ContainerEngine): Promise<Container | undefined> {
    const container = await engine.findContainer(sidecarName(this.#config.current));
    const { name } = this.#config.current;
    if (container && !isSidecarOf(container, name, this.#options.instanceId)) throw foreignContainer(container.name);
    return container;
  }

  /** Running, and ready: its rules are in force. @returns Its id. @throws {ThvError} `ISOLATION_FAILED`. */
  async ensure(engine: ContainerEngine, { onProgress, signal }: EnsureOptions): Promise<string> {
    const { sidecars, instanceId } = this.#options;
    const config = this.#config.current;
    if (!sidecars) throw new ThvError("INTERNAL", `Nothing here can isolate "${config.name}".`);
    const { image, hosts } = sidecars;
    const spec = sidecarSpec(config, { image: image.reference, instanceId, hosts });
    const existing = await this.find(engine);
    if (existing && isSidecarMadeFrom(existing, spec)) {
      if (existing.state === "running") return existing.id;
      if (existing.state === "exited" || existing.state === "created") {
        await this.#start(engine, existing.id, signal);
        return existing.id;
      }
    }
    if (existing) await engine.removeContainer(existing.id);
    await image.ensure(engine, { signal, onProgress });
    signal.throwIfAborted();
    // Not cancelled by the signal: an abandoned call might still make the container.
    const id = await engine.createContainer(spec);
    await this.#start(engine, id, signal);
    return id;
  }

  async isRunning(engine: ContainerEngine): Promise<boolean> {
    return this.isNeeded && (await this.find(engine))?.state === "running";
  }

  async stop(engine: ContainerEngine): Promise<void> {
    if (!this.isNeeded) return;
    const container = await this.find(engine);
    if (container?.state === "running") await engine.stopContainer(container.id, { graceSeconds: STOP_GRACE_SECONDS });
  }

  /** After the server: an engine does not remove what another container hangs on. */
  async remove(engine: ContainerEngine): Promise<void> {
    if (!this.isNeeded) return;
    const container = await this.find(engine);
    if (container) await engine.removeContainer(container.id);
  }

  /** What it has refused since it was started last, oldest first. */
  async denials(engine: ContainerEngine): Promise<string[]> {
    if (!this.isNeeded) return [];
    const container = await this.find(engine);
    if (!container) return [];
    const lines = (await engine.readLogs(container.id, { tail: LOG_LINES })).map(({ text }) => text);
    return lines.slice(lines.lastIndexOf(READY_LINE) + 1).filter((line) => line.startsWith(DENIAL_PREFIX));
  }

  async #start(engine: ContainerEngine, id: string, signal: AbortSignal): Promise<void> {
    const stdio = await engine.attach(id);
    try {
      await engine.startContainer(id);
      if (await saysReady(stdio, AbortSignal.any([signal, AbortSignal.timeout(READY_TIMEOUT_MS)]))) return;
      signal.throwIfAborted();
      throw notReady((await engine.readLogs(id, { tail: 5 })).map(({ text }) => text));
    } finally {
      await stdio.close();
    }
  }
}

/** @param lines The last that it wrote, oldest first. */
function notReady(lines: readonly string[]): ThvError {
  const reason = lines.findLast((line) => line.startsWith(FAILURE_PREFIX))?.slice(FAILURE_PREFIX.length);
  const detail = lines.map((line) => line.replace(/\p{Cc}+/gu, " ").trim()).join(" / ");
  return new ThvError(
    "ISOLATION_FAILED",
    `The network sidecar did not become ready, so the server was not started${reason === undefined ? "." : `: ${reason}.`}`,
    {
      hint: "It needs nftables, in its image and in the kernel of the engine's machine. Run without --isolate-network only if you trust the server.",
      ...(detail !== "" && { detail: `Its last output: ${detail.slice(0, 500)}` }),
    },
  );
}

async function saysReady(stdio: ContainerStdio, signal: AbortSignal): Promise<boolean> {
  stdio.stderr.resume();
  const lines = createInterface({ input: stdio.stdout });
  // Not by destroying the stream, whose end the lines would wait for.
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
