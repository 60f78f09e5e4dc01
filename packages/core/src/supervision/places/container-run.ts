/** One run of a workload in a container: sidecar, container and server, brought up and down in the order that keeps the network closed. */

import type { ContainerEngine } from "../../ports/container-engine.ts";
import { hasCode, ThvError } from "../../support/errors.ts";
import { isMadeFrom, readSidecarId } from "../../workload/labels.ts";
import type { StopOptions, WorkloadContainer } from "../containers/workload-container.ts";
import type { ReportProgress } from "../containers/workload-image.ts";
import type { WorkloadSidecar } from "../containers/workload-sidecar.ts";
import { describeExit, ServerCutOffError } from "../server/describe-exit.ts";
import type { ServerProcess } from "../server/server-process.ts";
import type { WorkloadServer } from "../server/workload-server.ts";
import type { PlaceParts } from "./server-place.ts";

interface BringUpOptions {
  /** Shown while it runs. */
  readonly note?: string;
  /** Whether its server has just ended. Default false. */
  readonly isRestart?: boolean;
  readonly signal: AbortSignal;
}

interface ContainerRunParts extends Pick<PlaceParts, "config" | "state" | "endpoint" | "context"> {
  readonly container: WorkloadContainer;
  readonly sidecar: WorkloadSidecar;
  readonly server: WorkloadServer;
  readonly onImageReady: () => void;
}

export class ContainerRun {
  readonly #parts: ContainerRunParts;

  constructor(parts: ContainerRunParts) {
    this.#parts = parts;
  }

  /** Whether its container or its sidecar runs. */
  async isAnyUp(engine: ContainerEngine): Promise<boolean> {
    const container = await this.#parts.container.find(engine);
    return container?.state === "running" || (await this.#parts.sidecar.isRunning(engine));
  }

  /**
   * Starts it from the beginning, with existing containers where they fit. A start that failed is tried once more where it
   * was not the server that failed: the engine cut it off, as one that restarts does; and with Docker and Podman a
   * container that is restarted right after its exit sometimes ends at once.
   *
   * @throws {ThvError} `SERVER_EXITED`, `ISOLATION_FAILED`, …
   */
  async bringUp(engine: ContainerEngine, { note = "", isRestart = false, signal }: BringUpOptions): Promise<void> {
    const { config, container, server, context } = this.#parts;
    const left = new Set(isRestart ? ["cut off", "exit"] : ["cut off"]);
    for (;;) {
      try {
        await this.#tryToBringUp(engine, note, signal);
        return;
      } catch (error) {
        if (signal.aborted || !isExit(error)) throw error;
        const { name: workload } = config.current;
        const { message: reason } = error;
        if (error instanceof ServerCutOffError && left.delete("cut off")) {
          context.log.warn({ workload, reason }, "server was cut off while it started, and is started once more");
          await server.detach();
          await container.stop(engine);
        } else if (left.delete("exit")) context.log.warn({ workload, reason }, "server is started once more");
        else throw error;
      }
    }
  }

  async #tryToBringUp(engine: ContainerEngine, note: string, signal: AbortSignal): Promise<void> {
    const { state, container, sidecar, server, endpoint, onImageReady } = this.#parts;
    await endpoint.ensure();
    const onProgress: ReportProgress = (message, pull) => state.showProgress(message, { pull, signal });
    const removeServer = async () => await container.remove(engine);
    const sidecarId = sidecar.isNeeded ? await sidecar.ensure(engine, { removeServer, signal, onProgress }) : undefined;
    const containerId = await container.ensure(engine, { signal, onProgress, onImageReady, sidecarId });
    signal.throwIfAborted();
    const notes = [note, container.imageWarning].filter(Boolean).join(" ");
    await server.launch(engine, containerId, { resume: false, note: notes, sidecarId, signal });
  }

  /** Continues with the running container where the engine allows it, else starts the server again. */
  async takeOver(engine: ContainerEngine, signal: AbortSignal, note = ""): Promise<void> {
    const { container: containers, sidecar: sidecars, server, endpoint, onImageReady } = this.#parts;
    const config = this.#parts.config.current;
    const container = await containers.find(engine);
    const isRunning = container?.state === "running";
    const canCarryOn = engine.info.keepsStdin || config.transport !== "stdio";
    const sidecar = sidecars.isNeeded ? await sidecars.find(engine) : undefined;
    const isConnected = container !== undefined && readSidecarId(container) === sidecar?.id;
    const isFiltered = !sidecars.isNeeded || (isConnected && sidecar?.state === "running");
    if (isRunning && canCarryOn && isFiltered && isMadeFrom(container, config)) {
      await endpoint.ensure();
      onImageReady();
      try {
        await server.launch(engine, container.id, { resume: true, note: "", sidecarId: sidecar?.id, signal });
        return;
      } catch (error) {
        // A server that exited during the takeover is started again.
        if (signal.aborted || !isExit(error)) throw error;
      }
    } else if (isRunning) await containers.stop(engine);
    await this.bringUp(engine, { note: container && !canCarryOn ? note : "", signal });
  }

  /** Ends the server and its sidecar; containers stay. */
  async stop(engine: ContainerEngine, options: StopOptions = {}): Promise<void> {
    const server = this.#parts.server.release();
    try {
      await this.#parts.container.stop(engine, options);
      await server?.finish();
      await this.#parts.sidecar.stop(engine);
    } finally {
      await server?.detach();
    }
  }

  /** Describes to the user why the server ended. */
  async describeEnd(engine: ContainerEngine, server: ServerProcess): Promise<ThvError> {
    const { sidecar } = this.#parts;
    const isCutOff = sidecar.isNeeded && !(await sidecar.isRunning(engine));
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
