/** One machine with an engine, ports and a disk, on which supervisors start, work and are killed. */
import { setTimeout as delay } from "node:timers/promises";
import { PackageImages } from "../images/package-images.ts";
import type { Logger } from "../ports/log.ts";
import { findServerByImage } from "../registry/find-server.ts";
import type { RegistryServer } from "../registry/registry-schema.ts";
import type { RemoteSignInPort } from "../remote/sign-in-port.ts";
import type { SecretReference } from "../secrets/secret-reference.ts";
import { ProxyLogs } from "../server-log/proxy-logs.ts";
import { SidecarImage } from "../supervision/containers/sidecar-image.ts";
import type { WorkloadChange } from "../supervision/workload-map.ts";
import { WorkloadSupervisor } from "../supervision/workload-supervisor.ts";
import { type ErrorCode, ThvError } from "../support/errors.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";
import { FakeNetwork } from "./fake-endpoint.ts";
import { FakeEngine, type FakeEngineOptions } from "./fake-engine.ts";
import { sidecarServer } from "./fake-server.ts";
import type { FakeTime } from "./fake-time.ts";
import { Life } from "./life.ts";
import { MemoryFailedOutputs } from "./memory-failed-outputs.ts";
import { MemoryLogFile } from "./memory-log-file.ts";
import { MemoryPinStore, type MemoryPins } from "./memory-pin-store.ts";
import { type MemoryDisk, MemoryRunConfigStore } from "./memory-run-config-store.ts";

export const INSTANCE_ID = "0b54cd9e-6a5c-4c5e-9f07-5a2e9c3f4d10";

/** The image of sidecars; it is there from the beginning. */
export const SIDECAR_IMAGE = "toolhive-test/sidecar:1";

export interface LogEntry {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Booted {
  readonly supervisor: WorkloadSupervisor;
  readonly store: MemoryRunConfigStore;
  readonly life: Life;
}

export class World {
  readonly engine: FakeEngine;
  readonly network = new FakeNetwork();
  readonly disk: MemoryDisk = new Map();
  /** What is on disk of the servers' logs, by workload. */
  readonly logFiles = new Map<string, Buffer>();
  /** What is on disk of pinned tools, by workload. */
  readonly toolPins: MemoryPins = new Map();
  /** Names of the servers whose counted calls were deleted, in that order. */
  readonly forgottenUsage: string[] = [];
  /** Why records of pinned tools cannot be written, while they cannot. */
  toolPinProblem: Error | undefined;
  readonly log: LogEntry[] = [];
  /** What the supervisor says of each workload. */
  readonly proxyLogs = new ProxyLogs();
  /** The living supervisor calls it at every change. */
  onChange: (change: WorkloadChange) => void = () => undefined;
  /** What the program of now makes sidecars from; another version has another one. */
  sidecarImage = SIDECAR_IMAGE;
  /** Of the machine. */
  ownAddresses: readonly string[] = ["192.0.2.2"];
  /** Signs in at remote servers, of every supervisor from then on. Default: nobody does. */
  signIns: RemoteSignInPort | undefined;
  /** Values by name. */
  readonly secrets = new Map<string, string>();
  /** What servers wrote whose start failed. */
  readonly failedOutputs = new MemoryFailedOutputs();
  /** Nobody has given the password of the secrets. */
  areSecretsLocked = false;
  /** Programs outside that have a port. */
  readonly portOwners = new Map<number, string>();
  /** Servers that can be created by name. */
  readonly registry = new Map<string, RegistryServer>();
  /** Sources of entries, by the reference; absent: the default one. */
  readonly origins = new Map<string, { name: string; location: string }>();
  /** What signatures are checked with; there is no such file until a test makes one. */
  trustedRootPath = "/nowhere/trusted_root.json";
  /** Seconds after which new servers sleep that do not say. */
  sleepDefault: number | undefined;
  readonly #latencyMs: () => number;

  constructor(options: FakeEngineOptions = {}) {
    this.engine = new FakeEngine(options);
    this.engine.images.set(SIDECAR_IMAGE, sidecarServer);
    this.#latencyMs = options.latencyMs ?? (() => 0);
  }

