/**
 * The registries in use, side by side: the default one of `registry_url`, and further sources by name, as the settings name them at each
 * use. A name is looked up in their order; a source that cannot be read hides none of the others.
 */
import type { RegistrySourceSetting } from "../../config/config-schema.ts";
import { describeError, hasCode, ThvError } from "../../support/errors.ts";
import { parseTarget } from "../../target/target.ts";
import { findEntry, findServerByImage } from "../find-server.ts";
import { readServerJson } from "../read-server-json.ts";
import type { Registry, RegistryEntry, RegistryServer } from "../registry-schema.ts";
import { fetchVersion } from "./fetch-pages.ts";
import {
  createBlockedError,
  createNoSourceError,
  type EntryOrigin,
  guessKind,
  joinSource,
  type NamedSource,
  nameSources,
  pickOrigin,
  type RegistrySettings,
  withOwnHint,
} from "./named-sources.ts";
import {
  assertSourceName,
  DEFAULT_SOURCE,
  parseRegistrySource,
  parseSourceSetting,
  type RegistrySource,
} from "./registry-source.ts";
import { type LoadedRegistry, SourceReader, type SourceReaderOptions } from "./source-reader.ts";

/** Milliseconds that a list of all sources waits for one that has no copy yet. */
const LIST_WAIT_MS = 5_000;

type DefaultSettings = Omit<RegistrySettings, "registry_sources">;

export interface RegistryCatalogOptions extends SourceReaderOptions {
  /** The settings, read at each use. @throws {ThvError} `CONFIG_INVALID`. */
  readonly loadConfig: () => Promise<RegistrySettings>;
  /** Changes the settings, and keeps all others. @throws {ThvError} `CONFIG_INVALID`, `CONFIG_LOCKED`. */
  readonly updateConfig?: (change: (current: RegistrySettings) => RegistrySettings) => Promise<unknown>;
}

/** One source, and what was read of it. */
export interface SourceState {
  readonly name: string;
  /** The setting's own text; empty for the registry that comes with the tool. */
  readonly location: string;
  readonly kind: RegistrySource["kind"];
  readonly loaded?: LoadedRegistry;
  /** Why nothing could be read. */
  readonly problem?: ThvError;
}

export interface LocatedEntry {
  readonly entry: RegistryEntry;
  readonly origin: EntryOrigin;
  /** Names of other sources that have an entry of this name. */
  readonly alsoIn: readonly string[];
}

export class RegistryCatalog {
  readonly #options: RegistryCatalogOptions;
  readonly #readers = new Map<string, SourceReader>();

  constructor(options: RegistryCatalogOptions) {
    this.#options = options;
  }

  /** One source. @throws {ThvError} `REGISTRY_NOT_FOUND`, `REGISTRY_UNAVAILABLE`, `REGISTRY_INVALID`, `CONFIG_INVALID`. */
  async load(name: string = DEFAULT_SOURCE): Promise<LoadedRegistry> {
    return await this.#load(await this.#getSource(name));
  }

