/** Creating a workload: from a request to a server that is being started, or to nothing at all. */
import { setTimeout as delay } from "node:timers/promises";
import type { AccessConfig } from "../access/access-config.ts";
import { resolveAccess } from "../access/access-request.ts";
import type { TelemetryDefaults } from "../access/telemetry-config.ts";
import { listRemoteSecrets } from "../remote/remote-schema.ts";
import type { SecretReference } from "../secrets/secret-reference.ts";
import { type ErrorCode, hasCode, ThvError } from "../support/errors.ts";
import { draftRunConfig, type ResolvedRequest } from "../workload/create-request.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { Workload } from "../workload/workload.ts";
import { generateWorkloadName, isSameName } from "../workload/workload-name.ts";
import type { CreateChecks } from "./create-checks.ts";
import type { ManagedWorkload } from "./managed-workload.ts";
import type { WorkloadMap } from "./workload-map.ts";

/** Milliseconds a create waits for an early "no such image" before it answers; spec §8 wants a 404 for it. */
const EARLY_FAILURE_WINDOW_MS = 2_000;

/** Failures that a create returns as its answer, leaving nothing behind. */
const EARLY_FAILURES: readonly ErrorCode[] = ["IMAGE_NOT_FOUND", "IMAGE_REGISTRY_UNREACHABLE"];
/** Foreign container names that are skipped in the search for a free one. */
const MAX_FOREIGN_NAMES = 50;

/** What requests to create leave to the settings. */
export interface CreateDefaults {
  /** Telemetry defaults of the settings. Default: none. */
  readonly telemetryDefaults?: () => Promise<TelemetryDefaults>;
  /** Seconds without a call after which new servers sleep that do not say. Default: they do not. */
  readonly sleepDefault?: () => Promise<number | undefined>;
}

export class WorkloadCreation {
  readonly #map: WorkloadMap;
  readonly #checks: CreateChecks;
  readonly #defaults: CreateDefaults;

  constructor(map: WorkloadMap, checks: CreateChecks, defaults: CreateDefaults) {
    this.#map = map;
    this.#checks = checks;
    this.#defaults = defaults;
  }

  /** See `WorkloadSupervisor#create`. */
  async create(asked: CreateRequest): Promise<Workload> {
    const map = this.#map;
    map.assertOpen();
    const sleepAfter = await this.#defaults.sleepDefault?.();
    const request = {
      ...(sleepAfter !== undefined && { sleep_after_seconds: sleepAfter }),
      ...(await this.#checks.resolve(asked)),
    };
    const access = await resolveAccess(request, await this.#defaults.telemetryDefaults?.());
    map.assertOpen();
    return await draftUnderFreeName(
      map,
      { request, access },
      async (draft) =>
        await map.whileReserved(draft.name, async () => {
          await this.#checks.checkSecrets(listRequestedSecrets(request));
          await this.#checks.checkEngine(draft);
          return await this.#createFromDraft(draft, request.proxy_port || undefined);
        }),
    );
  }

  async #createFromDraft(draft: Omit<RunConfig, "port">, proxyPort: number | undefined): Promise<Workload> {
    const map = this.#map;
    const { runConfigs } = map.context;
    const endpoint = await map.openEndpoint(draft, proxyPort);
    const config: RunConfig = { ...draft, port: endpoint.port };
    try {
      await runConfigs.save(config);
    } catch (error) {
      await endpoint.close();
      throw error;
    }
    if (map.isClosing) {
      await endpoint.close();
      await runConfigs.delete(config.name);
    }
    map.assertOpen();
    const workload = map.manage(config, endpoint);
    map.add(workload);
    void workload.start();
    await this.#throwEarlyFailure(workload);
    return workload.describe();
  }

  /**
   * A missing image is usually known within a moment; then the caller gets it as the answer, and no workload is
   * created.
   */
  async #throwEarlyFailure(workload: ManagedWorkload): Promise<void> {
    const window = new AbortController();
    try {
      await Promise.race([
        workload.imageReady,
        delay(EARLY_FAILURE_WINDOW_MS, undefined, { signal: window.signal, ref: false }),
      ]);
    } catch (error) {
      if (!hasCode(error, ...EARLY_FAILURES)) return;
      await (await workload.remove()).done;
      this.#map.forgetIfGone(workload);
      throw error;
    } finally {
      window.abort();
    }
  }
}

/** A generated name changes when it is taken, by a workload or by a foreign container. @throws {ThvError} `WORKLOAD_EXISTS`. */
export async function draftUnderFreeName<T>(
  map: WorkloadMap,
  { request, access }: { readonly request: ResolvedRequest; readonly access: AccessConfig },
  use: (draft: Omit<RunConfig, "port">) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    const name = request.name || generateWorkloadName(request.package_target ?? request.image, number);
    const holder = map.names.find((each) => isSameName(each, name));
    if (holder !== undefined && request.name) throw createExists(holder);
    if (holder !== undefined) continue;
    try {
      return await use(draftRunConfig({ ...request, name }, new Date(), access));
    } catch (error) {
      const isForeign = hasCode(error, "CONTAINER_NAME_TAKEN");
      if (!isForeign || request.name || number > MAX_FOREIGN_NAMES) throw error;
    }
  }
}

/** References to the secrets that a server would get, in variables and in headers. */
export function listRequestedSecrets(request: CreateRequest): SecretReference[] {
  return [...(request.secrets ?? []), ...listRemoteSecrets(request)];
}

function createExists(name: string): ThvError {
  return new ThvError("WORKLOAD_EXISTS", `A server named "${name}" already exists.`, {
    hint: `Choose another name with --name, or remove it: thv rm ${name}`,
  });
}
