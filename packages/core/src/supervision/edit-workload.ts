/** Other settings for workloads that exist: asked for by their users, listed by the registry, or learned from the network. */
import { isDeepStrictEqual } from "node:util";
import { type AccessConfig, pickAccess } from "../access/access-config.ts";
import { resolveAccess } from "../access/access-request.ts";
import type { McpEndpoint } from "../ports/mcp-endpoint.ts";
import type { EntryOrigin } from "../registry/catalog/named-sources.ts";
import type { RegistryServer } from "../registry/registry-schema.ts";
import { listRemoteSecrets } from "../remote/remote-schema.ts";
import { parseSecretReference } from "../secrets/secret-reference.ts";
import { describeError, ThvError } from "../support/errors.ts";
import type { AcceptedTool, PinReport } from "../tool-pins/pin-report.ts";
import { draftRunConfig } from "../workload/create-request.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { Workload } from "../workload/workload.ts";
import type { CreateChecks } from "./create-checks.ts";
import { type CreateDefaults, listRequestedSecrets } from "./create-workload.ts";
import {
  allowInConfig,
  describeNetwork,
  enforceLearned,
  type NetworkChange,
  type NetworkState,
  type NetworkTarget,
} from "./network-changes.ts";
import { differsInToolsOnly, replaceWorkload } from "./replacement.ts";
import {
  assertUpgradeRequest,
  buildUpgradedConfig,
  checkUpgrade,
  type UpgradeCheck,
  type UpgradeRequest,
} from "./server-upgrade.ts";
import type { NetworkMembers } from "./state/desired-config.ts";
import { PreviousSettingsStore } from "./state/previous-settings.ts";
import type { WorkloadMap } from "./workload-map.ts";

export interface WorkloadEditsOptions extends Pick<CreateDefaults, "telemetryDefaults"> {
  readonly registry?: {
    /** The entry with this image, whatever the tag. */
    findByImage(image: string, origin?: EntryOrigin): Promise<RegistryServer | undefined>;
  };
}

export interface UndoableChange {
  readonly present: RunConfig;
  /** What it would be after the undo. */
  readonly next: RunConfig;
  readonly changedAt: Date;
  /** Settings whose values were not kept: without them there is no undo. */
  readonly omitted: readonly string[];
}

export class WorkloadEdits {
  readonly #map: WorkloadMap;
  readonly #checks: CreateChecks;
  readonly #options: WorkloadEditsOptions;
  readonly #previous: PreviousSettingsStore;

  constructor(map: WorkloadMap, checks: CreateChecks, options: WorkloadEditsOptions) {
    this.#previous = new PreviousSettingsStore(map.context.runConfigs);
    this.#map = map;
    this.#checks = checks;
    this.#options = options;
  }

  /**
   * Replaces the settings of a workload. Its name, its port where none is asked for, and its desired state stay. Settles when
   * the server runs with them; a server that ran runs as before when it does not.
   *
   * @throws {ThvError} As `WorkloadSupervisor#create`, then nothing has changed; and what a server fails with, then the settings
   * before are in use again. `WORKLOAD_NOT_FOUND`; `WORKLOAD_BUSY` while it is being changed or removed.
   */
  async edit(name: string, asked: CreateRequest): Promise<Workload> {
    this.#map.assertOpen();
    const { present, next } = await this.compare(name, asked);
    if (differsInToolsOnly(present, next)) return await this.#changeTools(name, next);
    return await this.#change(name, next, "The new settings");
  }