  /** Like `load`, and asks the origin at once, however young the copy is. @throws {ThvError} As `load`. */
  async refresh(name: string = DEFAULT_SOURCE): Promise<LoadedRegistry> {
    const source = await this.#getSource(name);
    return await withOwnHint(source, async () => await this.#getReader(name).refresh(source.parse()));
  }

  /** Every source in the order of lookup, each with what it has or why it has nothing. @throws {ThvError} `CONFIG_INVALID`. */
  async loadAll(): Promise<SourceState[]> {
    return await Promise.all((await this.#listSources()).map((source) => this.#readState(source)));
  }

  /**
   * Uses another default registry from now on, when it can be read.
   *
   * @throws {ThvError} As `load`, `INVALID_ARGUMENT` for what cannot be a registry, `CONFIG_LOCKED`; nothing is changed then.
   */
  async choose(settings: DefaultSettings): Promise<LoadedRegistry> {
    const source = parseRegistrySource(settings);
    // Whether the settings can be changed at all is known before a registry is fetched.
    await this.#options.loadConfig();
    const loaded = await this.#try(source);
    await this.#options.updateConfig?.((current) => ({ ...current, ...settings }));
    this.#readers.delete(DEFAULT_SOURCE);
    return loaded;
  }

  /**
   * Adds a further source, when it can be read.
   *
   * @param usedImages Images of servers that exist: no name may make one of them a name of an entry.
   * @throws {ThvError} As `choose`; `INVALID_ARGUMENT` for a name that no source can have or that is taken, and for too many sources.
   */
  async addSource(
    setting: RegistrySourceSetting,
    {
      replaces = false,
      usedImages = [],
    }: { readonly replaces?: boolean; readonly usedImages?: readonly string[] } = {},
  ): Promise<LoadedRegistry> {
    assertSourceName(setting.name, usedImages);
    const source = parseSourceSetting(setting);
    const { registry_sources: present = [] } = await this.#options.loadConfig();
    joinSource(present, setting, replaces);
    const named = { name: setting.name, location: setting.url, parse: () => source };
    const loaded = await withOwnHint(named, async () => await this.#try(source));
    await this.#options.updateConfig?.((current) => ({
      ...current,
      registry_sources: joinSource(current.registry_sources ?? [], setting, replaces),
    }));
    this.#readers.delete(setting.name);
    return loaded;
  }

  /** @throws {ThvError} `REGISTRY_NOT_FOUND`, `INVALID_ARGUMENT` for the default one, `CONFIG_INVALID`, `CONFIG_LOCKED`. */
  async removeSource(name: string): Promise<RegistrySourceSetting> {
    if (name === DEFAULT_SOURCE) {
      throw new ThvError("INVALID_ARGUMENT", "The default registry cannot be removed.", {
        hint: "Go back to the built-in one: thv config unset-registry-url",
      });
    }
    const { registry_sources: present = [] } = await this.#options.loadConfig();
    const removed = present.find((each) => each.name === name);
    if (!removed) throw createNoSourceError(name, present);
    await this.#options.updateConfig?.((current) => ({
      ...current,
      registry_sources: (current.registry_sources ?? []).filter((each) => each.name !== name),
    }));
    this.#readers.delete(name);
    return removed;
  }

  /**
   * The server that has this image, whatever its tag, in the source that a workload was made from.
   *
   * @param origin Default: the default source. A source that another address has taken over is not asked.
   * @throws {ThvError} As `load`.
   */
  async findByImage(image: string, origin?: EntryOrigin): Promise<RegistryServer | undefined> {
    const sources = await this.#listSources();
    const source = origin
      ? sources.find(({ name, location }) => name === origin.name && location === origin.location)
      : sources[0];
    return source && findServerByImage((await this.#load(source)).registry, image);
  }

  /** The entry of one source, whatever the others have. @throws {ThvError} As `load` and `locate`. */
  async findIn(source: string, reference: string): Promise<RegistryEntry | undefined> {
    return await this.#findIn(await this.#getSource(source), reference);
  }

  /**
   * A plain name is that of the first source that has it. When a source before that one cannot be read, the name is not resolved: it
   * might be the name of another server there.
   *
   * @param reference A name, the last part of a long one, each with `@version` or without, or `source/name`.
   * @throws {ThvError} As `load`; `INVALID_ARGUMENT` when several servers are meant, `REGISTRY_SERVER_NOT_FOUND` when there is no
   * such version, or no such server in the source that is named.
   */
  async locate(reference: string): Promise<LocatedEntry | undefined> {
    const sources = await this.#listSources();
    const slash = reference.indexOf("/");
    const named = slash > 0 ? sources.find(({ name }) => name === reference.slice(0, slash)) : undefined;
    if (named) return await this.#locateIn(named, reference.slice(slash + 1));
    if (parseTarget(reference).kind !== "entry") return undefined;
    let failed: { readonly source: NamedSource; readonly error: unknown } | undefined;
    for (const [at, source] of sources.entries()) {
      let entry: RegistryEntry | undefined;
      try {
        entry = await this.#findIn(source, reference);
      } catch (error) {
        if (!hasCode(error, "REGISTRY_UNAVAILABLE", "REGISTRY_INVALID", "CONFIG_INVALID")) throw error;
        failed ??= { source, error };
        continue;
      }
      if (!entry) continue;
      if (failed) throw createBlockedError(reference, source, failed);
      return { entry, origin: pickOrigin(source), alsoIn: await this.#listOthers(sources.slice(at + 1), reference) };
    }
    if (failed) throw failed.error;
    return undefined;
  }

  async #locateIn(source: NamedSource, name: string): Promise<LocatedEntry> {
    const entry = parseTarget(name).kind === "entry" ? await this.#findIn(source, name) : undefined;
    if (entry) return { entry, origin: pickOrigin(source), alsoIn: [] };
    throw new ThvError("REGISTRY_SERVER_NOT_FOUND", `The registry source "${source.name}" has no server "${name}".`, {
      hint: `See its servers: thv registry list --source ${source.name}. If you mean an image: docker.io/${source.name}/${name}`,
    });
  }

  /** Sources that have the name, too; one that cannot be read has none. */
  async #listOthers(sources: readonly NamedSource[], reference: string): Promise<string[]> {
    const names = await Promise.all(
      sources.map(async (source) => {
        const { loaded } = await this.#readState(source);
        try {
          return loaded && findEntry(loaded.registry, reference) ? source.name : [];
        } catch {
          // It has several of this last part, or another version of it.
          return source.name;
        }
      }),
    );
    return names.flat();
  }

  async #findIn(source: NamedSource, reference: string): Promise<RegistryEntry | undefined> {
    const loaded = await this.#load(source);
    try {
      return findEntry(loaded.registry, reference);
    } catch (error) {
      if (!hasCode(error, "REGISTRY_SERVER_NOT_FOUND") || loaded.source.kind !== "remote") throw error;
      const found = await this.#fetchVersion(loaded.registry, loaded.source, reference);
      if (!found) throw error;
      return found;
    }
  }

  /** The list of a registry's API has the latest versions only; others are asked for by themselves. */
  async #fetchVersion(
    registry: Registry,
    { url, allowPrivate }: Extract<RegistrySource, { kind: "remote" }>,
    reference: string,
  ): Promise<RegistryEntry | undefined> {
    const target = parseTarget(reference);
    if (target.kind !== "entry" || target.version === undefined) return undefined;
    const { name, version } = target;
    const newest = findEntry(registry, name);
    if (!newest) return undefined;
    const { ca } = this.#options;
    const answer = await fetchVersion(url, { name: newest.name, version }, { allowPrivate, ca });
    return answer === undefined ? undefined : readServerJson(answer).entry;
  }

  /** Reads what is not in the settings yet. @throws {ThvError} As `load`, also for a copy that is used because its origin fails. */
  async #try(source: RegistrySource): Promise<LoadedRegistry> {
    const loaded = await new SourceReader({ ...this.#options, refreshAfterMs: 0 }).refresh(source);
    if (loaded.staleReason === undefined) return loaded;
    throw new ThvError("REGISTRY_UNAVAILABLE", loaded.staleReason, { hint: "Try again later." });
  }

  async #load(source: NamedSource): Promise<LoadedRegistry> {
    return await withOwnHint(source, async () => await this.#getReader(source.name).load(source.parse()));
  }

  async #readState(source: NamedSource): Promise<SourceState> {
    const { name, location } = source;
    const kind = guessKind(source);
    try {
      return { name, location, kind, loaded: await withinWait(source, this.#load(source)) };
    } catch (error) {
      const problem = error instanceof ThvError ? error : new ThvError("REGISTRY_UNAVAILABLE", describeError(error));
      return { name, location, kind, problem };
    }
  }

  async #getSource(wanted: string): Promise<NamedSource> {
    const sources = await this.#listSources();
    const found = sources.find(({ name }) => name === wanted);
    if (found) return found;
    throw createNoSourceError(wanted, sources.slice(1));
  }

  async #listSources(): Promise<[NamedSource, ...NamedSource[]]> {
    return nameSources(await this.#options.loadConfig());
  }

  #getReader(name: string): SourceReader {
    const known = this.#readers.get(name);
    if (known) return known;
    const reader = new SourceReader(this.#options);
    this.#readers.set(name, reader);
    return reader;
  }
}

/** The load goes on when it takes longer, and the next list has its result. */
async function withinWait({ name }: NamedSource, loading: Promise<LoadedRegistry>): Promise<LoadedRegistry> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `The registry source "${name}" is still being read.`;
      reject(new ThvError("REGISTRY_UNAVAILABLE", message, { hint: `See it later: thv registry source list` }));
    }, LIST_WAIT_MS);
    timer.unref();
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}
