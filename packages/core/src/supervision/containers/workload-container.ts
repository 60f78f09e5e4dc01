/** The container of one workload: found, made from its configuration, stopped, removed. */
import { createHash } from "node:crypto";
import type { PackageImages } from "../../images/package-images.ts";
import type { Container, ContainerEngine, ContainerSpec } from "../../ports/container-engine.ts";
import type { Logger } from "../../ports/log.ts";
import { parseSecretReference, type ResolveSecrets } from "../../secrets/secret-reference.ts";
import { sleep } from "../../support/backoff.ts";
import { hasCode } from "../../support/errors.ts";
import { assertProvable, type CheckedImage, checkImage } from "../../verification/image-verification.ts";
import type { TrustRootOptions } from "../../verification/trust-root.ts";
import { isLoggedAsNow, isMadeForUser, isMadeFrom, isOwnServer, readSidecarId } from "../../workload/labels.ts";
import { assertSourcesUnchanged } from "../../workload/mounts.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import type { DesiredConfig } from "../state/desired-config.ts";
import { buildContainerSpec } from "./container-spec.ts";
import { findContainerUser } from "./container-user.ts";
import { createForeignContainerError } from "./foreign-container.ts";
import { ensureImage, type ReportProgress } from "./workload-image.ts";

/** Default for the seconds between SIGTERM and SIGKILL. */
const STOP_GRACE_SECONDS = 30;
const REMOVAL_POLL_MS = 50;

interface WorkloadContainerOptions {
  readonly resolveSecrets: ResolveSecrets;
  readonly packages?: PackageImages | undefined;
  readonly onBuildOutput: (line: string) => void;
  readonly trustRoots: TrustRootOptions;
  readonly instanceId: string;
  readonly log: Logger;
}

export interface PrepareOptions {
  /** True when the container is created again, whatever it was created from. */
  readonly isRenewed: boolean;
  readonly onProgress: ReportProgress;
  readonly signal: AbortSignal;
}

interface EnsureOptions {
  readonly onProgress: ReportProgress;
  readonly onImageReady: () => void;
  /** Container whose network it shares. */
  readonly sidecarId: string | undefined;
  readonly signal: AbortSignal;
}

export interface StopOptions {
  /** Seconds between SIGTERM and SIGKILL. Default 30. */
  readonly graceSeconds?: number | undefined;
  /** Ends the wait; the engine may carry on with the stop. */
  readonly signal?: AbortSignal;
}

export class WorkloadContainer {
  readonly #config: DesiredConfig;
  readonly #options: WorkloadContainerOptions;
  /** Which secret values the newest container was made with; known to the process that made it only. */
  #madeWith: { readonly containerId: string; readonly digest: string } | undefined;

  #imageWarning = "";

  constructor(config: DesiredConfig, options: WorkloadContainerOptions) {
    this.#config = config;
    this.#options = options;
  }

  /** Warning about the newest container's unverified image; known to the process that made it only. */
  get imageWarning(): string {
    return this.#imageWarning;
  }

