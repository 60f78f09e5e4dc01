/** Conditions get their times, and a status is written: in the same way for every kind. */
import { type ClusterClient, ClusterError } from "../../cluster/index.ts";
import {
  API_VERSION,
  type Condition,
  FIELD_MANAGER,
  formatObjectPath,
  type JsonObject,
  type ObjectKind,
  type ObjectMeta,
} from "../../contract/index.ts";
import type { Statement } from "./statement.ts";

interface DatedObject {
  readonly metadata: Pick<ObjectMeta, "generation">;
  readonly status?: { readonly conditions?: readonly Condition[] } | undefined;
}

/** @param now In the API's form. A condition whose status is the same as before keeps its time. */
export function dateConditions(
  statements: readonly (Statement & { readonly type: string })[],
  { metadata: { generation = 0 }, status }: DatedObject,
  now: string,
): Condition[] {
  const before = new Map((status?.conditions ?? []).map((condition) => [condition.type, condition]));
  return statements.map((statement) => {
    const old = before.get(statement.type);
    const lastTransitionTime = old?.status === statement.status ? old.lastTransitionTime : now;
    return { ...statement, lastTransitionTime, observedGeneration: generation };
  });
}

interface WrittenObject {
  readonly kind: ObjectKind;
  readonly metadata: Pick<ObjectMeta, "name" | "namespace" | "uid">;
}

/** @returns The object as the API server stored it; `undefined`: it was deleted. @throws {ClusterError} For everything else. */
export async function applyStatus(
  client: ClusterClient,
  { kind, metadata: { name, namespace, uid } }: WrittenObject,
  status: object,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const object = { apiVersion: API_VERSION, kind, metadata: { name, namespace, uid }, status };
  const path = `${formatObjectPath(kind, { namespace, name })}/status`;
  try {
    return await client.apply(path, object, { manager: FIELD_MANAGER, signal });
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return undefined;
    throw error;
  }
}

/** @returns The time in the form that the API gives conditions. */
export function formatNow(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
