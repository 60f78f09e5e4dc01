/**
 * The pages of the API reference: one for a resource, which is a tag of the OpenAPI document, or a large tag with a small one
 * beside it. The index has the specified address and a link at each anchor that it had when everything was on one page.
 */
import { type Entry, listEntries, type OpenApi } from "./openapi-types.ts";
import { listReferences } from "./schema-words.ts";

export interface ApiPlace {
  /** Last part of the page's path. */
  readonly slug: string;
  /** In the sidebar, and as a heading of the index. */
  readonly label: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Schemas that are here with those that they refer to, wherever they are used. */
  readonly schemas?: readonly string[];
}

export const API_PLACES: readonly ApiPlace[] = [
  {
    slug: "workloads",
    label: "Workloads",
    title: "Workloads API",
    description:
      "API operations that create, list, stop, restart and delete MCP servers, with parameters, bodies and all fields of a workload.",
    tags: ["workloads"],
  },
  {
    slug: "workload-request",
    label: "Workload request",
    title: "Fields of a workload request",
    description:
      "Every field of the JSON that creates a workload, previews it, replaces its settings or exports it: types, defaults and ranges.",
    tags: [],
    schemas: ["CreateWorkloadRequest"],
  },
  {
    slug: "settings",
    label: "Workload settings",
    title: "Workload settings API",
    description:
      "API operations that preview the creation of a workload, replace its settings, export them and return its details.",
    tags: ["settings"],
  },
  {
    slug: "upgrades",
    label: "Upgrades",
    title: "Upgrades API",
    description:
      "API operations that check whether the registry has a newer image for a workload, and upgrade the workload to it.",
    tags: ["upgrades"],
  },
  {
    slug: "groups",
    label: "Groups",
    title: "Groups API",
    description:
      "API operations that create groups of servers with one URL, add servers to them and choose the tools that clients see.",
    tags: ["groups"],
  },
  {
    slug: "clients",
    label: "Clients",
    title: "Clients API",
    description:
      "API operations that find MCP clients, register and unregister them, preview the changes and restore a client's file.",
    tags: ["clients", "discovery"],
  },
  {
    slug: "registry",
    label: "Registry",
    title: "Registry API",
    description:
      "API operations that list the servers of the registry, use another registry and refresh it, with all fields of entries.",
    tags: ["registry"],
  },
  {
    slug: "secrets",
    label: "Secrets",
    title: "Secrets API",
    description:
      "API operations that set up the secrets provider, and list, store, replace and delete secrets, with bodies and responses.",
    tags: ["secrets"],
  },
  {
    slug: "permissions",
    label: "Permissions",
    title: "Permissions API",
    description:
      "API operations that read and change what a workload may reach, and that review and accept changed tools of a server.",
    tags: ["permissions"],
  },
  {
    slug: "sign-ins",
    label: "Sign-ins",
    title: "Sign-ins API",
    description:
      "API operations that list, begin and end the sign-in of a workload at its remote server, with all states and fields.",
    tags: ["sign-ins"],
  },
  {
    slug: "tool-calls",
    label: "Tool calls",
    title: "Tool calls API",
    description:
      "API operations that list tools, prompts and resources of a server, call them, and test policies on a call.",
    tags: ["calls"],
  },
  {
    slug: "logs",
    label: "Logs",
    title: "Logs API",
    description:
      "API operations that read and follow the output of a server, the log of its proxy, and the connections that were refused.",
    tags: ["logs"],
  },
  {
    slug: "usage",
    label: "Usage",
    title: "Usage API",
    description:
      "API operations that return how often servers, tools and clients are used, turn counting off, and serve metrics for Prometheus.",
    tags: ["usage"],
  },
  {
    slug: "events",
    label: "Events",
    title: "Events API",
    description:
      "The API operation that streams all changes of workloads, groups and clients, with every type of event and its fields.",
    tags: ["events"],
  },
  {
    slug: "system",
    label: "System",
    title: "System API",
    description:
      "API operations for health, version, diagnosis, the OpenAPI document and the sign-in of a browser to the application.",
    tags: ["system", "version"],
  },
];

export function findPlace(tag: string): ApiPlace {
  const place = API_PLACES.find(({ tags }) => tags.includes(tag));
  if (place === undefined) throw new Error(`No page of the API reference has the tag "${tag}": add it to API_PLACES.`);
  return place;
}

/** Behind the folder of the reference: `api/workloads`. */
export function pathOfPlace({ slug }: ApiPlace): string {
  return `api/${slug}`;
}

/** Anchor of a schema, on whatever page it is. */
export function schemaAnchor(name: string): string {
  return `schema-${name.toLowerCase()}`;
}

/** The schema of errors, which is on the index. */
export const PROBLEM = "Problem";

export interface Places {
  readonly entries: (place: ApiPlace) => readonly Entry[];
  /** Where a schema is: at the first place with an operation that needs it; `undefined` for the index. */
  readonly findHome: (schema: string) => ApiPlace | undefined;
  /** The one operation whose body or response is the schema, if nothing else refers to it. */
  readonly findOwner: (schema: string) => string | undefined;
  readonly listUsers: (schema: string) => readonly Entry[];
}

export function arrangeApi(document: OpenApi): Places {
  const all = listEntries(document);
  const { schemas } = document.components;
  const entries = (place: ApiPlace) =>
    all.filter(({ operation }) => operation.tags.some((tag) => place.tags.includes(tag)));
  const homes = new Map<string, ApiPlace>();
  const settle = (place: ApiPlace, names: readonly string[]) => {
    for (const name of collectNeeded(names, schemas)) if (!homes.has(name)) homes.set(name, place);
  };
  for (const place of API_PLACES) settle(place, place.schemas ?? []);
  for (const place of API_PLACES)
    settle(
      place,
      entries(place).flatMap(({ operation }) => listReferences(operation)),
    );
  homes.delete(PROBLEM);
  const listUsers = (name: string) => all.filter(({ operation }) => listReferences(operation).includes(name));
  const inSchemas = new Set(Object.values(schemas).flatMap(listReferences));
  const findOwner = (name: string) => {
    const [only, ...others] = listUsers(name);
    const isRoot = only !== undefined && listRoots(only).includes(name);
    return others.length === 0 && isRoot && !inSchemas.has(name) ? only.operation.operationId : undefined;
  };
  return { entries, findHome: (name) => homes.get(name), findOwner, listUsers };
}

/** The named schemas, and those that they refer to. */
function collectNeeded(names: readonly string[], schemas: OpenApi["components"]["schemas"]): Set<string> {
  const needed = new Set(names);
  for (const name of needed) for (const inner of listReferences(schemas[name])) needed.add(inner);
  return needed;
}

/** Schemas that are the body or the response of an operation as a whole. */
function listRoots({ operation }: Entry): string[] {
  const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
    Object.values(part?.content ?? {}),
  );
  return contents.flatMap(({ schema }) => schema.$ref?.split("/").at(-1) ?? []);
}
