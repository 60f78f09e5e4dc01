/**
 * The registry in use: follows the settings, caches what it read, refreshes a remote registry by age, and uses the
 * cached copy while it cannot be reached. Failures are remembered only briefly.
 */
import { stat } from "node:fs/promises";
import type { Config } from "../../config/config-schema.ts";
import { readBoundedText } from "../../files/bounded-file.ts";
import type { Logger } from "../../ports/log.ts";
import { describeError, hasCode, ThvError } from "../../support/errors.ts";
import { parseTarget } from "../../target/target.ts";
import { parseEmbeddedRegistry } from "../embedded.ts";
import { findEntry, findServerByImage } from "../find-server.ts";
import { parseRegistry } from "../parse-registry.ts";
import { readServerJson } from "../read-server-json.ts";
import type { Registry, RegistryEntry, RegistryServer } from "../registry-schema.ts";
import { fetchVersion, fetchWhole } from "./fetch-pages.ts";
import { type FetchedRegistry, MAX_REGISTRY_BYTES } from "./fetch-registry.ts";
import type { RegistryCache } from "./registry-cache.ts";
import { parseRegistrySource, type RegistrySource } from "./registry-source.ts";

const REFRESH_AFTER_MS = 60 * 60 * 1000;
/** Milliseconds before a refresh that failed is tried again; the old copy is used until then. */
const RETRY_STALE_MS = 60_000;
/** Milliseconds for which a failure without a copy is repeated to further callers. */
const RETRY_FAILED_MS = 2_000;

export interface LoadedRegistry {
  readonly registry: Registry;
  readonly source: RegistrySource;
  /** When its origin last confirmed it; absent for a registry on this machine. */
  readonly checkedAt?: Date;
  /** Why an old copy is used; absent while the registry is up to date. */
  readonly staleReason?: string;
}

export type RegistrySettings = Pick<Config, "registry_url" | "allow_private_registry_ip">;

export interface RegistryCatalogOptions {
  /** The settings, read at each use. @throws {ThvError} `CONFIG_INVALID`. */
  readonly loadConfig: () => Promise<RegistrySettings>;
  /** Keeps other settings. @throws {ThvError} `CONFIG_INVALID`, `CONFIG_LOCKED`. */
  readonly saveConfig?: (settings: RegistrySettings) => Promise<unknown>;
  readonly cache: RegistryCache;
  readonly log: Logger;
  /** Certificates to trust for a remote registry instead of the system's, PEM. */
  readonly ca?: string | undefined;
  /** Milliseconds after which the origin is asked whether its registry has changed. Default: an hour. */
  readonly refreshAfterMs?: number;
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

export class RegistryCatalog {
  readonly #options: RegistryCatalogOptions;
  readonly #now: () => number;
  readonly #refreshAfterMs: number;
  #remembered: Remembered | undefined;
  #failed: { readonly key: string; readonly error: unknown; readonly until: number } | undefined;
  readonly #refreshes = new Map<string, Promise<LoadedRegistry>>();

  constructor(options: RegistryCatalogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#refreshAfterMs = options.refreshAfterMs ?? REFRESH_AFTER_MS;
  }

