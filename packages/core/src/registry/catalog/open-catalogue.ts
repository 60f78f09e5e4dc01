/** The registries of a program that keeps them open, and the icons of their entries. */
import type { ConfigFile } from "../../config/config-file.ts";
import type { Logger } from "../../ports/log.ts";
import { EntryIcons } from "./entry-icons.ts";
import { RegistryCache } from "./registry-cache.ts";
import { RegistryCatalog } from "./registry-catalog.ts";

interface OpenCatalogueOptions {
  /** The `toolhive` directory below the user's state directory. */
  readonly stateDirectory: string;
  readonly log: Logger;
}

export function openCatalogue(config: ConfigFile, { stateDirectory, log }: OpenCatalogueOptions) {
  const registry = new RegistryCatalog({
    loadConfig: () => config.load(),
    updateConfig: (change) => config.update((current) => ({ ...current, ...change(current) })),
    cache: new RegistryCache(stateDirectory),
    log,
  });
  return { registry, icons: new EntryIcons({ stateDirectory }) };
}
