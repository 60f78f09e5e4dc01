/** Names of one object among those of all kinds: in the operator's memory, queue and log, and in the API. */
import { API_VERSION, findKind, KIND, type ObjectKind, PLURAL, pluralize } from "./names.ts";

interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** @returns `NAMESPACE/NAME` for an MCPServer, `NAMESPACE/NAME/PLURAL` for every other kind: names of two kinds may be the same. */
export function formatObjectKey(kind: ObjectKind, { namespace, name }: NamespacedName): string {
  return kind === KIND ? `${namespace}/${name}` : `${namespace}/${name}/${pluralize(kind)}`;
}

/** @returns `KIND/NAME`, which people read. */
export function describeObjectKey(key: string): string {
  const [, name = "", plural = PLURAL] = key.split("/");
  return `${findKind(plural)}/${name}`;
}

/** @returns The path of an object of one of the operator's kinds. */
export function formatObjectPath(kind: ObjectKind, { namespace, name }: NamespacedName): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${pluralize(kind)}/${name}`;
}
