/** MCPServers as the API server has them, for waiting until they are as requested. */
import { Listeners } from "@toolhive/http/listeners";
import type { ClusterClient } from "../src/cluster/index.ts";
import { API_VERSION, type MCPServer, PLURAL } from "../src/contract/index.ts";

/** What is measured of one; the rest would fill the memory. */
export interface SeenServer {
  readonly generation: number;
  readonly observed: number;
  /** Of the condition `Ready`, where that is true. */
  readonly reason: string;
  readonly url: string;
}

export class WatchedServers {
  readonly #servers = new Map<string, SeenServer>();
  readonly #waiting = new Listeners();
  readonly #over = new AbortController();
  readonly #following: Promise<void>;
  #converged = 0;

  constructor(client: ClusterClient) {
    this.#following = this.#follow(client);
  }

  /** Those that run as they were asked for. */
  get converged(): number {
    return this.#converged;
  }

  get(name: string): SeenServer | undefined {
    return this.#servers.get(name);
  }

  /** @returns When the condition holds, which is checked after each change. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!condition()) return;
        leave();
        resolve();
      };
      const leave = this.#waiting.add(look);
    });
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#following;
  }

  async #follow(client: ClusterClient): Promise<void> {
    const { signal } = this.#over;
    let version = "0";
    while (!signal.aborted) {
      try {
        for await (const { type, object } of client.watch(`/apis/${API_VERSION}/${PLURAL}`, version, { signal })) {
          version = object.metadata.resourceVersion;
          if (type === "BOOKMARK") continue;
          const { metadata, status } = object as MCPServer;
          const before = this.#servers.get(metadata.name);
          const now = {
            generation: metadata.generation ?? 0,
            observed: status?.observedGeneration ?? 0,
            reason:
              status?.conditions?.find(({ type: about, status: is }) => about === "Ready" && is === "True")?.reason ??
              "",
            url: status?.url ?? "",
          };
          this.#servers.set(metadata.name, now);
          this.#converged += Number(isConverged(now)) - Number(before !== undefined && isConverged(before));
          this.#waiting.notify();
        }
      } catch (error) {
        if (!signal.aborted) console.error("MCPServers are watched again:", error);
      }
    }
  }
}

/** Whether it runs, and all its pods are as they were asked for. */
export function isConverged({ generation, observed, reason }: SeenServer): boolean {
  return reason === "Running" && observed === generation;
}
