/** What the operations on the registry do. */
import {
  cutSlashes,
  DEFAULT_SOURCE,
  type EntryIcons,
  getEntry,
  isRemoteServer,
  type JoinedEntry,
  joinSources,
  type RegistryCatalog,
  type RegistrySettings,
  ThvError,
} from "@toolhive/core";
import { parseTarget } from "@toolhive/core/target";
import { quote, toRecord } from "@toolhive/http/values";
import type { Handlers } from "../contract/contract.ts";
import {
  catalogEntryBody,
  catalogGroupBodies,
  groupBody,
  remoteServerBody,
  serverBodies,
  serverBody,
} from "../contract/parts/registry-entities.ts";
import { infoBody, stateBody } from "../contract/parts/registry-info.ts";
import type { REGISTRY_OPERATIONS } from "../contract/registry.ts";

/** Skipped entries in an answer. */
const MAX_LISTED = 100;

/** The entries that a search in words means, the best first. */
export type FindEntries = (entries: readonly JoinedEntry[], query: string) => readonly JoinedEntry[];

interface RegistryOptions {
  readonly catalog: RegistryCatalog;
  readonly findEntries: FindEntries;
  readonly icons: Pick<EntryIcons, "find">;
  /** Images of the workloads that exist. */
  readonly listImages: () => string[];
}

export function registryHandlers({
  catalog,
  findEntries,
  icons,
  listImages,
}: RegistryOptions): Pick<Handlers, keyof typeof REGISTRY_OPERATIONS> {
  return {
    listRegistries: async () => {
      const states = await catalog.loadAll();
      const [first] = states;
      if (states.length === 1 && first?.problem) throw first.problem;
      return { registries: states.map(stateBody) };
    },
    addRegistry: async () => {
      throw new ThvError("NOT_SUPPORTED", "A registry is added under its own name.", {
        hint: "Add it with PUT /api/v1beta/registry/NAME, or: thv registry source add NAME URL",
      });
    },
    getRegistry: async ({ params }) => {
      const loaded = await catalog.load(params.name);
      const { version, lastUpdated, remoteServers, groups, skipped } = loaded.registry;
      const servers = Object.fromEntries(serverBodies(loaded.registry).map((server) => [server.name, server]));
      const remote_servers = Object.fromEntries(remoteServers.map((each) => [each.name, remoteServerBody(each)]));
      const registry = { version, last_updated: lastUpdated, servers, remote_servers, groups: groups.map(groupBody) };
      return { ...infoBody(params.name, loaded), registry, skipped: skipped.slice(0, MAX_LISTED) };
    },
    chooseRegistry: async ({ params, body }) => {
      const { name } = params;
      const settings = readSettings(body);
      if (name === DEFAULT_SOURCE) return infoBody(name, await catalog.choose(settings));
      const setting = { name, url: settings.registry_url, allow_private_ip: settings.allow_private_registry_ip };
      return infoBody(name, await catalog.addSource(setting, { replaces: true, usedImages: listImages() }));
    },
    deleteRegistry: async ({ params }) => {
      await catalog.removeSource(params.name);
    },
    refreshRegistry: async ({ params }) => infoBody(params.name, await catalog.refresh(params.name)),
    listServers: async ({ params }) => {
      const { registry } = await catalog.load(params.name);
      return { servers: [...serverBodies(registry)], remote_servers: registry.remoteServers.map(remoteServerBody) };
    },
    getServer: async ({ params }) => {
      const entry =
        (await catalog.findIn(params.name, params.serverName)) ??
        getEntry((await catalog.load(params.name)).registry, params.serverName);
      return isRemoteServer(entry)
        ? { remote_server: remoteServerBody(entry), is_remote: true }
        : { server: serverBody(entry) };
    },
    listCatalog: async ({ query }) => {
      const states = await catalog.loadAll();
      const joined = joinSources(states).filter(({ source }) => (query.source || source) === source);
      const found = query.search ? findEntries(joined, query.search) : joined;
      const groups = catalogGroupBodies(states).filter(({ source }) => (query.source || source) === source);
      return { entries: found.map(catalogEntryBody), groups, sources: states.map(stateBody) };
    },
    getCatalogIcon: async ({ params: { reference } }) => {
      const address = (await catalog.locate(reference))?.entry.icon;
      const icon = address === undefined ? undefined : await icons.find(address);
      if (!icon) {
        throw new ThvError(
          "REGISTRY_SERVER_NOT_FOUND",
          `There is no icon of ${quote(reference, 200)} that can be shown.`,
        );
      }
      return { media_type: icon.mediaType, data: icon.data.toString("base64") };
    },
    getCatalogEntry: async ({ params: { reference } }) => {
      const located = await catalog.locate(reference);
      if (!located) {
        if (parseTarget(reference).kind !== "entry") throw createNoServerError(reference);
        // The default registry's own words on what was meant.
        const entry = getEntry((await catalog.load()).registry, reference);
        return catalogEntryBody({ entry, source: DEFAULT_SOURCE, reference, alsoIn: [] });
      }
      const { entry, origin, alsoIn } = located;
      return catalogEntryBody({ entry, source: origin.name, reference, alsoIn });
    },
  };
}

/** Of what is an image, and of no source. */
function createNoServerError(reference: string): ThvError {
  return new ThvError("REGISTRY_SERVER_NOT_FOUND", `No registry has a server named ${quote(reference, 200)}.`, {
    hint: "See the available servers: thv registry list",
  });
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
