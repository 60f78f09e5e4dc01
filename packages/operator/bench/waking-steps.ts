/** When what the first call of a stopped server waits for was reported by the API server. */
import type { ClusterClient } from "../src/cluster/index.ts";
import type { JsonObject } from "../src/contract/index.ts";

/** In their order: the operator, the StatefulSet's controller, the scheduler, and twice the kubelet. */
export const WAKING_STEPS = ["wanted", "created", "bound", "running", "ready"] as const;
export type WakingStep = (typeof WAKING_STEPS)[number];

export class WakingSteps implements AsyncDisposable {
  readonly #client: ClusterClient;
  readonly #namespace: string;
  readonly #over = new AbortController();
  readonly #following: Promise<unknown>;
  readonly #seen = new Map<WakingStep, number>();
  #begunAt = Number.POSITIVE_INFINITY;

  /** Of an MCPServer. */
  constructor(client: ClusterClient, namespace: string, name: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#following = Promise.all([
      this.#follow("/apis/apps/v1", "statefulsets", name, ({ spec }) => spec.replicas > 0 && this.#see("wanted")),
      this.#follow("/api/v1", "pods", `${name}-0`, (pod) => this.#seePod(pod)),
    ]);
  }

  begin(): void {
    this.#seen.clear();
    this.#begunAt = performance.now();
  }

  /** @returns Seconds since the begin; `undefined` for what has not happened since. */
  read(step: WakingStep): number | undefined {
    const at = this.#seen.get(step);
    return at === undefined ? undefined : (at - this.#begunAt) / 1_000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#following;
  }

  #see(step: WakingStep): void {
    if (performance.now() >= this.#begunAt && !this.#seen.has(step)) this.#seen.set(step, performance.now());
  }

  #seePod({ metadata, spec, status = {} }: JsonObject): void {
    if (metadata.deletionTimestamp !== undefined) return;
    this.#see("created");
    if (spec.nodeName) this.#see("bound");
    const containers: JsonObject[] = status.containerStatuses ?? [];
    if (containers.some(({ name, state }) => name === "mcp" && state?.running)) this.#see("running");
    const conditions: JsonObject[] = status.conditions ?? [];
    if (conditions.some(({ type, status: is }) => type === "Ready" && is === "True")) this.#see("ready");
  }

  async #follow(api: string, plural: string, name: string, see: (object: JsonObject) => void): Promise<void> {
    const { signal } = this.#over;
    const path = `${api}/namespaces/${this.#namespace}/${plural}`;
    const query = { fieldSelector: `metadata.name=${name}` };
    while (!signal.aborted) {
      try {
        const { metadata } = await this.#client.send({ path, query, signal });
        for await (const { type, object } of this.#client.watch(path, metadata.resourceVersion, { query, signal })) {
          if (type === "ADDED" || type === "MODIFIED") see(object);
        }
      } catch (error) {
        if (!signal.aborted) console.error(`${plural} are followed again:`, error);
      }
    }
  }
}
