/** Follows the one pod of a server on stdio: which run of its container is up, and why none is. */

import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { Listeners } from "@toolhive/http/listeners";
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import type { JsonObject } from "../contract/index.ts";
import type { AttachTarget } from "./attach.ts";

/** Milliseconds between two tries to watch. */
const AGAIN_MS = 500;
const MAX_AGAIN_MS = 10_000;

/** One run of the container. */
export interface ContainerRun {
  /** The same for one process of the server only. Of a run that its kubelet has not reported it changes when that is done. */
  readonly id: string;
}

/** What the API server says of the container. */
export type SeenContainer =
  /** It runs; `isFirst`: for the first time in its pod. */
  | { readonly pod: string; readonly id: string; readonly isFirst: boolean }
  /** `begins`: its node has the pod and has not reported a run of the container yet, so that it may run already. */
  | { readonly pod?: string; readonly reason: string; readonly begins?: true };

export class ServerPod {
  readonly #client: ClusterClient;
  readonly #target: AttachTarget;
  readonly #log: Logger;
  readonly #listeners = new Listeners();
  #run: ContainerRun | undefined;
  /** The first run in its pod, from the time that its node has the pod. */
  #first: { readonly pod: string; id: string; isReported: boolean } | undefined;
  #reason = "its pod is not there yet";

  constructor(client: ClusterClient, target: AttachTarget, log: Logger) {
    this.#client = client;
    this.#target = target;
    this.#log = log;
  }

  /** The run that is up; `undefined` while none is. */
  get run(): ContainerRun | undefined {
    return this.#run;
  }

  /**
   * A run that its kubelet has not reported, which takes it up to a second, and that may be up: whoever attaches learns whether it is.
   */
  get unreported(): ContainerRun | undefined {
    return this.#first?.isReported === false ? this.#first : undefined;
  }

  /** Whether a run that was up may be up still. */
  isUp(run: ContainerRun): boolean {
    return run.id === (this.#run ?? this.unreported)?.id;
  }

  /** Why none is up. */
  get reason(): string {
    return this.#reason;
  }

  /** Resolves once the condition holds. @throws The signal's reason. */
  async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        leave();
        signal.removeEventListener("abort", abort);
      };
      const check = () => {
        if (!condition()) return;
        settle();
        resolve();
      };
      const abort = () => {
        settle();
        reject(signal.reason);
      };
      const leave = this.#listeners.add(check);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
    });
  }

  /** Watches until the signal fires; outages of the API server are waited out. */
  async follow(signal: AbortSignal): Promise<void> {
    const { namespace, pod } = this.#target;
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const query = { fieldSelector: `metadata.name=${pod}` };
    let failures = 0;
    while (!signal.aborted) {
      try {
        const page = await this.#client.send({ path, query, signal });
        this.see(page.items?.[0]);
        for await (const { type, object } of this.#client.watch(path, page.metadata?.resourceVersion ?? "", {
          query,
          signal,
        })) {
          failures = 0;
          if (type !== "BOOKMARK") this.see(type === "DELETED" ? undefined : object);
        }
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const isOld = error instanceof ClusterError && error.status === 410;
        if (!isOld) this.#log.warn({ pod, reason: describeError(error) }, "pod cannot be watched, trying again");
        // The proxies of all servers lose an API server at the same moment.
        const ms = Math.min(MAX_AGAIN_MS, AGAIN_MS * 2 ** failures) * (0.75 + Math.random() / 2);
        const isFirst = isOld && failures === 1;
        await delay(isFirst ? 0 : ms, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** @param pod As the API server has it; `undefined` when it does not exist. */
  see(pod: JsonObject | undefined): void {
    const found = readContainer(pod, this.#target.container);
    const isSamePod = this.#first !== undefined && this.#first.pod === found.pod;
    if ("id" in found) {
      // What was attached to before is this run, unless the container was started again meanwhile.
      if (isSamePod && this.#first && found.isFirst && !this.#first.isReported) this.#first.id = found.id;
      this.#first = { pod: found.pod, id: found.id, isReported: true };
      this.#run = { id: found.id };
      this.#reason = "";
    } else {
      if (!found.begins || found.pod === undefined) this.#first = undefined;
      else if (!isSamePod) this.#first = { pod: found.pod, id: `${found.pod} not reported`, isReported: false };
      this.#run = undefined;
      this.#reason = found.reason;
    }
    this.#listeners.notify();
  }
}

/** @param pod As the API server has it; `undefined` when it does not exist. */
export function readContainer(pod: JsonObject | undefined, container: string): SeenContainer {
  if (pod === undefined) return { reason: "its pod does not exist" };
  if (pod.metadata?.deletionTimestamp !== undefined) return { reason: "its pod is being removed" };
  const uid = String(pod.metadata?.uid);
  const statuses: JsonObject[] = pod.status?.containerStatuses ?? [];
  const status = statuses.find(({ name }) => name === container);
  const { running, waiting, terminated } = status?.state ?? {};
  const isFirst = (status?.restartCount ?? 0) === 0;
  if (running !== undefined && typeof status?.containerID === "string") {
    return { pod: uid, id: `${uid} ${status.containerID}`, isFirst };
  }
  if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating" && waiting.reason !== "PodInitializing") {
    return { reason: `its container waits: ${[waiting.reason, waiting.message].filter(Boolean).join(", ")}` };
  }
  if (terminated !== undefined) return { reason: `its container ended with code ${terminated.exitCode}` };
  const begins = isFirst && status?.lastState?.terminated === undefined && typeof pod.spec?.nodeName === "string";
  return { pod: uid, reason: "its pod is being started", ...(begins && { begins }) };
}
