/** The sources that the settings name: in which order they are, how one is added, and what is said when one fails. */
import { type Config, MAX_REGISTRY_SOURCES, type RegistrySourceSetting } from "../../config/config-schema.ts";
import { describeError, hasCode, ThvError } from "../../support/errors.ts";
import { DEFAULT_SOURCE, parseRegistrySource, parseSourceSetting, type RegistrySource } from "./registry-source.ts";

export type RegistrySettings = Pick<Config, "registry_url" | "allow_private_registry_ip" | "registry_sources">;

/** What a workload keeps of the source that its entry is from; the default source is not kept. */
export interface EntryOrigin {
  readonly name: string;
  readonly location: string;
}

export interface NamedSource {
  readonly name: string;
  readonly location: string;
  /** @throws {ThvError} `CONFIG_INVALID` for what cannot be a registry. */
  readonly parse: () => RegistrySource;
}

/** In the order in which a name is looked up: the default source, then the further ones. */
export function nameSources(settings: RegistrySettings): [NamedSource, ...NamedSource[]] {
  const named = (settings.registry_sources ?? []).filter(
    ({ name }, at, all) => name !== DEFAULT_SOURCE && all.findIndex((each) => each.name === name) === at,
  );
  return [
    {
      name: DEFAULT_SOURCE,
      location: settings.registry_url.trim(),
      parse: () => readConfigured("registry_url", () => parseRegistrySource(settings)),
    },
    ...named.map((setting) => ({
      name: setting.name,
      location: setting.url.trim(),
      parse: () => readConfigured(`registry_sources, ${setting.name}`, () => parseSourceSetting(setting)),
    })),
  ];
}

export function pickOrigin({ name, location }: NamedSource): EntryOrigin {
  return { name, location };
}

export function guessKind({ location, parse }: NamedSource): RegistrySource["kind"] {
  try {
    return parse().kind;
  } catch {
    return location.includes("://") ? "remote" : "file";
  }
}

/** The hints of the readers name the default registry's commands. */
export async function withOwnHint<T>({ name, location }: NamedSource, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (name === DEFAULT_SOURCE || !hasCode(error, "REGISTRY_UNAVAILABLE", "REGISTRY_INVALID")) throw error;
    const allow = error.message.includes("private address")
      ? `If it is yours, allow it: thv registry source add ${name} ${location} --allow-private-ip`
      : `Check it, or remove it: thv registry source remove ${name}`;
    throw new ThvError(error.code, error.message, { hint: allow, cause: error });
  }
}

/** @throws {ThvError} `INVALID_ARGUMENT` when the name or the place is taken, and for too many sources. */
export function joinSource(
  present: readonly RegistrySourceSetting[],
  setting: RegistrySourceSetting,
  replaces: boolean,
): RegistrySourceSetting[] {
  const same = present.find(({ name }) => name === setting.name);
  if (same && !replaces) {
    throw new ThvError("INVALID_ARGUMENT", `There is a registry source "${same.name}" already: ${same.url}`, {
      hint: `Remove it first: thv registry source remove ${same.name}`,
    });
  }
  const twin = present.find(({ name, url }) => url === setting.url && name !== setting.name);
  if (twin) {
    throw new ThvError("INVALID_ARGUMENT", `${setting.url} is the registry source "${twin.name}" already.`, {
      hint: "See them all: thv registry source list",
    });
  }
  if (!same && present.length >= MAX_REGISTRY_SOURCES) {
    throw new ThvError("INVALID_ARGUMENT", `There are ${present.length} registry sources, which is the most.`, {
      hint: "Remove one: thv registry source remove NAME",
    });
  }
  return same ? present.map((each) => (each === same ? setting : each)) : [...present, setting];
}

export function createBlockedError(
  reference: string,
  source: NamedSource,
  failed: { readonly source: NamedSource; readonly error: unknown },
): ThvError {
  const first = failed.source.name;
  return new ThvError(
    "REGISTRY_UNAVAILABLE",
    `"${reference}" is a server of the registry source "${source.name}", and may be another one of "${first}", which goes first: ${describeError(failed.error)}`,
    { hint: `Name the source: thv run ${source.name}/${reference}`, cause: failed.error },
  );
}

export function createNoSourceError(name: string, others: readonly { readonly name: string }[]): ThvError {
  const names = [DEFAULT_SOURCE, ...others.map((each) => each.name)];
  return new ThvError("REGISTRY_NOT_FOUND", `There is no registry named "${name}".`, {
    hint:
      names.length === 1
        ? `So far there is only "${DEFAULT_SOURCE}". Add one: thv registry source add NAME URL`
        : `The registries are: ${names.join(", ")}. Add one: thv registry source add NAME URL`,
  });
}

/** The caller did not write the setting, so an invalid one is not the caller's mistake. */
function readConfigured(member: string, parse: () => RegistrySource): RegistrySource {
  try {
    return parse();
  } catch (error) {
    const hint = error instanceof ThvError ? error.hint : undefined;
    throw new ThvError("CONFIG_INVALID", `${member} in config.yaml: ${describeError(error)}`, {
      hint,
      cause: error,
    });
  }
}
