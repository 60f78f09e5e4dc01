/**
 * Reads the registry of one source: keeps what it read, refreshes a registry at an address by age in the background, and uses the
 * copy on disk while its origin cannot be reached. It asks again after longer and longer pauses.
 */
import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { formatSpan } from "@toolhive/http/values";
import { readBoundedText } from "../../files/bounded-file.ts";
import type { Logger } from "../../ports/log.ts";
import { describeError, ThvError } from "../../support/errors.ts";
import { parseEmbeddedRegistry } from "../embedded.ts";
import { parseRegistry } from "../parse-registry.ts";
import type { Registry } from "../registry-schema.ts";
import { fetchWhole } from "./fetch-pages.ts";
import { type FetchedRegistry, MAX_REGISTRY_BYTES } from "./fetch-registry.ts";
import type { CachedRegistry, RegistryCache } from "./registry-cache.ts";
import type { RegistrySource } from "./registry-source.ts";

const REFRESH_AFTER_MS = 60 * 60 * 1000;
/** Milliseconds before a refresh that failed is tried again, doubled by each failure up to an hour; the old copy is used until then. */
const RETRY_STALE_MS = 60_000;
/** Milliseconds for which a failure without a copy is repeated to further callers. */
const RETRY_FAILED_MS = 2_000;
/** Milliseconds that a caller waits for the refresh of an old copy before it gets that copy. */
const REFRESH_WAIT_MS = 2_000;

export interface LoadedRegistry {
  readonly registry: Registry;
  readonly source: RegistrySource;
  /** When its origin last confirmed it; absent for a registry on this machine. */
  readonly checkedAt?: Date;
  /** Why an old copy is used; absent while the registry is up to date. */
  readonly staleReason?: string;
}

export interface SourceReaderOptions {
  readonly cache: RegistryCache;
  readonly log: Logger;
  /** Certificates to trust for a remote registry instead of the system's, PEM. */
  readonly ca?: string | undefined;
  /** Milliseconds after which the origin is asked whether its registry has changed. Default: an hour. */
  readonly refreshAfterMs?: number;
  /** Whether nothing is fetched: of a registry at an address, only the copy is used, whatever its age. */
  readonly isOffline?: boolean;
  /** Milliseconds that a caller waits for a refresh while there is a copy. Default: 2 s. */
  readonly refreshWaitMs?: number;
  readonly now?: () => number;
}

type RemoteSource = Extract<RegistrySource, { kind: "remote" }>;

interface Remembered {
  readonly key: string;
  readonly loaded: LoadedRegistry;
  /** Remote: when to ask again, in milliseconds since the epoch. File: its state when it was read. */
  readonly validUntil: number;
  readonly fileVersion: string;
}

interface Copy {
  readonly kept: CachedRegistry;
  readonly registry: Registry;
  readonly checkedAt: number;
}