  /** A supervisor that has read the disk and not searched for the engine yet. */
  async load(life: Life = new Life()): Promise<Booted> {
    const store = new MemoryRunConfigStore(this.disk, life, async () => {
      const ms = this.#latencyMs();
      if (ms > 0) await delay(ms);
    });
    const supervisor = new WorkloadSupervisor({
      discoverEngine: () => this.engine.connect(life),
      openEndpoint: (options) => this.network.open(options, life),
      describePortOwner: async (port) => this.portOwners.get(port),
      openLogFile: (name) => new MemoryLogFile(name, this.logFiles),
      failedOutputs: this.failedOutputs,
      runConfigs: store,
      usage: { delete: async (name) => void this.forgottenUsage.push(name) },
      toolPins: new MemoryPinStore(this.toolPins, life, () => this.toolPinProblem),
      resolveSecrets: async (references) => this.#resolveSecrets(references),
      signIns: this.signIns,
      proxyLogs: this.proxyLogs,
      onChange: (change) => this.onChange(change),
      packages: new PackageImages({ caCertificatePath: async () => "", env: {} }),
      sidecars: {
        image: new SidecarImage({ env: { TOOLHIVE_SIDECAR_IMAGE: this.sidecarImage }, program: "" }),
        hosts: {},
        ownAddresses: () => this.ownAddresses,
      },
      trustRoots: { trustedRootPath: this.trustedRootPath, cacheDirectory: "/nowhere" },
      registry: {
        locate: async (reference) => {
          const entry = this.registry.get(reference);
          return entry && { entry, origin: this.origins.get(reference) ?? { name: "default", location: "" } };
        },
        findByImage: async (image) => findServerByImage({ servers: [...this.registry.values()] }, image),
      },
      sleepDefault: async () => this.sleepDefault,
      instanceId: INSTANCE_ID,
      log: this.#logger(life),
    });
    await supervisor.load();
    return { supervisor, store, life };
  }

  #resolveSecrets(references: readonly SecretReference[]): Record<string, string> {
    if (this.areSecretsLocked && references.length > 0) throw new ThvError("SECRETS_LOCKED", "The secrets are locked.");
    const values = references.map(({ name, target }) => {
      const value = this.secrets.get(name);
      if (value === undefined) throw new ThvError("SECRET_NOT_FOUND", `There is no secret named "${name}".`);
      return [target, value] as const;
    });
    return Object.fromEntries(values);
  }

  lockSecrets(): void {
    this.areSecretsLocked = true;
  }

  async boot(life: Life = new Life()): Promise<Booted> {
    const booted = await this.load(life);
    await booted.supervisor.start();
    return booted;
  }

  config(name: string): RunConfig | undefined {
    const text = this.disk.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as RunConfig);
  }

  /** Names of the containers that run, sorted. */
  get running(): string[] {
    return [...this.engine.containers.values()]
      .filter(({ isRunning }) => isRunning)
      .map(({ name }) => name)
      .sort();
  }

  /** Names of all containers, sorted. */
  get containers(): string[] {
    return [...this.engine.containers.values()].map(({ name }) => name).sort();
  }

  /** What a supervisor must never have to log: each is a bug of ours. */
  get bugs(): LogEntry[] {
    return this.log.filter(({ level }) => level === "error");
  }

  #logger(life: Life): Logger {
    const at = (level: keyof Logger) => (fields: Readonly<Record<string, unknown>>, message: string) => {
      if (!life.isDead) this.log.push({ level, message, fields });
    };
    return this.proxyLogs.wrap({ error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") });
  }
}

export function readStatus(supervisor: WorkloadSupervisor, name: string): WorkloadStatus | "absent" {
  return supervisor.list().find((workload) => workload.name === name)?.status ?? "absent";
}

export function catchErrorCode(supervisor: WorkloadSupervisor, name: string): ErrorCode | undefined {
  return supervisor.list().find((workload) => workload.name === name)?.error?.code;
}

/** What tests run most often. */
export const ECHO = { name: "echo", image: "mcp/echo:1" };

/** Holds calls up until it is opened. */
export function createBarrier() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrive: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const hold = async (proceed: () => Promise<unknown>) => {
    arrive();
    await opened;
    return await proceed();
  };
  return { hold, open, reached };
}

/** Boots a supervisor with a server that runs. */
export async function bootEcho(world: World, time: FakeTime, life?: Life): Promise<Booted> {
  const booted = await world.boot(life);
  await booted.supervisor.create(ECHO);
  await time.advanceUntil(() => readStatus(booted.supervisor, "echo") === "running", "the server to run");
  return booted;
}
