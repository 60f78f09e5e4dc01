/** The network rules of one container, as its sidecar enforces them: reads refused and learned targets, and changes the rules. */
import { readOutbound, resolveProfile } from "../../permissions/permission-profile.ts";
import type { ContainerEvent } from "../../ports/container-engine.ts";
import type { StampedLine } from "../../server-log/log-line.ts";
import { type Denial, isAllowedNow, summarizeDenials } from "../../sidecar-rules/denials.ts";
import type { LearnedTarget } from "../../sidecar-rules/learned.ts";
import { DENIAL_PREFIX } from "../../sidecar-rules/sidecar-rules.ts";
import { describeError } from "../../support/errors.ts";
import type { WorkloadSidecar } from "../containers/workload-sidecar.ts";
import type { NetworkMembers } from "../state/desired-config.ts";
import type { PlaceNetwork, PlaceParts } from "./server-place.ts";

interface ContainerNetworkParts extends Pick<PlaceParts, "config" | "state" | "operations" | "context"> {
  readonly sidecar: WorkloadSidecar;
  /** The sidecar has ended, so that the server has no network. */
  readonly onSidecarEnded: () => void;
}

export class ContainerNetwork implements PlaceNetwork {
  readonly #parts: ContainerNetworkParts;

  constructor(parts: ContainerNetworkParts) {
    this.#parts = parts;
  }

  get isFiltered(): boolean {
    return this.#parts.sidecar.isNeeded;
  }

  async listDenials(): Promise<Denial[]> {
    return summarizeDenials(await this.#readDenials());
  }

  async listLearned(): Promise<LearnedTarget[]> {
    const { sidecar, context } = this.#parts;
    return sidecar.isNeeded ? await sidecar.readLearned(await context.requireEngine()) : [];
  }

  async change(members: NetworkMembers): Promise<boolean> {
    const { config, state, sidecar, context } = this.#parts;
    await config.changeNetwork(members);
    // One that sleeps or is stopped starts with them.
    if (!state.isUp && state.status !== "starting") return true;
    try {
      const isDone = await sidecar.adoptRules(await context.requireEngine());
      if (isDone) await this.#showNewestDenial();
      return isDone;
    } catch (error) {
      // A restart applies the rules, or reports the problem.
      context.log.warn({ workload: this.#name, reason: describeError(error) }, "sidecar did not take new rules");
      return false;
    }
  }

  /** Called every few seconds: closes networks that were added since the server started, and reports refused connections. */
  async tend(): Promise<void> {
    await this.#refresh();
    await this.#showNewestDenial();
  }

  onContainerEvent({ action, containerName }: ContainerEvent): void {
    if (action !== "start" && this.#parts.sidecar.isNamed(containerName)) void this.#checkSidecar();
  }

  get #name(): string {
    return this.#parts.config.current.name;
  }

  async #refresh(): Promise<void> {
    const { state, operations, sidecar, context } = this.#parts;
    if (!state.isUp || operations.isWorking || !sidecar.isNeeded) return;
    try {
      await sidecar.refresh(await context.requireEngine());
    } catch (error) {
      // The next periodic check tries again.
      context.log.warn({ workload: this.#name, reason: describeError(error) }, "new networks could not be closed");
    }
  }

  async #readDenials(): Promise<StampedLine[]> {
    const { config, sidecar, context } = this.#parts;
    if (!sidecar.isNeeded) return [];
    const lines = await sidecar.readDenials(await context.requireEngine());
    const { permission_profile: profile } = config.current;
    const outbound = readOutbound(profile && resolveProfile(profile));
    return lines.filter(({ text }) => !isAllowedNow(text, outbound));
  }

  /** The newest denial often explains why a tool of the server fails. */
  async #showNewestDenial(): Promise<void> {
    const { state, sidecar, context } = this.#parts;
    const isRunning = () => state.status === "running" && state.isUp;
    if (!isRunning() || !sidecar.isNeeded) return;
    try {
      const newest = (await this.#readDenials()).at(-1)?.text;
      const shown = state.reason.startsWith(DENIAL_PREFIX) ? "" : undefined;
      const reason = newest ?? shown;
      if (reason !== undefined && isRunning()) state.set("running", reason);
    } catch (error) {
      context.log.debug({ workload: this.#name, reason: describeError(error) }, "denials could not be read");
    }
  }

  /** Events arrive late: this one may be about an earlier run. */
  async #checkSidecar(): Promise<void> {
    const { sidecar, context, onSidecarEnded } = this.#parts;
    try {
      if (!(await sidecar.isRunning(await context.requireEngine()))) onSidecarEnded();
    } catch (error) {
      // The loss of the engine will report the same.
      context.log.debug({ workload: this.#name, reason: describeError(error) }, "sidecar could not be looked at");
    }
  }
}
