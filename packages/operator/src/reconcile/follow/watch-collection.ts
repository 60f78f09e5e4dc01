/** A collection of the cluster, followed: listed by pages, then watched, and listed again when the watch is too old. */
import { setTimeout as delay } from "node:timers/promises";
import { type ClusterClient, ClusterError } from "../../cluster/index.ts";
import type { JsonObject } from "../../contract/index.ts";

const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;
/** Seconds after which the API server ends a watch, so that watches spread over several API servers again. */
const WATCH_SECONDS = 540;
const MIN_WATCH_MS = 1_000;

export interface CollectionHandlers {
  /** An object as it is now. */
  readonly set: (object: JsonObject) => void;
  readonly remove: (object: JsonObject) => void;
  /** A list begins: keys that are not set until it ends were removed. */
  readonly begin: () => void;
  readonly end: () => void;
  /** Something went wrong, and is tried again. */
  readonly fail: (error: unknown) => void;
}

export interface WatchedCollection {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly isMetadataOnly?: boolean;
  /** Whether the API server may not know it, or not show it: it counts as empty until it does. Default false. */
  readonly mayBeMissing?: boolean;
}

/** Runs until the signal is aborted. Every list is reported whole; `end` follows the first one, too. */
export async function watchCollection(
  client: ClusterClient,
  { path, query = {}, isMetadataOnly = false, mayBeMissing = false }: WatchedCollection,
  handlers: CollectionHandlers,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (version === undefined) {
        handlers.begin();
        version = await list();
        handlers.end();
      }
      const begunAt = Date.now();
      let hasChanges = false;
      const changes = client.watch(path, version, {
        query: { ...query, timeoutSeconds: WATCH_SECONDS },
        signal,
        isMetadataOnly,
      });
      for await (const { type, object } of changes) {
        failures = 0;
        hasChanges = true;
        if (type === "DELETED") handlers.remove(object);
        else if (type !== "BOOKMARK") handlers.set(object);
        version = object.metadata?.resourceVersion ?? version;
      }
      // Ended at once: something between us and the API server permits no watch.
      if (!hasChanges && Date.now() - begunAt < MIN_WATCH_MS) throw new Error("the watch ended at once");
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      // The changes since that version are forgotten.
      const isTooOld = error instanceof ClusterError && error.status === 410;
      if (isTooOld) version = undefined;
      else handlers.fail(error);
      const isMissing = error instanceof ClusterError && (error.status === 404 || error.status === 403);
      if (mayBeMissing && isMissing) {
        version = undefined;
        handlers.begin();
        handlers.end();
      }
      failures += 1;
      const asked = (error instanceof ClusterError && error.retryAfterSeconds) || 0;
      const backoff = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS);
      // All collections lose an API server at the same moment.
      const pause = Math.max(backoff * (0.75 + Math.random() / 2), asked * 1_000);
      if (!isTooOld || failures > 1) await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  async function list(): Promise<string> {
    const pages = client.list(path, query, { signal, isMetadataOnly });
    for (;;) {
      const next = await pages.next();
      if (next.done) return next.value;
      handlers.set(next.value);
    }
  }
}
