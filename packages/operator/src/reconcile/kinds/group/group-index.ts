/** Which servers name which MCPGroup, whether it is there or not. */
import { formatObjectKey, MCP_GROUP_KIND } from "../../../contract/index.ts";

/** A server, as far as it names a group. */
interface Named {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly groupRef?: { readonly name: string } | undefined };
}

export class GroupIndex {
  readonly #members = new Map<string, Set<string>>();
  readonly #changed: (key: string) => void;

  /** @param changed What a server or a group is depends on something that has changed. */
  constructor(changed: (key: string) => void) {
    this.#changed = changed;
  }

  /** @param group Key of a group. @returns Keys of the servers that name it. */
  listMembers(group: string): ReadonlySet<string> {
    return this.#members.get(group) ?? NONE;
  }

  /** A server has come, has another form, or is gone. @param key Its own. */
  track(key: string, server: Named | undefined, old: Named | undefined): void {
    const [before, after] = [findGroupKey(old), findGroupKey(server)];
    if (before !== undefined && before !== after) {
      const members = this.#members.get(before);
      members?.delete(key);
      if (members?.size === 0) this.#members.delete(before);
      this.tell(before);
    }
    if (after === undefined) return;
    const members = this.#members.get(after) ?? new Set<string>();
    members.add(key);
    this.#members.set(after, members);
    this.tell(after);
  }

  /** To a group and to those that name it. */
  tell(group: string): void {
    this.#changed(group);
    for (const member of this.listMembers(group)) this.#changed(member);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** @returns The key of the group that a server names, among all objects that are worked on. */
export function findGroupKey(server: Named | undefined): string | undefined {
  const { groupRef } = server?.spec ?? {};
  const { namespace } = server?.metadata ?? {};
  return namespace && groupRef && formatObjectKey(MCP_GROUP_KIND, { namespace, name: groupRef.name });
}
