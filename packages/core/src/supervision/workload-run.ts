/** One run of a workload: sidecar, container and server, brought up and down in the order that keeps the network closed. */

import type { ContainerEngine } from "../ports/container-engine.ts";
import type { Logger } from "../ports/log.ts";
import { hasCode, ThvError } from "../support/errors.ts";
import { isMadeFrom, readSidecarId } from "../workload/labels.ts";
import type { StopOptions, WorkloadContainer } from "./containers/workload-container.ts";
import type { ReportProgress } from "./containers/workload-image.ts";
import type { WorkloadSidecar } from "./containers/workload-sidecar.ts";
import { describeExit, ServerCutOffError, type ServerProcess } from "./server/server-process.ts";
import type { WorkloadServer } from "./server/workload-server.ts";
import type { DesiredConfig } from "./state/desired-config.ts";
import type { WorkloadState } from "./state/workload-state.ts";

interface WorkloadRunParts {
  readonly config: DesiredConfig;
  readonly state: WorkloadState;
  readonly container: WorkloadContainer;
  readonly sidecar: WorkloadSidecar;
  readonly server: WorkloadServer;
  readonly onImageReady: () => void;
  readonly log: Logger;
}

export class WorkloadRun {
  readonly #config: DesiredConfig;
  readonly #state: WorkloadState;
  readonly #container: WorkloadContainer;
  readonly #sidecar: WorkloadSidecar;
  readonly #server: WorkloadServer;
  readonly #onImageReady: () => void;
  readonly #log: Logger;

  constructor({ config, state, container, sidecar, server, onImageReady, log }: WorkloadRunParts) {
    this.#config = config;
    this.#state = state;
    this.#container = container;
    this.#sidecar = sidecar;
    this.#server = server;
    this.#onImageReady = onImageReady;
    this.#log = log;
  }

  /**
   * Starts it from the beginning, with existing containers where they fit. @throws {ThvError} `SERVER_EXITED`,
   * `ISOLATION_FAILED`, …
   */
  async bringUp(engine: ContainerEngine, signal: AbortSignal, note = ""): Promise<void> {
    await this.#server.ensureEndpoint();
    const onProgress: ReportProgress = (message, pull) => this.#state.showProgress(message, { pull, signal });
    const removeServer = async () => await this.#container.remove(engine);
    const sidecarId = this.#sidecar.isNeeded
      ? await this.#sidecar.ensure(engine, { removeServer, signal, onProgress })
      : undefined;
    const containerId = await this.#container.ensure(engine, {
      signal,
      onProgress,
      onImageReady: this.#onImageReady,
      sidecarId,
    });
    signal.throwIfAborted();
    const notes = [note, this.#container.imageWarning].filter(Boolean).join(" ");
    const launch = () => this.#server.launch(engine, containerId, { resume: false, note: notes, sidecarId, signal });
    try {
      await launch();
    } catch (error) {
      if (signal.aborted || !(error instanceof ServerCutOffError)) throw error;
      const { name: workload } = this.#config.current;
      this.#log.warn(
        { workload, reason: error.message },
        "server was cut off while it started, and is started once more",
      );
      await this.#server.detach();
      await this.#container.stop(engine);
      await launch();
    }
  }

  /**
   * With Docker and Podman a container that is restarted right after its exit sometimes ends at once: try once more.
   */
  async bringUpAgain(engine: ContainerEngine, signal: AbortSignal): Promise<void> {
    try {
      await this.bringUp(engine, signal);
    } catch (error) {
      if (signal.aborted || !isExit(error)) throw error;
      this.#log.warn({ workload: this.#config.current.name, reason: error.message }, "server is started once more");
      await this.bringUp(engine, signal);
    }
  }

  /** Continues with the running container where the engine allows it, else starts the server again. */
  async takeOver(engine: ContainerEngine, signal: AbortSignal, note = ""): Promise<void> {
    const config = this.#config.current;
    const container = await this.#container.find(engine);
    const isRunning = container?.state === "running";
    const canCarryOn = engine.info.keepsStdin || config.transport !== "stdio";
    const sidecar = this.#sidecar.isNeeded ? await this.#sidecar.find(engine) : undefined;
    const isConnected = container !== undefined && readSidecarId(container) === sidecar?.id;
    const isFiltered = !this.#sidecar.isNeeded || (isConnected && sidecar?.state === "running");
    if (isRunning && canCarryOn && isFiltered && isMadeFrom(container, config)) {
      await this.#server.ensureEndpoint();
      this.#onImageReady();
      try {
        await this.#server.launch(engine, container.id, { resume: true, note: "", sidecarId: sidecar?.id, signal });
        return;
      } catch (error) {
        // A server that exited during the takeover is started again.
        if (signal.aborted || !isExit(error)) throw error;
      }
    } else if (isRunning) await this.#container.stop(engine);
    await this.bringUp(engine, signal, container && !canCarryOn ? note : "");
  }

  /** Ends the server and its sidecar; containers stay. */
  async stop(engine: ContainerEngine, options: StopOptions = {}): Promise<void> {
    const server = this.#server.release();
    try {
      await this.#container.stop(engine, options);
      await server?.finish();
      await this.#sidecar.stop(engine);
    } finally {
      await server?.detach();
    }
  }

  /** Describes why the server is gone, for its user. */
  async describeEnd(engine: ContainerEngine, server: ServerProcess): Promise<ThvError> {
    const isCutOff = this.#sidecar.isNeeded && !(await this.#sidecar.isRunning(engine));
    if (!isCutOff) return await describeExit(engine, server);
    return new ThvError(
      "SERVER_EXITED",
      "The sidecar that filters its network ended, which left it without a network.",
    );
  }
}

/** Whether the server itself exited, which another start may fix. */
export function isExit(error: unknown): error is ThvError {
  return hasCode(error, "SERVER_EXITED");
}
