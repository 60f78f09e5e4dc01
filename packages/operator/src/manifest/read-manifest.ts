/** An MCPServer or an MCPRemoteProxy as what `thv run` needs to run the same server on this machine. */
import { loadAllYaml } from "@kubernetes/client-node/dist/yaml.js";
import type { CreateRequest, PermissionProfile } from "@toolhive/core";
import { parseDuration } from "@toolhive/core/duration";
import { ThvError } from "@toolhive/core/errors";
import { isRecord } from "@toolhive/http/values";
import {
  API_VERSION,
  type JsonObject,
  KIND,
  MISSING_KINDS,
  REMOTE_KIND,
  readGroupName,
  TOOL_CONFIG_KIND,
} from "../contract/index.ts";
import { readAccess } from "./access.ts";
import { checkObject, isOfGroup } from "./check-object.ts";
import { expandReferences } from "./expansion.ts";
import { formatNote, type ManifestNote } from "./manifest-note.ts";
import { type NameSecret, nameSecrets } from "./name-secrets.ts";
import { readRemote } from "./read-remote.ts";
import { readPodTemplate } from "./server-pod.ts";

/** Members of the spec that mean something on a cluster only. */
export const CLUSTER_ONLY = [
  "volumes",
  "resources",
  "resourceOverrides",
  "replicas",
  "proxyReplicas",
  "serviceAccount",
] as const;

/** What the operator and the API server keep of labels. */
const OWN_LABEL = /^(toolhive|app\.kubernetes\.io\/|helm\.sh\/)/i;

export interface ReadManifest {
  readonly request: CreateRequest;
  /** Sentences about what a run configuration says in another way, or not at all. */
  readonly notes: readonly string[];
}

/** @param what Name of the file, for messages. @throws {ThvError} `INVALID_ARGUMENT` when it is no YAML. */
export function parseManifest(text: string, what: string): JsonObject[] {
  let objects: unknown[];
  try {
    objects = loadAllYaml(text).filter((each) => each !== null && each !== undefined);
  } catch (error) {
    // The parser's own message quotes the text, which may hold a secret.
    throw new ThvError("INVALID_ARGUMENT", `${what} cannot be used: it is not YAML.`, { cause: error });
  }
  if (!isTree(objects)) {
    throw new ThvError("INVALID_ARGUMENT", `${what} cannot be used: it has aliases.`, {
      hint: "Write each value where it belongs.",
    });
  }
  return objects.flatMap(listItems) as JsonObject[];
}

/** What `kubectl get` prints of several objects is one list. */
function listItems(object: unknown): unknown[] {
  const { apiVersion, kind = "", items } = isRecord(object) ? object : {};
  const isList = typeof kind === "string" && kind.endsWith("List") && Array.isArray(items);
  if (!isList) return isRecord(object) ? [object] : [];
  // Without a kind of their own where they are read from a collection.
  return items.filter(isRecord).map((item) => ({ apiVersion, kind: kind.slice(0, -"List".length), ...item }));
}

/** Aliases make a small file as large as a memory. */
function isTree(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (seen.has(value)) return false;
  seen.add(value);
  return Object.values(value).every((member) => isTree(member, seen));
}

/**
 * @param objects The MCPServer or MCPRemoteProxy, and the ConfigMaps and the MCPToolConfig that it names.
 * @throws {ThvError} `INVALID_ARGUMENT` with every problem; `NOT_SUPPORTED` for what would be less safe here.
 */
export function readManifest(objects: readonly JsonObject[], what: string): ReadManifest {
  const servers = objects.filter(isServer);
  const [server] = servers;
  if (server === undefined || servers.length > 1) {
    const kinds = `${KIND} or ${REMOTE_KIND}`;
    const count = servers.length === 0 ? `no ${kinds} of ${API_VERSION}` : `${servers.length} of ${kinds}`;
    throw new ThvError("INVALID_ARGUMENT", `${what} has ${count}, and must have one.`, {
      hint: "To take several over as a project file: thv k8s import FILE --file thv.yaml",
    });
  }
  const { request, group, notes } = readServer(server, { objects, what, nameSecret: nameSecrets([server]) });
  const ofGroup =
    group === undefined
      ? []
      : [`Left out: the group ${group}. Add the server to a group of this machine: thv group add GROUP NAME`];
  return { request, notes: [...[...notes, ...listMissingKinds(objects)].map(formatNote), ...ofGroup] };
}

/** @returns Whether an object is a server of its own: one that runs on the cluster, or elsewhere. */
export function isServer(object: JsonObject): boolean {
  return isOfGroup(object) && (object.kind === KIND || object.kind === REMOTE_KIND);
}

/** What is around one object of a manifest. */
export interface ManifestFile {
  readonly objects: readonly JsonObject[];
  /** Name of the file, for messages. */
  readonly what: string;
  readonly nameSecret: NameSecret;
}

export interface ReadServer {
  readonly request: CreateRequest;
  /** The MCPGroup that it names. */
  readonly group?: string | undefined;
  readonly notes: readonly ManifestNote[];
}

