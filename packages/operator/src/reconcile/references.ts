/**
 * Secrets and ConfigMaps that an MCPServer, MCPRemoteProxy or MCPGroup names: finds their names, the keys that matter, and
 * missing ones.
 */
import { createHmac } from "node:crypto";
import { type ClusterClient, ClusterError } from "../cluster/index.ts";
import { type JsonObject, type Proxied, pluralize, readServerMembers } from "../contract/index.ts";
import { digest, parseProfile, type ReferenceProblem, type References, readSpec } from "../desired/index.ts";
import { findPolicyProblem } from "./policies.ts";

/** Whether there is anything to read or to check before the objects are known that belong to it. */
export function needsResolving(server: Proxied): boolean {
  return listReferences(server).length > 0 || server.spec.authzConfig !== undefined;
}

export interface Reference {
  readonly kind: "Secret" | "ConfigMap";
  readonly name: string;
  /** Keys that are used; absent: all. */
  readonly key?: string | undefined;
  readonly isOptional?: boolean;
  readonly about: ReferenceProblem["about"];
}

/** @returns Everything that it names, the template of a server's pod included. */
export function listReferences(server: Proxied): Reference[] {
  const { oidcConfig, authzConfig } = server.spec;
  const { secrets = [], permissionProfile, podTemplateSpec } = readServerMembers(server);
  const found: Reference[] = secrets.map(({ name, key }) => ({ kind: "Secret", name, key, about: "variables" }));
  if (oidcConfig?.type === "configMap" && oidcConfig.configMap) {
    found.push({ kind: "ConfigMap", name: oidcConfig.configMap.name, about: "authentication" });
  }
  if (oidcConfig?.caBundle) {
    const { name, key = "ca.crt" } = oidcConfig.caBundle;
    found.push({ kind: "ConfigMap", name, key, about: "authentication" });
  }
  if (authzConfig && authzConfig.type !== "inline" && authzConfig.configMap) {
    const { name, key = "authz.json" } = authzConfig.configMap;
    found.push({ kind: "ConfigMap", name, key, about: "policies" });
  }
  if (permissionProfile?.type === "configmap") {
    found.push({ kind: "ConfigMap", name: permissionProfile.name, key: permissionProfile.key, about: "profile" });
  }
  for (const { kind, name, key } of readSpec(server).listFiles()) found.push({ kind, name, key, about: "remote" });
  if (podTemplateSpec?.spec) collectFromTemplate(podTemplateSpec.spec, found);
  return found;
}

/** Members of a pod's specification that name a Secret or a ConfigMap. */
const TEMPLATE_MEMBERS: ReadonlyMap<string, Reference["kind"]> = new Map([
  ["secretKeyRef", "Secret"],
  ["secretRef", "Secret"],
  ["secret", "Secret"],
  ["configMapKeyRef", "ConfigMap"],
  ["configMapRef", "ConfigMap"],
  ["configMap", "ConfigMap"],
]);
const MAX_DEPTH = 12;

function collectFromTemplate(value: unknown, found: Reference[], depth = 0): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  for (const [member, part] of Object.entries(value)) {
    const kind = TEMPLATE_MEMBERS.get(member);
    const name = part?.name ?? part?.secretName;
    if (kind !== undefined && typeof name === "string") {
      found.push({
        kind,
        name,
        ...(typeof part.key === "string" && { key: part.key }),
        ...(part.optional === true && { isOptional: true }),
        about: "variables",
      });
    } else collectFromTemplate(part, found, depth + 1);
  }
}

