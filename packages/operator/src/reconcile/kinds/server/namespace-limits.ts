/** What a namespace forbids its pods. */
import { type ClusterClient, ClusterError } from "../../../cluster/index.ts";

const KEPT_MS = 60_000;
/** Levels of the Pod Security Standards that forbid the capability `NET_ADMIN`. */
const STRICT_LEVELS = new Set(["baseline", "restricted"]);

export class NamespaceLimits {
  readonly #client: ClusterClient;
  readonly #known = new Map<string, { readonly refusal: string | undefined; readonly at: number }>();

  constructor(client: ClusterClient) {
    this.#client = client;
  }

  /** @returns Why no sidecar with `NET_ADMIN` may run there. Not known, without the right to read namespaces: `undefined`. */
  async findSidecarRefusal(namespace: string, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#known.get(namespace);
    if (known !== undefined && Date.now() - known.at < KEPT_MS) return known.refusal;
    const refusal = await this.#read(namespace, signal);
    this.#known.set(namespace, { refusal, at: Date.now() });
    return refusal;
  }

  async #read(namespace: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { metadata } = await this.#client.send({ path: `/api/v1/namespaces/${namespace}`, signal });
      const level = metadata.labels?.["pod-security.kubernetes.io/enforce"];
      return STRICT_LEVELS.has(level)
        ? `namespace ${namespace} enforces Pod Security level ${level}, which forbids NET_ADMIN. Move the MCPServer to a namespace with level privileged to have both.`
        : undefined;
    } catch (error) {
      if (error instanceof ClusterError && [403, 404].includes(error.status)) return undefined;
      throw error;
    }
  }
}
