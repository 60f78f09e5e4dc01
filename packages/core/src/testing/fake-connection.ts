/** One supervisor's connection to the fake engine: the engine port. */

import type {
  BuildImageOptions,
  Container,
  ContainerEngine,
  ContainerEvent,
  ContainerSpec,
  ContainerStdio,
  EngineInfo,
  LogLine,
  LogOptions,
  LogPosition,
  PullProgress,
  UserMapping,
} from "../ports/container-engine.ts";
import { ThvError } from "../support/errors.ts";
import type { FakeContainer } from "./fake-container.ts";
import { createUnreachableError, type EngineCallName, type FakeEngine } from "./fake-engine.ts";
import { answeringServer } from "./fake-server.ts";
import type { Life } from "./life.ts";

interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}

export class FakeConnection implements ContainerEngine {
  readonly #engine: FakeEngine;
  readonly #life: Life;

  constructor(engine: FakeEngine, life: Life) {
    this.#engine = engine;
    this.#life = life;
  }

  get info(): EngineInfo {
    const { kind, remoteAddress, missingLimits } = this.#engine;
    return {
      kind,
      version: "1.0.0",
      address: remoteAddress ?? "/fake/engine.sock",
      keepsStdin: kind === "docker",
      isRemote: remoteAddress !== undefined,
      ...(missingLimits.length > 0 && { missingLimits }),
    };
  }

  async ping({ signal }: Cancellable = {}): Promise<void> {
    await this.#call("ping", [], signal, async () => undefined);
  }

  async hasImage(reference: string, { signal }: Cancellable = {}): Promise<boolean> {
    return await this.#call("hasImage", [reference], signal, async () => this.#engine.images.has(reference));
  }

