/** What the operations on the registry do. */
import { describeSource, type LoadedRegistry, type RegistryCatalog, ThvError } from "@toolhive/core";
import type { Handlers } from "../contract/contract.ts";
import { type RegistryInfoBody, serverBodies } from "../contract/parts/registry-entities.ts";
import type { REGISTRY_OPERATIONS } from "../contract/registry.ts";

/** The only registry there is. */
const REGISTRY_NAME = "default";

export function registryHandlers(catalog: RegistryCatalog): Pick<Handlers, keyof typeof REGISTRY_OPERATIONS> {
  return {
    listRegistries: async () => ({ registries: [infoBody(await catalog.load())] }),
    addRegistry: async () => {
      throw new ThvError("NOT_SUPPORTED", "There is only one registry, which is chosen in the settings.", {
        hint: "Choose it: thv config set-registry-url URL",
      });
    },
    getRegistry: async ({ params }) => {
      assertRegistryName(params.name);
      const loaded = await catalog.load();
      const { version, lastUpdated } = loaded.registry;
      const servers = Object.fromEntries(serverBodies(loaded.registry).map((server) => [server.name, server]));
      return { ...infoBody(loaded), registry: { version, last_updated: lastUpdated, servers } };
    },
    deleteRegistry: async ({ params }) => {
      assertRegistryName(params.name);
      throw new ThvError("INVALID_ARGUMENT", "The default registry cannot be removed.", {
        hint: "Go back to the built-in one: thv config unset-registry-url",
      });
    },
    refreshRegistry: async ({ params }) => {
      assertRegistryName(params.name);
      return infoBody(await catalog.refresh());
    },
    listServers: async ({ params }) => {
      assertRegistryName(params.name);
      return { servers: [...serverBodies((await catalog.load()).registry)] };
    },
    getServer: async ({ params }) => {
      assertRegistryName(params.name);
      const { registry } = await catalog.load();
      const server = serverBodies(registry).find(({ name }) => name === params.serverName);
      if (server) return { server };
      throw new ThvError("REGISTRY_SERVER_NOT_FOUND", `The registry has no server named "${params.serverName}".`, {
        hint: "See the available servers: thv registry list",
      });
    },
  };
}

function assertRegistryName(name: string): void {
  if (name === REGISTRY_NAME) return;
  throw new ThvError("REGISTRY_NOT_FOUND", `There is no registry named "${name}".`, {
    hint: `The only registry is "${REGISTRY_NAME}".`,
  });
}

function infoBody({ registry, source, staleReason }: LoadedRegistry): RegistryInfoBody {
  return {
    name: REGISTRY_NAME,
    version: registry.version,
    last_updated: registry.lastUpdated,
    server_count: registry.servers.length,
    source: source.kind === "embedded" ? "embedded" : describeSource(source),
    ...(staleReason !== undefined && { stale_reason: staleReason }),
  };
}
