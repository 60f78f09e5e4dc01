/** Follows the one pod of a server on stdio: which run of its container is up, and why none is. */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@toolhive/core";
import { describeError } from "@toolhive/core/errors";
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import type { JsonObject } from "../contract/index.ts";
import type { AttachTarget } from "./attach.ts";

/** Milliseconds between two tries to watch. */
const AGAIN_MS = 500;
const MAX_AGAIN_MS = 10_000;

/** One run of the container. */
export interface ContainerRun {
  /** The same for one process of the server only. */
  readonly id: string;
}

export class ServerPod {
  readonly #client: ClusterClient;
  readonly #target: AttachTarget;
  readonly #log: Logger;
  readonly #listeners = new Set<() => void>();
  #run: ContainerRun | undefined;
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

  /** Why none is up. */
  get reason(): string {
    return this.#reason;
  }

  /** Resolves once the condition holds. @throws The signal's reason. */
  async until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        this.#listeners.delete(check);
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
      this.#listeners.add(check);
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
        this.#see(page.items?.[0]);
        for await (const { type, object } of this.#client.watch(path, page.metadata?.resourceVersion ?? "", {
          query,
          signal,
        })) {
          failures = 0;
          if (type !== "BOOKMARK") this.#see(type === "DELETED" ? undefined : object);
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

  #see(pod: JsonObject | undefined): void {
    const found = readContainer(pod, this.#target.container);
    this.#run = "id" in found ? { id: found.id } : undefined;
    this.#reason = "reason" in found ? found.reason : "";
    for (const check of [...this.#listeners]) check();
  }
}

/** @param pod As the API server has it; `undefined` when it does not exist. */
export function readContainer(
  pod: JsonObject | undefined,
  container: string,
): { readonly id: string } | { readonly reason: string } {
  if (pod === undefined) return { reason: "its pod does not exist" };
  if (pod.metadata?.deletionTimestamp !== undefined) return { reason: "its pod is being removed" };
  const statuses: JsonObject[] = pod.status?.containerStatuses ?? [];
  const status = statuses.find(({ name }) => name === container);
  const { running, waiting, terminated } = status?.state ?? {};
  if (running !== undefined && typeof status?.containerID === "string") {
    return { id: `${pod.metadata?.uid} ${status.containerID}` };
  }
  if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating") {
    return { reason: `its container waits: ${[waiting.reason, waiting.message].filter(Boolean).join(", ")}` };
  }
  if (terminated !== undefined) return { reason: `its container ended with code ${terminated.exitCode}` };
  return { reason: "its pod is being started" };
}