  /** @throws {ThvError} `REGISTRY_UNAVAILABLE`, `REGISTRY_INVALID`, `CONFIG_INVALID`. */
  async load(): Promise<LoadedRegistry> {
    const source = readConfiguredSource(await this.#options.loadConfig());
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
  async refresh(): Promise<LoadedRegistry> {
    this.#remembered = undefined;
    this.#failed = undefined;
    const source = readConfiguredSource(await this.#options.loadConfig());
    if (source.kind !== "remote") return await this.load();
    return await this.#refreshOnce(source, { isForced: true });
  }

  /**
   * Uses another registry from now on, when it can be read.
   *
   * @throws {ThvError} As `load`, `INVALID_ARGUMENT` for what cannot be a registry, `CONFIG_LOCKED`; nothing is changed then.
   */
  async choose(settings: RegistrySettings): Promise<LoadedRegistry> {
    parseRegistrySource(settings);
    // Whether the settings can be changed at all is known before a registry is fetched.
    await this.#options.loadConfig();
    const candidate = new RegistryCatalog({ ...this.#options, loadConfig: async () => settings, refreshAfterMs: 0 });
    const loaded = await candidate.load();
    if (loaded.staleReason !== undefined) {
      throw new ThvError("REGISTRY_UNAVAILABLE", loaded.staleReason, { hint: "Try again later." });
    }
    await this.#options.saveConfig?.(settings);
    this.#remembered = undefined;
    this.#failed = undefined;
    return loaded;
  }

  /** The server that runs from this image, whatever its tag. @throws {ThvError} As `load`. */
  async findByImage(image: string): Promise<RegistryServer | undefined> {
    return findServerByImage((await this.load()).registry, image);
  }

  /**
   * @param reference A name, the last part of a long one, each with `@version` or without.
   * @throws {ThvError} As `load`; `INVALID_ARGUMENT` when several servers are meant, `REGISTRY_SERVER_NOT_FOUND` when there is no
   * such version.
   */
  async find(reference: string): Promise<RegistryEntry | undefined> {
    const { registry, source } = await this.load();
    try {
      return findEntry(registry, reference);
    } catch (error) {
      if (!hasCode(error, "REGISTRY_SERVER_NOT_FOUND") || source.kind !== "remote") throw error;
      const found = await this.#fetchVersion(registry, source, reference);
      if (!found) throw error;
      return found;
    }
  }

  /** The list of a registry's API has the latest versions only; others are asked for by themselves. */
  async #fetchVersion(registry: Registry, source: RemoteSource, reference: string): Promise<RegistryEntry | undefined> {
    const target = parseTarget(reference);
    if (target.kind !== "entry" || target.version === undefined) return undefined;
    const { name, version } = target;
    const newest = findEntry(registry, name);
    if (!newest) return undefined;
    const { url, allowPrivate } = source;
    const { ca } = this.#options;
    const answer = await fetchVersion(url, { name: newest.name, version }, { allowPrivate, ca });
    return answer === undefined ? undefined : readServerJson(answer).entry;
  }

  async #loadFile(source: Extract<RegistrySource, { kind: "file" }>): Promise<LoadedRegistry> {
    const key = formatSourceKey(source);
    try {
      const { mtimeMs, size, ino } = await stat(source.path);
      const fileVersion = `${mtimeMs}-${size}-${ino}`;
      const known = this.#remembered;
      if (known?.key === key && known.fileVersion === fileVersion) return known.loaded;
      const text = await readBoundedText(source.path, { maxBytes: MAX_REGISTRY_BYTES });
      const registry = parseRegistry(text, source.path);
      const loaded = { registry, source };
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
    return await this.#refreshOnce(source, { isForced: false });
  }

  /** Concurrent callers share one request. */
  async #refreshOnce(source: RemoteSource, options: { readonly isForced: boolean }): Promise<LoadedRegistry> {
    const key = formatSourceKey(source);
    const refreshKey = `${options.isForced ? "forced " : ""}${key}`;
    let refresh = this.#refreshes.get(refreshKey);
    if (!refresh) {
      refresh = this.#refresh(source, key, options).finally(() => this.#refreshes.delete(refreshKey));
      this.#refreshes.set(refreshKey, refresh);
    }
    return await refresh;
  }

  async #refresh(
    source: RemoteSource,
    key: string,
    { isForced }: { readonly isForced: boolean },
  ): Promise<LoadedRegistry> {
    const { cache, ca, log } = this.#options;
    const copy = await cache.find(source.url);
    const checkedAt = copy ? Date.parse(copy.checked_at) : 0;
    const ageMs = this.#now() - checkedAt;
    // A clock that was set back must not make a copy last for years.
    const isFresh = !isForced && copy !== undefined && ageMs >= 0 && ageMs < this.#refreshAfterMs;
    const parsedCopy = copy && tryParse(copy.text, source.url);
    if (isFresh && parsedCopy) {
      const loaded = { registry: parsedCopy, source, checkedAt: new Date(checkedAt) };
      return this.#remember(key, loaded, checkedAt + this.#refreshAfterMs);
    }
    try {
      const etag = parsedCopy ? copy?.etag : undefined;
      const fetched = await fetchWhole(source.url, { allowPrivate: source.allowPrivate, etag, ca });
      const registry = await this.#accept(source.url, fetched, copy?.text, etag);
      const now = this.#now();
      return this.#remember(key, { registry, source, checkedAt: new Date(now) }, now + this.#refreshAfterMs);
    } catch (error) {
      if (!parsedCopy) {
        this.#failed = { key, error, until: this.#now() + RETRY_FAILED_MS };
        throw error;
      }
      const reason = `${describeError(error)} The copy of ${copy?.checked_at} is used, which is ${formatAge(ageMs)} old.`;
      log.warn({ registry: source.url, reason }, "registry could not be refreshed");
      const loaded = { registry: parsedCopy, source, checkedAt: new Date(checkedAt), staleReason: reason };
      return this.#remember(key, loaded, this.#now() + RETRY_STALE_MS);
    }
  }

  /** Validates the answer and stores a copy before it is used. */
  async #accept(
    url: string,
    fetched: FetchedRegistry,
    copyText: string | undefined,
    copyTag: string | undefined,
  ): Promise<Registry> {
    const { cache, log } = this.#options;
    const text = fetched.kind === "content" ? fetched.text : (copyText ?? "");
    const etag = fetched.kind === "content" ? fetched.etag : copyTag;
    const registry = parseRegistry(text, url);
    const checked_at = new Date(this.#now()).toISOString();
    try {
      await cache.save({ url, text, checked_at, ...(etag !== undefined && { etag }) });
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

/** The caller did not write the setting, so an invalid one is not the caller's mistake. */
function readConfiguredSource(settings: Parameters<typeof parseRegistrySource>[0]): RegistrySource {
  try {
    return parseRegistrySource(settings);
  } catch (error) {
    const hint = error instanceof ThvError ? error.hint : undefined;
    throw new ThvError("CONFIG_INVALID", `registry_url in config.yaml: ${describeError(error)}`, {
      hint,
      cause: error,
    });
  }
}

/** In the largest unit that makes sense: the minutes of three weeks do not matter. */
function formatAge(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 48 * 60
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 1440), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
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
