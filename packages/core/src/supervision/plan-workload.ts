/** How a workload is run, and how one would be run: nothing is changed for either. */
import { resolveAccess } from "../access/access-request.ts";
import type { Container, ContainerEngine } from "../ports/container-engine.ts";
import { draftRunConfig } from "../workload/create-request.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { isOwnServer } from "../workload/labels.ts";
import { readRealSources } from "../workload/mounts.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { Workload } from "../workload/workload.ts";
import { findContainerUser } from "./containers/container-user.ts";
import type { CreateChecks } from "./create-checks.ts";
import { draftUnderFreeName, listRequestedSecrets } from "./create-workload.ts";
import { assertSamePlace, withName } from "./edit-workload.ts";
import { buildRemotePlan, buildRunPlan, type RunPlan } from "./run-plan.ts";
import type { WorkloadMap } from "./workload-map.ts";

export interface WorkloadDetails {
  readonly workload: Workload;
  /** How it is run; its image counts as present. Absent for a damaged run configuration. */
  readonly plan?: RunPlan;
  /** Absent for a damaged one. */
  readonly config?: RunConfig;
  /** `repository@sha256:…` of the image that the engine has; none for an image that was built here or removed. */
  readonly digests?: readonly string[];
  readonly container?: Container;
}

export class WorkloadPlans {
  readonly #map: WorkloadMap;
  readonly #checks: CreateChecks;
  /** The engine it is connected to, if any. */
  readonly #findEngine: () => ContainerEngine | undefined;

  constructor(map: WorkloadMap, checks: CreateChecks, findEngine: () => ContainerEngine | undefined) {
    this.#map = map;
    this.#checks = checks;
    this.#findEngine = findEngine;
  }

  /**
   * The plan that `create` would follow, checked as far as possible without creating anything.
   *
   * @param replace Name of the workload whose settings these would be. @throws {ThvError} As `create`, and for that
   * workload `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`, `STATE_CORRUPT`, `STATE_TOO_NEW`.
   */
  async plan(asked: CreateRequest, { replace }: { readonly replace?: string | undefined } = {}): Promise<RunPlan> {
    const replaced = replace === undefined ? undefined : this.#map.getUsable(replace);
    const request = await this.#checks.resolve(replaced ? withName(replaced.name, asked) : asked, replaced?.config);
    const plan = async (draft: Omit<RunConfig, "port">) => {
      await this.#checks.checkSecrets(listRequestedSecrets(request));
      if (replaced) assertSamePlace(replaced.config, draft);
      const engine = await this.#checks.checkEngine(draft);
      const presentPort = replaced?.config.port;
      const proxyPort = request.proxy_port || presentPort;
      if (proxyPort !== undefined && proxyPort !== presentPort)
        await (await this.#map.openEndpoint(draft, proxyPort)).close();
      if (engine === undefined) return buildRemotePlan(draft, proxyPort);
      const user = await findContainerUser(engine, draft);
      const isImageThere = await engine.hasImage(draft.image);
      const realSources = await readRealSources(draft);
      return buildRunPlan(draft, { proxyPort, isImageThere, user, engine: engine.info, realSources });
    };
    const access = await resolveAccess(request);
    return replaced
      ? await plan(draftRunConfig(request, new Date(), access))
      : await draftUnderFreeName(this.#map, { request, access }, plan);
  }

  /**
   * Everything about one server: its status, its plan, and its container and image in the engine. For a damaged one
   * only the status.
   *
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `ENGINE_FAILED`.
   */
  async inspect(name: string): Promise<WorkloadDetails> {
    const workload = this.#map.describe(name);
    const config = this.#map.find(name)?.config;
    if (config === undefined) return { workload };
    if (config.remote_url !== undefined) return { workload, config, plan: buildRemotePlan(config, config.port) };
    const engine = this.#findEngine();
    const user = engine && (await findContainerUser(engine, config));
    const realSources = await readRealSources(config);
    const given = { proxyPort: config.port, isImageThere: true, user, engine: engine?.info, realSources };
    const plan = buildRunPlan(config, given);
    if (engine === undefined) return { workload, config, plan };
    const [container, digests] = await Promise.all([engine.findContainer(name), engine.imageDigests(config.image)]);
    const isOurs = container !== undefined && isOwnServer(container, this.#map.context.instanceId);
    return { workload, config, plan, digests, ...(isOurs && { container }) };
  }
}