/** Reads what is named, and checks policies. Contents are not kept, except the settings of an issuer and a profile. */
export async function resolveReferences(
  client: ClusterClient,
  server: Proxied,
  signal: AbortSignal,
): Promise<References> {
  const { namespace } = server.metadata;
  const objects = new Map<string, JsonObject | undefined>();
  const problems: ReferenceProblem[] = [];
  const digests = { server: [] as string[], proxy: [] as string[] };
  let oidc: Record<string, string> | undefined;
  let profile: string | undefined;
  for (const reference of listReferences(server)) {
    const id = `${reference.kind}/${reference.name}`;
    if (!objects.has(id)) objects.set(id, await readObject(client, namespace, reference, signal));
    const object = objects.get(id);
    const problem = findProblem(reference, object, namespace);
    if (problem && !reference.isOptional) problems.push(problem);
    const side = reference.about === "variables" || reference.about === "profile" ? "server" : "proxy";
    digests[side].push(`${id}/${reference.key ?? ""}=${digestObject(object, reference.key)}`);
    // The certificates are one key of theirs; the settings of an issuer are all keys.
    if (reference.about === "authentication" && reference.key === undefined) oidc = object?.data ?? {};
    if (reference.about === "profile") profile = readKey(object, reference.key ?? "");
  }
  const { authzConfig } = server.spec;
  const policies = await findPolicyProblem(server, objects.get(`ConfigMap/${authzConfig?.configMap?.name}`));
  if (policies) problems.push(policies);
  return {
    serverDigest: digests.server.length === 0 ? "" : digest(digests.server),
    proxyDigest: digests.proxy.length === 0 ? "" : digest(digests.proxy),
    oidc,
    profile,
    problems,
  };
}

async function readObject(
  client: ClusterClient,
  namespace: string,
  { kind, name }: Reference,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  try {
    return await client.send({
      path: `/api/v1/namespaces/${namespace}/${pluralize(kind)}/${encodeURIComponent(name)}`,
      signal,
    });
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return undefined;
    throw error;
  }
}

function findProblem(
  { kind, name, key, about }: Reference,
  object: JsonObject | undefined,
  namespace: string,
): ReferenceProblem | undefined {
  const reason = kind === "Secret" ? "SecretMissing" : "ConfigMapMissing";
  const command = `kubectl create ${kind === "Secret" ? "secret generic" : "configmap"} ${name} -n ${namespace}`;
  if (object === undefined) {
    return { reason, about, message: `The ${kind} "${name}" does not exist. Create it, for example with ${command}.` };
  }
  if (key !== undefined && readKey(object, key) === undefined && readBinaryKey(object, key) === undefined) {
    return { reason, about, message: `The ${kind} "${name}" has no key "${key}". Add it.` };
  }
  if (about === "profile") {
    const { problem } = parseProfile(readKey(object, key ?? "") ?? "");
    if (problem) {
      return {
        reason: "ConfigMapInvalid",
        about,
        message: `The key "${key}" of the ConfigMap "${name}" ${problem}. Correct it; until then the server reaches nothing.`,
      };
    }
  }
  if ((about === "authentication" || (about === "remote" && kind === "ConfigMap")) && key !== undefined) {
    if ((readKey(object, key) ?? "").includes("-----BEGIN CERTIFICATE-----")) return undefined;
    return {
      reason: "ConfigMapInvalid",
      about,
      message: `The key "${key}" of the ConfigMap "${name}" holds no certificate in PEM form. Correct it.`,
    };
  }
  if (about === "authentication" && !object.data?.issuer && !object.data?.jwksUrl) {
    return {
      reason: "ConfigMapInvalid",
      about,
      message: `The ConfigMap "${name}" has neither the key "issuer" nor "jwksUrl". Add one of them.`,
    };
  }
  return undefined;
}

/** @returns The text of a key: a resource may name it "constructor". */
function readKey(object: JsonObject | undefined, key: string): string | undefined {
  return readOwn(object?.data, key);
}

function readBinaryKey(object: JsonObject, key: string): string | undefined {
  return readOwn(object.binaryData, key);
}

function readOwn(data: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return data !== undefined && data !== null && Object.hasOwn(data, key) ? data[key] : undefined;
}

/** Users who may see a pod but no Secret must not be able to try values: the digest depends on the Secret's id. */
function digestObject(object: JsonObject | undefined, key: string | undefined): string {
  if (object === undefined) return "";
  const { data = {}, binaryData = {}, metadata } = object;
  const used =
    key === undefined ? { data, binaryData } : [readKey(object, key) ?? null, readBinaryKey(object, key) ?? null];
  return createHmac("sha256", String(metadata?.uid)).update(digest(used)).digest("hex");
}