/** @throws {ThvError} As `readManifest`. */
export function readServer(object: JsonObject, file: ManifestFile): ReadServer {
  const { metadata = {}, spec = {} } = object;
  const { problems, otherNames } = checkObject(object);
  if (problems.length > 0)
    throw new ThvError("INVALID_ARGUMENT", `${file.what} cannot be used: ${problems.join("; ")}.`);
  const notes: ManifestNote[] = otherNames.map((sentence) => ({ sentence }));
  const lost = CLUSTER_ONLY.filter((name) => spec[name] !== undefined && !isDefault(name, spec[name]));
  if (lost.length > 0)
    notes.push({ words: "Left out, because they are for a cluster", reason: "it is for a cluster", lost });
  const labels = readLabels(metadata.labels);
  const { transport } = spec;
  const findData = (name: string) => findConfigMap(file.objects, name, file.what);
  const request: CreateRequest = {
    ...(metadata.name && { name: metadata.name }),
    ...(object.kind === REMOTE_KIND ? readRemote(spec, file.nameSecret, notes) : readContainer(spec, file.nameSecret)),
    ...(object.kind === REMOTE_KIND && transport && { transport }),
    ...(labels && { labels }),
    ...readTools(file.objects, spec, file.what),
    ...readProfile(spec.permissionProfile, findData),
    ...(spec.idle && { sleep_after_seconds: (parseDuration(spec.idle.after) ?? 0) / 1_000 }),
    ...(object.kind === KIND && readPodTemplate(spec.podTemplateSpec, notes)),
    ...readAccess(spec, findData, notes),
  };
  return { request, notes, group: readGroupName(spec.groupRef) };
}

/** The image and what it is started with. */
function readContainer(spec: JsonObject, nameSecret: NameSecret): CreateRequest {
  const { env = [], args = [], secrets = [], proxyMode, transport = "stdio" } = spec;
  const targetPort = spec.mcpPort ?? spec.targetPort;
  const variables = readVariables(env);
  return {
    image: spec.image,
    transport,
    ...(targetPort && { target_port: targetPort }),
    ...(proxyMode && transport === "stdio" && { proxy_mode: proxyMode }),
    ...(args.length > 0 && { cmd_arguments: args.map((text: string) => expandReferences(text, variables)) }),
    ...(variables.size > 0 && { env_vars: [...variables].map(([name, value]) => `${name}=${value}`) }),
    ...(secrets.length > 0 && {
      secrets: secrets.map(({ name, key, targetEnvName }: JsonObject) => ({
        name: nameSecret({ name, key }),
        target: targetEnvName || key,
      })),
    }),
  };
}

/** @returns A note for each object of a kind that no command here reads. */
export function listMissingKinds(objects: readonly JsonObject[]): ManifestNote[] {
  const others = objects.filter((object) => isOfGroup(object) && Object.hasOwn(MISSING_KINDS, object.kind));
  return others.map(({ kind, metadata }) => ({
    sentence: `Left out: the ${kind} ${metadata?.name}. In its place: ${MISSING_KINDS[kind]}.`,
    lost: [`${kind} ${metadata?.name}`],
    reason: `in its place: ${MISSING_KINDS[kind]}`,
  }));
}

/** Values that the API server fills in carry no meaning. */
function isDefault(name: string, value: unknown): boolean {
  return (name === "replicas" || name === "proxyReplicas") && value === 1;
}

/** A variable may refer to those before it. */
function readVariables(env: readonly { readonly name: string; readonly value: string }[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const { name, value } of env) variables.set(name, expandReferences(value, variables));
  return variables;
}

function readLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> | undefined {
  const own = Object.entries(labels).filter(([name]) => !OWN_LABEL.test(name));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

function findConfigMap(objects: readonly JsonObject[], name: string, what: string): Record<string, string> {
  const found = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata?.name === name);
  if (found) return found.data ?? {};
  throw new ThvError("INVALID_ARGUMENT", `${what} lacks the ConfigMap ${name}, which the server needs.`, {
    hint: "Put it into the same file, after a line with ---, or name the server of the cluster instead of a file.",
  });
}

/** @throws {ThvError} `INVALID_ARGUMENT`: without its choice of tools, the server would offer more than on the cluster. */
export function readTools(
  objects: readonly JsonObject[],
  { tools, toolConfigRef }: JsonObject,
  what: string,
): Pick<CreateRequest, "tools" | "tools_override"> {
  if (toolConfigRef === undefined) return tools === undefined ? {} : { tools };
  const { name } = toolConfigRef;
  const found = objects.find(({ kind, metadata }) => kind === TOOL_CONFIG_KIND && metadata?.name === name);
  if (found === undefined) {
    throw new ThvError("INVALID_ARGUMENT", `${what} lacks the ${TOOL_CONFIG_KIND} ${name}, which the server needs.`, {
      hint: "Put it into the same file, after a line with ---, or name the server of the cluster instead of a file.",
    });
  }
  const { problems } = checkObject(found);
  if (problems.length > 0) {
    const message = `The ${TOOL_CONFIG_KIND} ${name} cannot be used: ${problems.join("; ")}.`;
    throw new ThvError("INVALID_ARGUMENT", message);
  }
  const { toolsFilter, toolsOverride } = found.spec ?? {};
  return { ...(toolsFilter && { tools: toolsFilter }), ...(toolsOverride && { tools_override: toolsOverride }) };
}

/** A cluster enforces the rules always, so they are enforced here, too. */
function readProfile(
  profile: JsonObject | undefined,
  findData: (name: string) => Readonly<Record<string, string>>,
): Pick<CreateRequest, "permission_profile" | "network_isolation"> {
  if (profile === undefined) return {};
  const { type = "builtin", name, key } = profile;
  if (type === "builtin") return { permission_profile: { name } };
  const data = findData(name);
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch (error) {
    throw new ThvError("INVALID_ARGUMENT", `The ConfigMap ${name} has no permission profile in ${key}.`, {
      cause: error,
    });
  }
  return { permission_profile: value as PermissionProfile, network_isolation: true };
}
