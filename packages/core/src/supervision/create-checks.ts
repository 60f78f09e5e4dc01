/** Resolves and checks a create request before anything is created, so that a refused one leaves nothing behind. */

import type { PackageImages } from "../images/package-images.ts";
import type { ContainerEngine } from "../ports/container-engine.ts";
import type { EntryOrigin } from "../registry/catalog/named-sources.ts";
import type { LocatedEntry } from "../registry/catalog/registry-catalog.ts";
import { DEFAULT_SOURCE } from "../registry/catalog/registry-source.ts";
import { isRemoteServer } from "../registry/registry-schema.ts";
import type { ResolveSecrets, SecretReference } from "../secrets/secret-reference.ts";
import { type ErrorCode, hasCode, ThvError } from "../support/errors.ts";
import { mayNameSource, parseTarget, type Target } from "../target/target.ts";
import { assertKnownWords, type ResolvedRequest } from "../workload/create-request.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { isOwnServer } from "../workload/labels.ts";
import { assertSourcesExist, listMounts } from "../workload/mounts.ts";
import type { RunConfig } from "../workload/run-config.ts";
import { assertKeepableLimits } from "./bounds/unkept-limits.ts";
import { createForeignContainerError } from "./containers/foreign-container.ts";
import { applyRegistryDefaults, applyRemoteDefaults } from "./registry-defaults.ts";

/**
 * Errors about a wrong secret reference, as opposed to a failing provider. When references fail for several reasons,
 * the first of these is the code of the whole.
 */
const BAD_REFERENCE: readonly ErrorCode[] = [
  "SECRET_NOT_FOUND",
  "SECRETS_NOT_SET_UP",
  "SECRETS_NOT_READABLE",
  "INVALID_ARGUMENT",
];

interface CreateChecksOptions {
  readonly packages?: PackageImages | undefined;
  readonly registry?: { locate(reference: string): Promise<Pick<LocatedEntry, "entry" | "origin"> | undefined> };
  readonly resolveSecrets: ResolveSecrets;
  /** @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. */
  readonly requireEngine: () => Promise<ContainerEngine>;
  readonly instanceId: string;
}

export class CreateChecks {
  readonly #options: CreateChecksOptions;

  constructor(options: CreateChecksOptions) {
    this.#options = options;
  }

  /**
   * A registry that cannot be read is an error: the name might be an image's, and then another server would run.
   *
   * @param present The settings that the request replaces: what they run already is not looked up again, so that a registry that was
   * added since cannot take its name.
   */
  async resolve(request: CreateRequest, present?: RunConfig): Promise<ResolvedRequest> {
    assertKnownWords(request);
    const target = parseTarget(request.image);
    const isSame =
      present !== undefined && request.image === (present.remote_url ?? present.package_target ?? present.image);
    if (isSame) return { ...(await this.#resolveTarget(request)), ...pickOrigin(present.registry_source) };
    if (target.kind !== "entry" && !mayNameSource(request.image)) return await this.#resolveTarget(request);
    const { entry: server, origin } = (await this.#options.registry?.locate(request.image)) ?? {};
    if (!server) {
      if (target.kind === "entry") assertNoVersion(target);
      return await this.#resolvePackage(request);
    }
    const kept = pickOrigin(origin);
    if (isRemoteServer(server)) return { ...applyRemoteDefaults(request, server), ...kept };
    return { ...(await this.#resolvePackage(applyRegistryDefaults(request, server))), ...kept };
  }

  async #resolveTarget(request: CreateRequest): Promise<ResolvedRequest> {
    return parseTarget(request.image).kind === "address" ? request : await this.#resolvePackage(request);
  }

  /** A package runs from the image that is built of it. */
  async #resolvePackage(request: CreateRequest): Promise<ResolvedRequest> {
    const built = await this.#options.packages?.findReference({ ...request, package_target: request.image });
    return built === undefined ? request : { ...request, image: built, package_target: request.image };
  }

  /**
   * A reference that cannot be followed is a mistake in the request; the start would only fail later. The code is the one
   * that reading the secret by itself has, so that a missing secret is the same failure to every caller.
   *
   * @throws {ThvError} `SECRET_NOT_FOUND`, `SECRETS_NOT_SET_UP`, `SECRETS_NOT_READABLE`, `INVALID_ARGUMENT`,
   * `SECRETS_LOCKED`, `SECRETS_FAILED`.
   */
  async checkSecrets(references: readonly SecretReference[]): Promise<void> {
    const problems: string[] = [];
    const failures: ThvError[] = [];
    for (const reference of references) {
      try {
        await this.#options.resolveSecrets([reference]);
      } catch (error) {
        if (!hasCode(error, ...BAD_REFERENCE)) throw error;
        problems.push(`secret "${reference.name}": ${error.message}`);
        failures.push(error);
      }
    }
    const [worst] = failures.sort(
      (left, right) => BAD_REFERENCE.indexOf(left.code) - BAD_REFERENCE.indexOf(right.code),
    );
    if (!worst) return;
    throw new ThvError(worst.code, problems.join("; "), {
      hint: worst.hint ?? "See the stored secrets: thv secret list",
      cause: worst,
    });
  }

  /**
   * @returns The engine that it would run on; nothing for a server that runs elsewhere.
   * @throws {ThvError} `INVALID_ARGUMENT`, `CONTAINER_NAME_TAKEN`, `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`.
   */
  async checkEngine(draft: Omit<RunConfig, "port">): Promise<ContainerEngine | undefined> {
    if (draft.remote_url !== undefined) return undefined;
    const engine = await this.#options.requireEngine();
    if (engine.info.isRemote) assertPossibleRemotely(engine.info.address, draft);
    else await assertSourcesExist(listMounts(draft));
    assertKeepableLimits(engine.info, draft);
    const container = await engine.findContainer(draft.container_name);
    if (container && !isOwnServer(container, this.#options.instanceId))
      throw createForeignContainerError(container.name);
    return engine;
  }
}

/** Everything that was made before there were further sources is from the default one. */
function pickOrigin(origin: EntryOrigin | undefined): Pick<ResolvedRequest, "registry_source"> {
  return origin === undefined || origin.name === DEFAULT_SOURCE ? {} : { registry_source: origin };
}

/** An image has no version behind an `@`, so only a server of the registry can be meant. @throws {ThvError} `REGISTRY_SERVER_NOT_FOUND`. */
function assertNoVersion({ name, version }: Extract<Target, { kind: "entry" }>): void {
  if (version === undefined) return;
  throw new ThvError("REGISTRY_SERVER_NOT_FOUND", `The registry has no server named "${name}".`, {
    hint: "See the available servers: thv registry list",
  });
}

/**
 * An engine on another machine has none of this machine's folders, and publishes ports on that machine's loopback address.
 *
 * @throws {ThvError} `INVALID_ARGUMENT` naming all that cannot work.
 */
function assertPossibleRemotely(address: string, draft: Omit<RunConfig, "port">): void {
  const folders = listMounts(draft).map(({ source }) => `"${source}" cannot be mounted`);
  const isReached = draft.transport !== "stdio";
  const problems = [
    ...folders,
    ...(isReached ? [`a server with the transport ${draft.transport} cannot be reached`] : []),
  ];
  if (problems.length === 0) return;
  const hint = isReached
    ? "Use a server on stdio, or the engine of this machine: thv config set-engine auto"
    : "Leave the folders out, or use the engine of this machine: thv config set-engine auto";
  throw new ThvError(
    "INVALID_ARGUMENT",
    `The container engine at ${address} runs on another machine: ${problems.join("; ")}.`,
    { hint },
  );
}