  async imageDigests(reference: string, { signal }: Cancellable = {}): Promise<string[]> {
    return await this.#call("imageDigests", [reference], signal, async () => [
      ...(this.#engine.digests.get(reference) ?? []),
    ]);
  }

  async pullImage(
    reference: string,
    { signal, onProgress }: Cancellable & { onProgress?: ((progress: PullProgress) => void) | undefined } = {},
  ): Promise<void> {
    await this.#call("pullImage", [reference], signal, async () => {
      const server = this.#engine.registry.get(reference);
      if (!server) {
        if (reference.startsWith("example.invalid/")) {
          throw new ThvError("IMAGE_REGISTRY_UNREACHABLE", `The image registry of "${reference}" cannot be reached.`);
        }
        throw new ThvError("IMAGE_NOT_FOUND", `The image "${reference}" cannot be pulled: no such image`);
      }
      const layer = { id: "a1b2c3", state: "downloading", currentBytes: 1_000_000, totalBytes: 2_000_000 } as const;
      onProgress?.({ message: "1.0 of 2.0 MB, 0 of 1 layers", layers: [layer] });
      this.#engine.images.set(reference, server);
    });
  }

  async buildImage(
    reference: string,
    readContext: () => AsyncIterable<Uint8Array>,
    { signal, onProgress }: BuildImageOptions = {},
  ): Promise<void> {
    await this.#call("buildImage", [reference], signal, async () => {
      for await (const chunk of readContext()) onProgress?.({ message: `${chunk.length} bytes` });
      this.#engine.images.set(reference, answeringServer);
    });
  }

  async removeImage(reference: string, { signal }: Cancellable = {}): Promise<boolean> {
    return await this.#call("removeImage", [reference], signal, async () => {
      if ([...this.#engine.containers.values()].some(({ spec }) => spec.image === reference)) return false;
      this.#engine.images.delete(reference);
      return true;
    });
  }

  async createContainer(spec: ContainerSpec, { signal }: Cancellable = {}): Promise<string> {
    return await this.#call("createContainer", [spec], signal, async () => this.#engine.create(spec).id);
  }

  async startContainer(id: string, { signal }: Cancellable = {}): Promise<void> {
    await this.#call("startContainer", [id], signal, async () => {
      const container = this.#require(id);
      const { network } = container.spec;
      const joined = typeof network === "object" ? this.#engine.find(network.joins) : undefined;
      if (typeof network === "object" && !joined?.isRunning) {
        throw new ThvError("ENGINE_FAILED", "The container engine refused: the network to join is not there.");
      }
      container.start();
    });
  }

  async stopContainer(id: string, { signal, graceSeconds }: Cancellable & { graceSeconds: number }): Promise<void> {
    await this.#call("stopContainer", [id, graceSeconds], signal, async () => this.#engine.find(id)?.exit(143));
  }

  async removeContainer(id: string, { signal }: Cancellable = {}): Promise<void> {
    await this.#call("removeContainer", [id], signal, async () => {
      const container = this.#engine.containers.get(id);
      if (container && this.#engine.kind === "podman" && this.#hasDependents(id)) {
        throw new ThvError("ENGINE_FAILED", "The container engine refused: it has dependent containers.");
      }
      if (container) this.#engine.remove(container);
    });
  }

  async findContainer(nameOrId: string, { signal }: Cancellable = {}): Promise<Container | undefined> {
    return await this.#call("findContainer", [nameOrId], signal, async () => this.#engine.find(nameOrId)?.describe());
  }

  async listContainers(labels: Readonly<Record<string, string>>, { signal }: Cancellable = {}): Promise<Container[]> {
    return await this.#call("listContainers", [labels], signal, async () =>
      [...this.#engine.containers.values()]
        .map((container) => container.describe())
        .filter((container) => isSelected(labels, container.labels)),
    );
  }

  async attach(id: string, { signal }: Cancellable = {}): Promise<ContainerStdio> {
    return await this.#call("attach", [id], signal, async () =>
      this.#require(id).attach((end) => {
        const forget = this.#engine.onBreak(end);
        this.#life.onDeath(end);
        return forget;
      }),
    );
  }

  async readUserMapping({ signal }: Cancellable = {}): Promise<UserMapping> {
    return await this.#call("readUserMapping", [], signal, async () => this.#engine.userMapping);
  }

  async listNetworks({ signal }: Cancellable = {}): Promise<string[]> {
    return await this.#call("listNetworks", [], signal, async () => [...this.#engine.networks]);
  }

  async runInContainer(id: string, command: readonly string[], { signal }: Cancellable = {}): Promise<string[]> {
    return await this.#call("runInContainer", [id, command], signal, async () => {
      const container = this.#require(id);
      if (!container.isRunning) throw new ThvError("ENGINE_FAILED", "The container engine refused: it does not run.");
      return container.runCommand(command);
    });
  }

  async readLogs(id: string, options: LogOptions): Promise<LogLine[]> {
    return await this.#call("readLogs", [id], options.signal, async () => this.#requireLogged(id).readLog(options));
  }

  async *followLogs(id: string, options: LogOptions & { readonly position?: LogPosition }): AsyncGenerator<LogLine> {
    const container = await this.#call("followLogs", [id], options.signal, async () => this.#requireLogged(id));
    yield* container.followLog(options);
  }

  async *watchEvents(
    labels: Readonly<Record<string, string>>,
    { since, signal }: { since: Date; signal: AbortSignal },
  ): AsyncGenerator<ContainerEvent> {
    let wake: () => void = () => undefined;
    let isLost = false;
    const lose = () => {
      isLost = true;
      wake();
    };
    const forget = [this.#engine.onBreak(lose), this.#engine.onStreamEnd(lose), this.#engine.onEvent(() => wake())];
    const onAbort = () => wake();
    signal.addEventListener("abort", onAbort);
    try {
      await this.#call("watchEvents", [labels], signal, async () => undefined);
      for (let next = this.#engine.eventIndexAt(since); !signal.aborted; ) {
        const entry = this.#engine.events[next];
        if (entry) {
          next += 1;
          if (isSelected(labels, entry.labels)) yield await this.#life.step(async () => entry.event);
        } else if (isLost) throw createUnreachableError();
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const each of forget) each();
      signal.removeEventListener("abort", onAbort);
    }
  }

  #hasDependents(id: string): boolean {
    return [...this.#engine.containers.values()].some(
      ({ spec: { network } }) => typeof network === "object" && network.joins === id,
    );
  }

  #require(id: string): FakeContainer {
    const container = this.#engine.containers.get(id);
    if (!container) throw new ThvError("ENGINE_FAILED", `The container engine refused: no such container: ${id}`);
    return container;
  }

  #requireLogged(id: string): FakeContainer {
    const container = this.#require(id);
    if (container.spec.isLogged ?? true) return container;
    throw new ThvError("ENGINE_FAILED", "The container engine refused: this container is not logging output");
  }

  /** The caller stops waiting when the signal fires; what the engine had received by then still happens. */
  async #call<T>(
    name: EngineCallName,
    args: readonly unknown[],
    signal: AbortSignal | undefined,
    run: () => Promise<T>,
  ): Promise<T> {
    return await this.#life.step(async () => {
      signal?.throwIfAborted();
      let onAbort: () => void = () => undefined;
      const aborted = new Promise<never>((_resolve, reject) => {
        onAbort = () => reject(signal?.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
      try {
        return await Promise.race([this.#engine.call(name, args, run), aborted]);
      } finally {
        signal?.removeEventListener("abort", onAbort);
      }
    });
  }
}

function isSelected(wanted: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