  /** How a workload is run, and how it would be after `edit`. @throws {ThvError} As `edit`, before anything changes. */
  async compare(
    name: string,
    asked: CreateRequest,
  ): Promise<{ readonly present: RunConfig; readonly next: RunConfig }> {
    const { config: present } = this.#map.getUsable(name);
    const resolved = await this.#checks.resolve(keepServerPort(withName(name, asked), present), present);
    // Once more, because the transport may be the registry's.
    const request = keepServerPort(resolved, present);
    const access = await resolveAccess(request, await this.#options.telemetryDefaults?.());
    const draft = draftRunConfig(request, new Date(present.created_at), keepHeaders(access, present));
    await this.#checks.checkSecrets(listRequestedSecrets(request));
    assertSamePlace(present, draft);
    return { present, next: { ...draft, port: request.proxy_port || present.port } };
  }

  /** What `undo` would change. @returns `undefined` where there is nothing to undo. @throws {ThvError} As `WorkloadMap#getUsable`. */
  async findUndo(name: string): Promise<UndoableChange | undefined> {
    const { config: present } = this.#map.getUsable(name);
    const found = await this.#previous.find(present);
    if (!found) return undefined;
    const { config, portAfter, changedAt, omitted } = found;
    const { asleep: _asleep, ...before } = config;
    const port = present.port === portAfter ? config.port : present.port;
    return { present, next: { ...before, port, desired_state: present.desired_state }, changedAt, omitted };
  }

  /**
   * Takes the last change back, whoever made it. An undo is a change, too: a second one makes the change again.
   *
   * @throws {ThvError} As `edit`; `INVALID_ARGUMENT` where there is nothing to undo, and where a value was not kept.
   */
  async undo(name: string): Promise<Workload> {
    this.#map.assertOpen();
    const found = await this.findUndo(name);
    if (!found || isDeepStrictEqual(found.present, found.next)) {
      throw new ThvError("INVALID_ARGUMENT", `"${name}" has no change that could be undone.`, {
        hint: `Change it: thv edit ${name}`,
      });
    }
    const { present, next, omitted } = found;
    if (omitted.length > 0) {
      throw new ThvError(
        "INVALID_ARGUMENT",
        `The change of "${name}" cannot be undone: the values of ${omitted.join(", ")} from before look secret, and are not kept when ToolHive ends.`,
        { hint: suggestValues(name, omitted) },
      );
    }
    const { secrets = [] } = next;
    await this.#checks.checkSecrets([...secrets.map(parseSecretReference), ...listRemoteSecrets(next)]);
    if (differsInToolsOnly(present, next)) return await this.#changeTools(name, next);
    return await this.#change(name, next, "The settings before the last change");
  }

  /** Whether the change from one of these to the other, as `compare` gives them, would restart a server that runs. */
  needsRestart(present: RunConfig, next: RunConfig): boolean {
    if (present.desired_state !== "running" || differsInToolsOnly(present, next)) return false;
    const { desired_state: _before, asleep: _asleep, ...old } = present;
    const { desired_state: _after, asleep: _sleeps, ...other } = next;
    return !isDeepStrictEqual(old, other);
  }

  /**
   * Pins what the server offers now.
   *
   * @param asked Differences as they were shown. Default: all.
   * @throws {ThvError} As `WorkloadMap#getUsable`; `INVALID_ARGUMENT` when its tools are not pinned, `TOOLS_CHANGED`,
   * `FILE_FAILED`.
   */
  async acceptTools(name: string, asked?: readonly AcceptedTool[]): Promise<PinReport> {
    this.#map.assertOpen();
    const workload = this.#map.getUsable(name);
    this.#map.assertUnchanging(name);
    return await workload.acceptTools(asked);
  }

  /** @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`; and why the registry cannot be read. */
  async checkUpgrade(name: string): Promise<UpgradeCheck> {
    const { config } = this.#map.getUsable(name);
    return checkUpgrade(config, await this.#findEntry(config));
  }

  /** Of every workload that is meant and whose configuration can be read, sorted by name. @throws {ThvError} Why the registry cannot be read. */
  async checkUpgrades(isMeant: (workload: Workload) => boolean = () => true): Promise<UpgradeCheck[]> {
    const checks: UpgradeCheck[] = [];
    for (const { name } of this.#map.list().filter(isMeant)) {
      const config = this.#map.find(name)?.config;
      if (config && config.desired_state !== "removed")
        checks.push(checkUpgrade(config, await this.#findEntry(config)));
    }
    return checks;
  }

  /**
   * Runs a workload from the image that the registry lists now. Without one that differs nothing happens. A server that ran
   * runs as before when the new one does not answer.
   *
   * @throws {ThvError} As `edit`.
   */
  async upgrade(name: string, request: UpgradeRequest): Promise<Workload> {
    this.#map.assertOpen();
    assertUpgradeRequest(request);
    const { config } = this.#map.getUsable(name);
    const server = await this.#findEntry(config);
    if (!server || !checkUpgrade(config, server).isAvailable) return this.#map.describe(name);
    await this.#checks.checkSecrets(request.secrets);
    return await this.#change(name, buildUpgradedConfig(config, server, request), "The upgrade");
  }

  /**
   * The network rules of a workload, and its learned targets. @throws {ThvError} As `WorkloadMap#getUsable`;
   * `ENGINE_UNREACHABLE`.
   */
  async readNetwork(name: string): Promise<NetworkState> {
    const { config, network } = this.#map.getUsable(name);
    return describeNetwork(config, (await network?.listLearned()) ?? []);
  }

  /**
   * Lets a workload reach one more host. Its server keeps running where its sidecar accepts the rule at run time, and is
   * restarted otherwise.
   *
   * @throws {ThvError} As `edit`; `INVALID_ARGUMENT` for an invalid target, and when the workload enforces no rules.
   */
  async allowTarget(name: string, target: NetworkTarget): Promise<NetworkChange> {
    this.#map.assertOpen();
    return await this.#changeNetwork(name, allowInConfig(this.#map.getUsable(name).config, target));
  }

  /**
   * Enforces the smallest profile that allows the learned targets. @throws {ThvError} As `edit`; `INVALID_ARGUMENT` when there
   * are none.
   */
  async applyLearned(name: string): Promise<NetworkChange> {
    this.#map.assertOpen();
    const { config, network } = this.#map.getUsable(name);
    return await this.#changeNetwork(name, enforceLearned(config, (await network?.listLearned()) ?? []));
  }

  /** At once: neither its server nor the sessions of its clients end. */
  async #changeTools(name: string, next: RunConfig): Promise<Workload> {
    const workload = this.#map.getUsable(name);
    const before = workload.config;
    return await this.#map.whileChanging(name, async () => {
      await workload.changeTools(next);
      await this.#remember(before);
      this.#map.changes.announceProgress();
      return workload.describe();
    });
  }

  /** A change does not fail because the way back could not be written. */
  async #remember(before: RunConfig): Promise<void> {
    const after = this.#map.find(before.name)?.config;
    if (!after || isDeepStrictEqual(before, after)) return;
    this.#previous.retain((name) => this.#map.find(name) !== undefined);
    await this.#previous.save(before, after).catch((error: unknown) => {
      this.#map.context.log.warn(
        { workload: before.name, reason: describeError(error) },
        "settings before are not kept",
      );
    });
  }

  async #changeNetwork(name: string, members: NetworkMembers | undefined): Promise<NetworkChange> {
    const workload = this.#map.getUsable(name);
    const { config, network } = workload;
    if (!members) return { profile: config.permission_profile ?? {}, isRestarted: false };
    const profile = members.permission_profile ?? {};
    // It had no sidecar until now, so its container has to be created again.
    if (!network?.isFiltered) {
      const { learn_network: _learn, ...others } = config;
      await this.#change(name, { ...others, ...members }, "The new permissions");
      return { profile, isRestarted: workload.desired === "running" };
    }
    return await this.#map.whileChanging(name, async () => {
      const isDone = await network.change(members);
      await this.#remember(config);
      if (!isDone) {
        await workload.prepareStart(workload.config, {
          what: `The new permissions of "${name}" are saved, and in force from its next start. It runs on with those before`,
        });
        await (await workload.restart()).done;
      }
      this.#map.changes.announceProgress();
      return { profile, isRestarted: !isDone };
    });
  }

  /** @param next Of which its port may be taken. */
  async #change(name: string, next: RunConfig, what: string): Promise<Workload> {
    const map = this.#map;
    map.assertOpen();
    const old = map.getUsable(name);
    return await map.whileChanging(name, async () => {
      await this.#checks.checkEngine(next);
      await old.prepareStart(next, { what: `${what} of "${name}" did not work. It runs on with those before` });
      const endpoint = await this.#openNext(old.config, next);
      try {
        map.assertOpen();
        map.assertSame(old);
      } catch (error) {
        await endpoint?.close();
        throw error;
      }
      const before = old.builtImage;
      const { config } = old;
      const successor = await replaceWorkload(
        old,
        { next, endpoint, what },
        {
          manage: (config, kept) => map.manage(config, kept),
          install: (workload) => {
            map.add(workload);
            map.announce(workload.name);
          },
          isInstalled: (workload) => map.find(name) === workload,
          log: map.context.log,
        },
      );
      await this.#remember(config);
      if (before !== successor.builtImage) map.removeUnusedImage(before);
      return successor.describe();
    });
  }

  /** @returns The endpoint on the new port, where that is another one. */
  async #openNext(present: RunConfig, next: RunConfig): Promise<McpEndpoint | undefined> {
    if (next.port !== present.port) return await this.#map.openEndpoint(next, next.port);
    // An issuer that cannot be reached is known before the endpoint of now is given up.
    if (!isDeepStrictEqual(pickAccess(next), pickAccess(present)))
      await (await this.#map.openEndpoint(next, undefined)).close();
    return undefined;
  }

  async #findEntry({ image, remote_url, registry_source }: RunConfig): Promise<RegistryServer | undefined> {
    return remote_url === undefined ? await this.#options.registry?.findByImage(image, registry_source) : undefined;
  }
}