  /** @throws {ThvError} `CONTAINER_NAME_TAKEN` when a foreign container has the name. */
  async find(engine: ContainerEngine): Promise<Container | undefined> {
    const container = await engine.findContainer(this.#config.current.container_name);
    if (container && !isOwnServer(container, this.#options.instanceId))
      throw createForeignContainerError(container.name);
    return container;
  }

  /** Reads and fetches what a start with these settings needs, while the container of now runs on. @throws As `ensure`. */
  async prepare(engine: ContainerEngine, next: RunConfig, options: PrepareOptions): Promise<void> {
    if (!engine.info.isRemote) await assertSourcesUnchanged(next);
    const secrets = await this.#options.resolveSecrets((next.secrets ?? []).map(parseSecretReference));
    const existing = await this.find(engine);
    const user = await findContainerUser(engine, next);
    const isKept =
      existing && isMadeFrom(existing, next) && isLoggedAsNow(existing, next) && isMadeForUser(existing, user);
    if (isKept && !options.isRenewed && this.#holds(existing, secrets)) return;
    await this.#ensureImage(engine, next, options);
  }

  /** Returns the container to start: the existing one if it was made from this configuration, else a new one. */
  async ensure(engine: ContainerEngine, options: EnsureOptions): Promise<string> {
    const { resolveSecrets, instanceId } = this.#options;
    const config = this.#config.current;
    if (!engine.info.isRemote) await assertSourcesUnchanged(config);
    const secrets = await resolveSecrets((config.secrets ?? []).map(parseSecretReference));
    const existing = await this.find(engine);
    const isLeaving = existing?.state === "removing" || existing?.state === "dead";
    const { sidecarId } = options;
    const user = await findContainerUser(engine, config);
    const isSame =
      existing && isMadeFrom(existing, config) && isLoggedAsNow(existing, config) && isMadeForUser(existing, user);
    const isConnected = existing !== undefined && readSidecarId(existing) === sidecarId;
    if (isSame && isConnected && !isLeaving && this.#holds(existing, secrets)) {
      options.onImageReady();
      return existing.id;
    }
    if (existing) await removeCompletely(engine, existing.id, options.signal);
    const { image, warning } = await this.#ensureImage(engine, config, options);
    this.#imageWarning = warning;
    options.onImageReady();
    options.signal.throwIfAborted();
    // Not cancelled by the signal: an abandoned call might still make the container.
    const containerId = await this.#create(
      engine,
      buildContainerSpec(config, { secrets, instanceId, sidecarId, user, image }),
      options,
    );
    this.#madeWith = { containerId, digest: readDigest(secrets) };
    return containerId;
  }

  async stop(engine: ContainerEngine, { graceSeconds = STOP_GRACE_SECONDS, signal }: StopOptions = {}): Promise<void> {
    const container = await this.find(engine);
    if (container && container.state !== "exited" && container.state !== "created") {
      await engine.stopContainer(container.id, { graceSeconds, signal });
    }
  }

  async remove(engine: ContainerEngine): Promise<void> {
    const container = await this.find(engine);
    if (container) await engine.removeContainer(container.id);
  }

  /** A built image may be removed together with another workload between the check and this call. */
  async #create(engine: ContainerEngine, spec: ContainerSpec, options: EnsureOptions): Promise<string> {
    try {
      return await engine.createContainer(spec);
    } catch (error) {
      const isBuilt = this.#config.current.package_target !== undefined;
      const isCleared = hasCode(error, "IMAGE_NOT_FOUND") && isBuilt;
      if (!isCleared) throw error;
      await this.#ensureImage(engine, this.#config.current, options);
      options.signal.throwIfAborted();
      return await engine.createContainer(spec);
    }
  }

  async #ensureImage(
    engine: ContainerEngine,
    config: RunConfig,
    { onProgress, signal }: Pick<EnsureOptions, "onProgress" | "signal">,
  ): Promise<CheckedImage> {
    const { packages, onBuildOutput, trustRoots, log } = this.#options;
    assertProvable(config);
    await ensureImage(engine, config, { packages, onProgress, onBuildOutput, signal });
    if (config.provenance) onProgress("verifying the image");
    const checked = await checkImage(engine, config, { trustRoots, log, signal });
    onProgress("");
    return checked;
  }

  /** A container keeps the values it was made with, so that changed ones need a new container. */
  #holds(container: Container, secrets: Readonly<Record<string, string>>): boolean {
    if (Object.keys(secrets).length === 0) return true;
    return this.#madeWith?.containerId === container.id && this.#madeWith.digest === readDigest(secrets);
  }
}

/** Resolves once the name is free: engines may answer earlier while another caller removes the container, too. */
async function removeCompletely(engine: ContainerEngine, containerId: string, signal: AbortSignal): Promise<void> {
  await engine.removeContainer(containerId);
  while (await engine.findContainer(containerId)) await sleep(REMOVAL_POLL_MS, signal);
}

function readDigest(secrets: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(JSON.stringify(secrets)).digest("hex");
}
