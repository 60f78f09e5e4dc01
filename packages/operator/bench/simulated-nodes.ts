/**
 * Stands in for the controllers of StatefulSets and Deployments and for nodes: every workload has its pod at once, and the pod is
 * ready. It writes the same objects and statuses as they do, and nothing else.
 */
import type { ClusterClient } from "../src/cluster/index.ts";
import type { JsonObject } from "../src/contract/index.ts";

const CONCURRENCY = 16;

export class SimulatedNodes {
  readonly #client: ClusterClient;
  readonly #over = new AbortController();
  readonly #following: Promise<void>[] = [];
  readonly #pods = new Set<string>();
  readonly #due = new Map<string, JsonObject>();
  #workers = 0;

  constructor(client: ClusterClient) {
    this.#client = client;
    for (const plural of ["statefulsets", "deployments"]) this.#following.push(this.#follow(plural));
  }

  async close(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#following);
  }

  async #follow(plural: string): Promise<void> {
    const { signal } = this.#over;
    const path = `/apis/apps/v1/${plural}`;
    // Everything since the beginning: the cluster is new.
    let version = "0";
    while (!signal.aborted) {
      try {
        for await (const { type, object } of this.#client.watch(path, version, { signal })) {
          version = object.metadata.resourceVersion;
          if (type === "DELETED" || type === "BOOKMARK") continue;
          if (object.status?.observedGeneration === object.metadata.generation) continue;
          this.#due.set(object.metadata.uid, { ...object, plural });
          this.#work();
        }
      } catch (error) {
        if (!signal.aborted) console.error(`${plural} are watched again:`, error);
      }
    }
  }

  #work(): void {
    while (this.#workers < CONCURRENCY && this.#due.size > 0) {
      const [[uid, workload] = ["", {}]] = this.#due;
      this.#due.delete(uid);
      this.#workers += 1;
      this.#makeReady(workload)
        .catch((error) => console.error(`${workload.metadata.name} is not made ready:`, error))
        .finally(() => {
          this.#workers -= 1;
          this.#work();
        });
    }
  }

  async #makeReady({ plural, metadata, spec }: JsonObject): Promise<void> {
    const { namespace, name, uid, generation } = metadata;
    const replicas: number = spec.replicas ?? 1;
    const isStateful = plural === "statefulsets";
    const pod = isStateful ? `${name}-0` : `${name}-simulated`;
    const path = `/api/v1/namespaces/${namespace}/pods`;
    if (replicas > 0 && !this.#pods.has(`${namespace}/${pod}`)) {
      this.#pods.add(`${namespace}/${pod}`);
      const kind = isStateful ? "StatefulSet" : "Deployment";
      const owner = { apiVersion: "apps/v1", kind, name, uid, controller: true };
      await this.#client.send({
        method: "POST",
        path,
        body: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { ...spec.template.metadata, name: pod, namespace, ownerReferences: [owner] },
          spec: { ...spec.template.spec, nodeName: "simulated" },
        },
      });
      await this.#patchStatus(`${path}/${pod}`, describeReadyPod(spec.template.spec));
    }
    await this.#patchStatus(`/apis/apps/v1/namespaces/${namespace}/${plural}/${name}`, {
      observedGeneration: generation,
      replicas,
      readyReplicas: replicas,
      updatedReplicas: replicas,
      availableReplicas: replicas,
    });
  }

  async #patchStatus(path: string, status: JsonObject): Promise<void> {
    const contentType = "application/merge-patch+json";
    await this.#client.send({ method: "PATCH", path: `${path}/status`, body: { status }, contentType });
  }
}

function describeReadyPod({ containers, initContainers = [] }: JsonObject): JsonObject {
  const now = new Date().toISOString();
  const describe = ({ name, image }: JsonObject) => ({
    name,
    image,
    imageID: image,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: now } },
  });
  return {
    phase: "Running",
    startTime: now,
    conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: now,
    })),
    containerStatuses: containers.map(describe),
    initContainerStatuses: initContainers.map(describe),
  };
}