/** @throws {ThvError} `INVALID_ARGUMENT` for a request with another name. */
export function withName(name: string, request: CreateRequest): CreateRequest {
  if (!request.name || request.name === name) return { ...request, name };
  throw new ThvError("INVALID_ARGUMENT", `"${name}" cannot be renamed to "${request.name.slice(0, 100)}"`, {
    hint: `Start another one with these settings, then remove this one: thv rm ${name}`,
  });
}

/** @throws {ThvError} `INVALID_ARGUMENT` for a server that would move out of its container, or into one. */
export function assertSamePlace(present: RunConfig, next: Omit<RunConfig, "port">): void {
  const { name } = present;
  if ((present.remote_url === undefined) === (next.remote_url === undefined)) return;
  const place = present.remote_url === undefined ? "in a container" : "elsewhere";
  throw new ThvError("INVALID_ARGUMENT", `"${name}" runs ${place}, and cannot become a server that does not`, {
    hint: `Start another one with these settings, then remove this one: thv rm ${name}`,
  });
}

/** @param omitted As a project file calls them: `env.API_KEY`. */
function suggestValues(name: string, omitted: readonly string[]): string {
  const variables = omitted.filter((member) => member.startsWith("env.")).map((member) => member.slice("env.".length));
  if (variables.length < omitted.length) return `Write the settings anew: thv edit ${name}`;
  return `Give the values: thv edit ${name} ${variables.map((variable) => `--env ${variable}=VALUE`).join(" ")}`;
}

/** A server that speaks HTTP keeps the port in its container, unless another one is asked for. */
function keepServerPort<T extends CreateRequest>(request: T, { transport, target_port }: RunConfig): T {
  return { ...(request.transport === transport && target_port !== undefined && { target_port }), ...request };
}

/** Headers for the receiver of telemetry are in no answer: who sends settings back did not mean to leave them out. */
function keepHeaders(access: AccessConfig, { telemetry_config: before }: RunConfig): AccessConfig {
  const { telemetry_config: telemetry } = access;
  const isSameReceiver = telemetry !== undefined && telemetry.Endpoint === before?.Endpoint;
  if (!isSameReceiver || telemetry.Headers || !before?.Headers) return access;
  return { ...access, telemetry_config: { ...telemetry, Headers: before.Headers } };
}
