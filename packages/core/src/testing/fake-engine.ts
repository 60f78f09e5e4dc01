/**
 * A container engine in memory, behind the same port as Docker and Podman and held to the same contract
 * (`engine-contract.ts`). The engine outlives supervisors: each connects to it anew, and one that dies loses its attachments.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Listeners } from "@toolhive/http/listeners";
import type {
  ContainerEngine,
  ContainerEvent,
  ContainerSpec,
  LimitName,
  UserMapping,
} from "../ports/container-engine.ts";
import { ThvError } from "../support/errors.ts";
import { FakeConnection } from "./fake-connection.ts";
import { FakeContainer } from "./fake-container.ts";
import { answeringServer, type FakeServer } from "./fake-server.ts";
import { Life } from "./life.ts";

/** Calls of the port that can be interfered with. */
export type EngineCallName = Exclude<keyof ContainerEngine, "info">;

/** Stands between caller and engine: may wait, fail, or let the call happen and lose the answer. */
export type Interference = (proceed: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>;

interface FakeEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: ContainerEvent;
  /** Of the container it is about. */
  readonly labels: ContainerSpec["labels"];
}

export interface FakeEngineOptions {
  readonly kind?: "docker" | "podman";
  /** Milliseconds each call takes. Default: none, the call is done in the same turn. */
  readonly latencyMs?: () => number;
}

export class FakeEngine {
  readonly kind: "docker" | "podman";
  /** Address of the other machine that it runs on; absent: this one. */
  remoteAddress: string | undefined;
  userMapping: UserMapping = "same";
  missingLimits: readonly LimitName[] = [];
  /** What runs when a container of this image is started; also the list of images that are there. */
  readonly images = new Map<string, FakeServer>();
  /** Digests by image, `repository@sha256:…`, for images that come from an image registry. */
  readonly digests = new Map<string, readonly string[]>();
  /** Images that can be pulled. */
  readonly registry = new Map<string, FakeServer>();
  readonly containers = new Map<string, FakeContainer>();
  /** IPv4 networks of its containers. */
  networks: readonly string[] = ["172.17.0.0/16"];
  /** Every call that reached the engine, for example `startContainer`. */
  readonly calls: EngineCallName[] = [];
  readonly #latencyMs: () => number;
  readonly #interferences = new Map<EngineCallName, Interference[]>();
  /** Everything that happened, oldest first. */
  readonly events: FakeEvent[] = [];
  readonly #listeners = new Listeners();
  readonly #breaks = new Listeners();
  readonly #streamEnds = new Listeners();
  #isUp = true;
  /** The next step in the error of a caller that searches the engine while it is down. */
  #downHint: string | undefined;

  constructor({ kind = "docker", latencyMs = () => 0 }: FakeEngineOptions = {}) {
    this.kind = kind;
    this.#latencyMs = latencyMs;
    this.images.set("mcp/echo:1", answeringServer);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Finds the engine, as `discoverEngine` would. @throws {ThvError} `ENGINE_UNREACHABLE` while it is down. */
  async connect(life: Life = new Life()): Promise<FakeConnection> {
    return await life.step(async () => {
      await this.#wait();
      if (!this.#isUp) throw createUnreachableError(this.#downHint);
      return new FakeConnection(this, life);
    });
  }

  /** The daemon ends. With Docker's live restore off, and on Podman, its containers end with it. */
  goDown({ keepContainers = true, hint }: { keepContainers?: boolean; hint?: string } = {}): void {
    this.#isUp = false;
    this.#downHint = hint;
    this.#breaks.notify();
    if (!keepContainers) for (const container of this.containers.values()) container.exit(137);
  }

  /** Ends all streams of events and nothing else, as Podman does when the file with its events has grown to its bound. */
  endEventStreams(): void {
    this.#streamEnds.notify();
  }

  comeUp(): void {
    this.#isUp = true;
  }

  /** Interferes with the next call of this name, or with all of them from now on. */
  interfere(name: EngineCallName, interference: Interference, { always = false } = {}): void {
    const again: Interference = async (proceed, args) => {
      if (always) this.#interferences.get(name)?.unshift(again);
      return await interference(proceed, args);
    };
    this.#interferences.set(name, [...(this.#interferences.get(name) ?? []), again]);
  }

  /** Calls the port's method on behalf of a connection: with latency, interference, and an engine that may be away. */
  async call<T>(name: EngineCallName, args: readonly unknown[], run: () => Promise<T>): Promise<T> {
    await this.#wait();
    const proceed = async () => {
      if (!this.#isUp) throw createUnreachableError();
      this.calls.push(name);
      return await run();
    };
    const interference = this.#interferences.get(name)?.shift();
    return (await (interference ? interference(proceed, args) : proceed())) as T;
  }

  create(spec: ContainerSpec): FakeContainer {
    if (this.find(spec.name)) {
      throw new ThvError("CONTAINER_NAME_TAKEN", `A container named "${spec.name}" exists.`);
    }
    const server = this.images.get(this.#findName(spec.image));
    if (!server) throw new ThvError("IMAGE_NOT_FOUND", `The image "${spec.image}" is not there.`);
    const container = new FakeContainer({
      id: randomBytes(32).toString("hex"),
      spec,
      server,
      keepsStdin: this.kind === "docker",
      onEvent: (event) => this.#emit(event, spec.labels),
    });
    this.containers.set(container.id, container);
    return container;
  }

  find(nameOrId: string): FakeContainer | undefined {
    const known = this.containers.get(nameOrId);
    if (known) return known;
    for (const container of this.containers.values()) if (container.name === nameOrId) return container;
    return undefined;
  }

  remove(container: FakeContainer): void {
    container.exit(137);
    this.containers.delete(container.id);
    this.#emit({ action: "destroy", containerId: container.id, containerName: container.name }, container.spec.labels);
  }

  /** Reports an event to all listeners, whether it is true or not. */
  report(event: ContainerEvent): void {
    this.#emit(event, this.containers.get(event.containerId)?.spec.labels ?? {});
  }

  /** Calls back after each event. @returns Ends that. */
  onEvent(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Index of the first event of that second or later: engines count in seconds. */
  eventIndexAt(since: Date): number {
    const from = Math.floor(since.getTime() / 1000) * 1000;
    const index = this.events.findIndex(({ at }) => at >= from);
    return index === -1 ? this.events.length : index;
  }

  /** Calls back when {@link endEventStreams} is called. @returns Forgets about it. */
  onStreamEnd(listener: () => void): () => void {
    return this.#streamEnds.add(listener);
  }

  /** Calls back once, when the engine goes down. @returns Forgets about it. */
  onBreak(listener: () => void): () => void {
    const once = () => {
      leave();
      listener();
    };
    const leave = this.#breaks.add(once);
    return leave;
  }

  /** An image may also be given by its digest. */
  #findName(image: string): string {
    return [...this.digests].find(([, digests]) => digests.includes(image))?.[0] ?? image;
  }

  #emit(event: ContainerEvent, labels: ContainerSpec["labels"]): void {
    this.events.push({ at: Date.now(), event, labels });
    this.#listeners.notify();
  }

  async #wait(): Promise<void> {
    const ms = this.#latencyMs();
    if (ms > 0) await delay(ms);
  }
}

export function createUnreachableError(hint?: string): ThvError {
  return new ThvError("ENGINE_UNREACHABLE", "The fake engine does not answer.", { hint });
}
