/**
 * What the search clients need changed in their transport: other hosts, a memory of failed hosts that works, and failures that
 * reach the reader. The hosted provider's client is otherwise unchanged.
 */
import { LOCAL_SEARCH } from "../../../../src/search-settings.ts";

export interface SearchHost {
  readonly url: string;
  readonly protocol: "http" | "https";
  readonly accept: "read" | "write" | "readWrite";
  readonly port?: number;
}

interface HostState {
  readonly lastUpdate: number;
  isUp(): boolean;
  isTimedOut(): boolean;
}

export interface SearchTransporter {
  readonly hosts: SearchHost[];
  readonly hostsCache: {
    get(key: SearchHost, defaultValue: () => Promise<HostState>): Promise<HostState>;
    set(key: SearchHost, value: HostState): Promise<HostState>;
  };
}

/** Spec §9: how long a host that failed is tried last, milliseconds. */
export const FAILED_HOST_AVOIDED_MS = 2 * 60 * 1000;

/** Whether the configured application is the site's own service. */
export function isLocalSearch(appId: string | undefined): boolean {
  return appId === LOCAL_SEARCH.appId;
}

/**
 * The origin twice: the client then makes one retry, with four seconds instead of one.
 *
 * @param location The page's location: any port, http and https.
 */
export function sameOriginHosts(location: { host: string; protocol: string }): SearchHost[] {
  const host: SearchHost = {
    url: location.host,
    protocol: location.protocol === "https:" ? "https" : "http",
    accept: "readWrite",
  };
  return [host, { ...host }];
}

/**
 * Replaces the methods of the cache of host states. The stock cache stores a state under a key that contains the state and looks it
 * up without it, so that it never finds one and tries a dead host first on every request.
 */
export function rememberFailedHosts(transporter: SearchTransporter, now: () => number = Date.now): void {
  const states = new Map<string, { value: HostState; at: number; up: boolean; timedOut: boolean }>();
  const formatKey = ({ protocol, url, port, accept }: SearchHost) => `${protocol}|${url}|${port ?? ""}|${accept}`;
  // In place: the client calls the methods of the object it made, whatever its property says later.
  Object.assign(transporter.hostsCache, {
    async get(key, defaultValue) {
      const entry = states.get(formatKey(key));
      if (entry === undefined) return await defaultValue();
      const isFresh = () => now() - entry.at <= FAILED_HOST_AVOIDED_MS;
      return {
        ...entry.value,
        isUp: () => entry.up || !isFresh(),
        isTimedOut: () => entry.timedOut && isFresh(),
      };
    },
    async set(key, value) {
      states.set(formatKey(key), { value, at: now(), up: value.isUp(), timedOut: value.isTimedOut() });
      return value;
    },
  } satisfies SearchTransporter["hostsCache"]);
}

/**
 * Makes a failed search visible. The modal's error handler sets its state to `error` and its state machine sets it
 * back in the same tick; the handler is therefore called once more in a later task, where the state stays.
 * Every failure is named as the modal expects it: its error screen appears for one error name only.
 *
 * @param isAwaited Whether the reader still waits for this answer when it has failed. The error screen would otherwise hide the results
 *   of a later search until the next one.
 */
export function withVisibleFailure<T>(answer: Promise<T>, isAwaited: () => boolean): Promise<T> {
  const failing = answer.catch((error: unknown) => {
    const failure = error instanceof Error ? error : new Error(String(error));
    failure.name = "RetryError";
    throw failure;
  });
  const stockCatch = failing.catch.bind(failing);
  failing.catch = <R>(handler?: ((error: unknown) => R | PromiseLike<R>) | null) =>
    stockCatch((error: unknown) => {
      if (!handler) throw error;
      setTimeout(() => {
        if (!isAwaited()) return;
        try {
          void handler(error);
        } catch {
          // The modal's handler throws by design; its first call reports the error.
        }
      }, 0);
      return handler(error);
    });
  return failing;
}
