/** All MCPToolConfigs that the operator knows, and who names them. */
import {
  type MCPToolConfig,
  type MCPToolConfigSpec,
  readToolConfig,
  TOOL_CONFIG_PLURAL,
} from "../../contract/index.ts";
import type { CollectionHandlers } from "../follow/watch-collection.ts";

interface ToolConfigStoreOptions {
  /** What names it is to be compared again, or its own status. */
  readonly changed: (key: string, delayMs?: number) => void;
  readonly forgotten: (key: string) => void;
}

/** What names an MCPToolConfig. */
interface ToolConfigUser {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly toolConfigRef?: { readonly name: string } | undefined };
}

/** Names in a status. */
const MAX_USERS = 1_000;

export class ToolConfigStore {
  readonly configs = new Map<string, MCPToolConfig>();
  /** By the key of the MCPToolConfig, which may not be there: keys of what names it, with its kind and name. */
  readonly #users = new Map<string, Map<string, string>>();
  readonly #options: ToolConfigStoreOptions;

  constructor(options: ToolConfigStoreOptions) {
    this.#options = options;
  }

  /** @returns What it says; `undefined` when the server names none, or one that is not there. */
  findFor({ metadata: { namespace }, spec: { toolConfigRef } }: ToolConfigUser): MCPToolConfigSpec | undefined {
    return toolConfigRef && this.configs.get(keyOfToolConfig(namespace, toolConfigRef.name))?.spec;
  }

  /** @returns Of what names it, as `KIND/NAME`. */
  listUsers({ metadata: { namespace, name } }: Pick<MCPToolConfig, "metadata">): string[] {
    const users = this.#users.get(keyOfToolConfig(namespace, name))?.values() ?? [];
    return [...users].sort().slice(0, MAX_USERS);
  }

  /** From now on it is this that the server names. @param key Of the server. @param old Its form before. */
  track(key: string, server: ToolConfigUser | undefined, old: ToolConfigUser | undefined): void {
    const [before, after] = [keyOfUser(old), keyOfUser(server)];
    if (before === after) return;
    if (before !== undefined) {
      const users = this.#users.get(before);
      users?.delete(key);
      if (users?.size === 0) this.#users.delete(before);
      if (this.configs.has(before)) this.#options.changed(before);
    }
    if (after === undefined || server === undefined) return;
    const users = this.#users.get(after) ?? new Map<string, string>();
    users.set(key, `${server.kind}/${server.metadata.name}`);
    this.#users.set(after, users);
    if (this.configs.has(after)) this.#options.changed(after);
  }

  follow(namespace: string | undefined): Omit<CollectionHandlers, "fail"> {
    const seen = new Set<string>();
    return {
      begin: () => seen.clear(),
      set: (object) => {
        const config = readToolConfig(object);
        const key = keyOfToolConfig(config.metadata.namespace, config.metadata.name);
        seen.add(key);
        const old = this.configs.get(key);
        this.configs.set(key, config);
        this.#options.changed(key);
        const isSame =
          old?.metadata.uid === config.metadata.uid && old.metadata.generation === config.metadata.generation;
        if (!isSame) this.#tellUsers(key);
      },
      remove: ({ metadata }) => this.#remove(keyOfToolConfig(metadata.namespace, metadata.name)),
      end: () => {
        for (const [key, { metadata }] of this.configs) {
          const isWithin = namespace === undefined || metadata.namespace === namespace;
          if (isWithin && !seen.has(key)) this.#remove(key);
        }
        seen.clear();
      },
    };
  }

  #remove(key: string): void {
    if (!this.configs.delete(key)) return;
    this.#options.forgotten(key);
    this.#tellUsers(key);
  }

  #tellUsers(key: string): void {
    for (const user of this.#users.get(key)?.keys() ?? []) this.#options.changed(user, 0);
  }
}

/** Among the keys of all that is worked on. */
function keyOfToolConfig(namespace: string, name: string): string {
  return `${namespace}/${name}/${TOOL_CONFIG_PLURAL}`;
}

function keyOfUser(user: ToolConfigUser | undefined): string | undefined {
  const { toolConfigRef } = user?.spec ?? {};
  return user && toolConfigRef && keyOfToolConfig(user.metadata.namespace, toolConfigRef.name);
}
