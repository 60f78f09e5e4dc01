/** What the operations on the registry do. */
import {
  cutSlashes,
  describeSource,
  getEntry,
  isRemoteServer,
  type LoadedRegistry,
  type RegistryCatalog,
  type RegistrySettings,
  ThvError,
} from "@toolhive/core";
import { quote, toRecord } from "@toolhive/http/values";
import type { Handlers } from "../contract/contract.ts";
import {
  groupBody,
  type RegistryInfoBody,
  remoteServerBody,
  serverBodies,
  serverBody,
} from "../contract/parts/registry-entities.ts";
import type { REGISTRY_OPERATIONS } from "../contract/registry.ts";

/** Skipped entries in an answer. */
const MAX_TOLD = 100;

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
      const { version, lastUpdated, remoteServers, groups, skipped } = loaded.registry;
      const servers = Object.fromEntries(serverBodies(loaded.registry).map((server) => [server.name, server]));
      const remote_servers = Object.fromEntries(remoteServers.map((each) => [each.name, remoteServerBody(each)]));
      const registry = { version, last_updated: lastUpdated, servers, remote_servers, groups: groups.map(groupBody) };
      return { ...infoBody(loaded), registry, skipped: skipped.slice(0, MAX_TOLD) };
    },
    chooseRegistry: async ({ params, body }) => {
      assertRegistryName(params.name);
      return infoBody(await catalog.choose(readSettings(body)));
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
      const { registry } = await catalog.load();
      return { servers: [...serverBodies(registry)], remote_servers: registry.remoteServers.map(remoteServerBody) };
    },
    getServer: async ({ params }) => {
      assertRegistryName(params.name);
      const entry =
        (await catalog.find(params.serverName)) ?? getEntry((await catalog.load()).registry, params.serverName);
      return isRemoteServer(entry)
        ? { remote_server: remoteServerBody(entry), is_remote: true }
        : { server: serverBody(entry) };
    },
  };
}

/** @throws {ThvError} `INVALID_ARGUMENT` for several addresses, and for one that asks for a sign-in. */
function readSettings(body: RequestBody): RegistrySettings {
  const issuer = toRecord(body.auth).issuer;
  if (typeof issuer === "string" && issuer !== "") {
    throw new ThvError(
      "INVALID_ARGUMENT",
      `Nobody can sign in at a registry, and the request names ${quote(issuer, 100)}.`,
      {
        hint: "Save its list to a file, and send the path as local_path.",
      },
    );
  }
  const given = (["url", "api_url", "local_path"] as const).filter((member) => body[member]);
  if (given.length > 1) {
    throw new ThvError(
      "INVALID_ARGUMENT",
      `A registry is in one place, and the request names ${given.join(" and ")}.`,
      {
        hint: "Send one of url, api_url and local_path.",
      },
    );
  }
  const { url, api_url, local_path, allow_private_ip = false } = body;
  const registry_url = (api_url && formatListAddress(api_url)) || url || local_path || "";
  // What is allowed is allowed for that registry.
  return { registry_url, allow_private_registry_ip: registry_url !== "" && allow_private_ip };
}

type RequestBody = Parameters<Handlers["chooseRegistry"]>[0]["body"];

/** The list of the API, which is known by its path. */
function formatListAddress(api: string): string {
  const base = cutSlashes(api.trim());
  return /\/v0(?:\.\d+)?(?:\/servers)?$/.test(base) ? base : `${base}/v0.1/servers`;
}

function assertRegistryName(name: string): void {
  if (name === REGISTRY_NAME) return;
  throw new ThvError("REGISTRY_NOT_FOUND", `There is no registry named "${name}".`, {
    hint: `The only registry is "${REGISTRY_NAME}".`,
  });
}

function infoBody({ registry, source, staleReason, checkedAt }: LoadedRegistry): RegistryInfoBody {
  return {
    name: REGISTRY_NAME,
    version: registry.version,
    last_updated: registry.lastUpdated,
    server_count: registry.servers.length + registry.remoteServers.length,
    ...(registry.skipped.length > 0 && { skipped_count: registry.skipped.length }),
    source: source.kind === "embedded" ? "embedded" : describeSource(source),
    ...(staleReason !== undefined && { stale_reason: staleReason }),
    ...(checkedAt && { checked_at: checkedAt.toISOString() }),
    type:
      source.kind === "embedded" ? ("default" as const) : source.kind === "file" ? ("file" as const) : ("url" as const),
    auth_status: "none",
    auth_type: "",
  };
}
