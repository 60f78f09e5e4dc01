/** Turns a run configuration's settings of the container into the part of a pod template, and back. */
import type { CreateRequest } from "@toolhive/core";
import { readQuantity } from "../cluster/quantity.ts";
import { type JsonObject, SERVER_CONTAINER } from "../contract/index.ts";
import type { ManifestNote } from "./manifest-note.ts";

type PodRequest = Pick<CreateRequest, "user" | "read_only" | "limits" | "pull_policy">;

const PULL = { never: "Never", missing: "IfNotPresent", always: "Always" } as const;

/** On a cluster the image's file system is read-only unless the object permits writing; here it is writable by default. */
export function writePodTemplate(
  { user, read_only = false, limits = {}, pull_policy }: CreateRequest,
  notes: string[],
): JsonObject | undefined {
  const [uid, gid] = (user ?? "").split(":");
  const { memory_bytes, cpus, pids } = limits;
  if (pids) notes.push("The limit of processes is the node's: an object cannot set it.");
  const security = {
    ...(uid && { runAsUser: Number(uid) }),
    ...(gid && { runAsGroup: Number(gid) }),
    ...(!read_only && { readOnlyRootFilesystem: false }),
  };
  const resources = {
    ...(cpus && { cpu: `${Math.max(1, Math.round(cpus * 1000))}m` }),
    ...(memory_bytes && { memory: String(memory_bytes) }),
  };
  const container = {
    ...(pull_policy && { imagePullPolicy: PULL[pull_policy] }),
    ...(Object.keys(resources).length > 0 && { resources: { limits: resources } }),
    ...(Object.keys(security).length > 0 && { securityContext: security }),
  };
  if (Object.keys(container).length === 0) return undefined;
  return { spec: { containers: [{ name: SERVER_CONTAINER, ...container }] } };
}

/** @param notes Get a sentence when the template says more than a run configuration can. */
export function readPodTemplate(template: JsonObject | undefined, notes: ManifestNote[]): PodRequest {
  const { containers = [], securityContext: pod = {}, ...others } = template?.spec ?? {};
  const container = containers.find(({ name }: JsonObject) => name === SERVER_CONTAINER) ?? {};
  const { imagePullPolicy, resources = {}, securityContext = {}, name: _, ...rest } = container;
  const lost = [...Object.keys(others), ...Object.keys(rest), ...(containers.length > 1 ? ["other containers"] : [])];
  if (lost.length > 0)
    notes.push({
      words: "Left out of podTemplateSpec",
      lost: lost.sort(),
      reason: "podTemplateSpec says it for pods of a cluster",
    });
  const { runAsUser = pod.runAsUser, runAsGroup = pod.runAsGroup, readOnlyRootFilesystem } = securityContext;
  const policy = Object.entries(PULL).find(([, word]) => word === imagePullPolicy)?.[0] as PodRequest["pull_policy"];
  const memory = readQuantity(resources.limits?.memory);
  const cpus = readQuantity(resources.limits?.cpu);
  return {
    ...(runAsUser !== undefined && { user: runAsGroup === undefined ? `${runAsUser}` : `${runAsUser}:${runAsGroup}` }),
    ...(readOnlyRootFilesystem !== false && { read_only: true }),
    ...((memory !== undefined || cpus !== undefined) && {
      limits: {
        ...(memory !== undefined && { memory_bytes: Math.ceil(memory) }),
        ...(cpus !== undefined && { cpus }),
      },
    }),
    ...(policy && { pull_policy: policy }),
  };
}