export class SourceReader {
  readonly #options: SourceReaderOptions;
  readonly #now: () => number;
  readonly #refreshAfterMs: number;
  #remembered: Remembered | undefined;
  #failed: { readonly key: string; readonly error: unknown; readonly until: number } | undefined;
  /** Refreshes that failed one after another. */
  #failures = 0;
  readonly #refreshes = new Map<string, Promise<LoadedRegistry>>();

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#refreshAfterMs = options.refreshAfterMs ?? REFRESH_AFTER_MS;
  }

  /** @throws {ThvError} `REGISTRY_UNAVAILABLE`, `REGISTRY_INVALID`. */
  async load(source: RegistrySource): Promise<LoadedRegistry> {
    switch (source.kind) {
      case "embedded":
        return { registry: parseEmbeddedRegistry(), source };
      case "file":
        return await this.#loadFile(source);
      case "remote":
        return await this.#loadRemote(source);
    }
  }

  /** Like `load`, and asks the origin at once, however young the copy is. @throws {ThvError} As `load`. */
  async refresh(source: RegistrySource): Promise<LoadedRegistry> {
    this.forget();
    if (source.kind !== "remote") return await this.load(source);
    return await this.#refreshOnce(source, await this.#readCopy(source), { isForced: true });
  }

  forget(): void {
    this.#remembered = undefined;
    this.#failed = undefined;
    this.#failures = 0;
  }

  async #loadFile(source: Extract<RegistrySource, { kind: "file" }>): Promise<LoadedRegistry> {
    const key = formatSourceKey(source);
    try {
      const { mtimeMs, size, ino } = await stat(source.path);
      const fileVersion = `${mtimeMs}-${size}-${ino}`;
      const known = this.#remembered;
      if (known?.key === key && known.fileVersion === fileVersion) return known.loaded;
      const text = await readBoundedText(source.path, { maxBytes: MAX_REGISTRY_BYTES });
      const loaded = { registry: parseRegistry(text, source.path), source };
      this.#remembered = { key, loaded, fileVersion, validUntil: 0 };
      return loaded;
    } catch (error) {
      if (error instanceof ThvError) throw error;
      throw new ThvError(
        "REGISTRY_UNAVAILABLE",
        `The registry ${source.path} cannot be read: ${describeError(error)}.`,
        {
          hint: "Check the path, or go back to the built-in registry: thv config unset-registry-url",
          cause: error,
        },
      );
    }
  }

  async #loadRemote(source: RemoteSource): Promise<LoadedRegistry> {
    const key = formatSourceKey(source);
    const known = this.#remembered;
    if (known?.key === key && this.#now() < known.validUntil) return known.loaded;
    if (this.#failed?.key === key && this.#now() < this.#failed.until) throw this.#failed.error;
    const copy = await this.#readCopy(source);
    if (copy && (this.#options.isOffline || this.#isFresh(copy))) {
      const { registry, checkedAt } = copy;
      const loaded = { registry, source, checkedAt: new Date(checkedAt) };
      return this.#remember(key, loaded, checkedAt + this.#refreshAfterMs);
    }
    if (this.#options.isOffline) {
      throw new ThvError("REGISTRY_UNAVAILABLE", `There is no copy of the registry ${source.url} on this machine.`);
    }
    const refresh = this.#refreshOnce(source, copy, { isForced: false });
    if (!copy) return await refresh;
    const waitMs = this.#options.refreshWaitMs ?? REFRESH_WAIT_MS;
    const late = delay(waitMs, undefined, { ref: false });
    const loaded = await Promise.race([refresh, late]);
    if (loaded) return loaded;
    // The refresh goes on, and its result replaces this one.
    const reason = `The registry ${source.url} has not answered yet. ${this.#describeCopy(copy)}`;
    const stale = { registry: copy.registry, source, checkedAt: new Date(copy.checkedAt), staleReason: reason };
    return this.#remember(key, stale, this.#now() + RETRY_STALE_MS);
  }

  /** A clock that was set back must not make a copy last for years. */
  #isFresh({ checkedAt }: Copy): boolean {
    const ageMs = this.#now() - checkedAt;
    return ageMs >= 0 && ageMs < this.#refreshAfterMs;
  }

  #describeCopy({ kept, checkedAt }: Copy): string {
    return `The copy of ${kept.checked_at} is used, which is ${formatSpan(this.#now() - checkedAt)} old.`;
  }

  async #readCopy({ url }: RemoteSource): Promise<Copy | undefined> {
    const kept = await this.#options.cache.find(url);
    const registry = kept && tryParse(kept.text, url);
    return kept && registry && { kept, registry, checkedAt: Date.parse(kept.checked_at) };
  }

  /** Concurrent callers share one request. */
  async #refreshOnce(
    source: RemoteSource,
    copy: Copy | undefined,
    options: { readonly isForced: boolean },
  ): Promise<LoadedRegistry> {
    const key = formatSourceKey(source);
    const refreshKey = `${options.isForced ? "forced " : ""}${key}`;
    let refresh = this.#refreshes.get(refreshKey);
    if (!refresh) {
      refresh = this.#refresh(source, key, copy).finally(() => this.#refreshes.delete(refreshKey));
      this.#refreshes.set(refreshKey, refresh);
    }
    return await refresh;
  }

  async #refresh(source: RemoteSource, key: string, copy: Copy | undefined): Promise<LoadedRegistry> {
    const { ca, log } = this.#options;
    try {
      const fetched = await fetchWhole(source.url, {
        allowPrivate: source.allowPrivate,
        etag: copy?.kept.etag,
        lastModified: copy?.kept.last_modified,
        ca,
      });
      const registry = await this.#accept(source.url, fetched, copy);
      const now = this.#now();
      this.#failures = 0;
      return this.#remember(key, { registry, source, checkedAt: new Date(now) }, now + this.#refreshAfterMs);
    } catch (error) {
      if (!copy) {
        this.#failed = { key, error, until: this.#now() + RETRY_FAILED_MS };
        throw error;
      }
      const reason = `${describeError(error)} ${this.#describeCopy(copy)}`;
      log.warn({ registry: source.url, reason }, "registry could not be refreshed");
      const { registry, checkedAt } = copy;
      const loaded = { registry, source, checkedAt: new Date(checkedAt), staleReason: reason };
      const pauseMs = Math.min(RETRY_STALE_MS * 2 ** this.#failures, REFRESH_AFTER_MS);
      this.#failures += 1;
      return this.#remember(key, loaded, this.#now() + pauseMs);
    }
  }

  /** Validates the answer and stores a copy before it is used. */
  async #accept(url: string, fetched: FetchedRegistry, copy: Copy | undefined): Promise<Registry> {
    const { cache, log } = this.#options;
    const isNew = fetched.kind === "content";
    const text = isNew ? fetched.text : (copy?.kept.text ?? "");
    const { etag, lastModified } = isNew ? fetched : { etag: copy?.kept.etag, lastModified: copy?.kept.last_modified };
    const registry = parseRegistry(text, url);
    const checked_at = new Date(this.#now()).toISOString();
    try {
      await cache.save({
        url,
        text,
        checked_at,
        ...(etag !== undefined && { etag }),
        ...(lastModified !== undefined && { last_modified: lastModified }),
      });
    } catch (error) {
      // It can be used all the same; it will be fetched again after a restart.
      log.warn({ registry: url, reason: describeError(error) }, "registry could not be kept on disk");
    }
    return registry;
  }

  #remember(key: string, loaded: LoadedRegistry, validUntil: number): LoadedRegistry {
    this.#remembered = { key, loaded, validUntil, fileVersion: "" };
    this.#failed = undefined;
    return loaded;
  }
}

function formatSourceKey(source: RegistrySource): string {
  return JSON.stringify(source);
}

function tryParse(text: string, url: string): Registry | undefined {
  try {
    return parseRegistry(text, url);
  } catch {
    // Written by a version with other rules: it is fetched again.
    return undefined;
  }
}
