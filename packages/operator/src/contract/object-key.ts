/** The name of one object among those of all kinds, in the operator's memory, its queue and its log. */
import { KIND, type ObjectKind, pluralize } from "./names.ts";

/** @returns `NAMESPACE/NAME` for an MCPServer, `NAMESPACE/NAME/PLURAL` for every other kind: names of two kinds may be the same. */
export function formatObjectKey(
  kind: ObjectKind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return kind === KIND ? `${namespace}/${name}` : `${namespace}/${name}/${pluralize(kind)}`;
}
