/** All MCPToolConfigs that the operator knows, and who names them. */
import {
  formatObjectKey,
  type MCPToolConfig,
  type MCPToolConfigSpec,
  readToolConfig,
  TOOL_CONFIG_KIND,
} from "../../../contract/index.ts";
import { followCollection, type ObjectHandlers } from "../../follow/follow-collection.ts";

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
  findFor(user: ToolConfigUser): MCPToolConfigSpec | undefined {
    return this.configs.get(findConfigKey(user) ?? "")?.spec;
  }

  /** @returns Of what names it, as `KIND/NAME`. */
  listUsers({ metadata }: Pick<MCPToolConfig, "metadata">): string[] {
    const users = this.#users.get(formatObjectKey(TOOL_CONFIG_KIND, metadata))?.values() ?? [];
    return [...users].sort().slice(0, MAX_USERS);
  }

  /** From now on it is this that the server names. @param key Of the server. @param old Its form before. */
  track(key: string, server: ToolConfigUser | undefined, old: ToolConfigUser | undefined): void {
    const [before, after] = [findConfigKey(old), findConfigKey(server)];
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

  follow(namespace: string | undefined): ObjectHandlers {
    const { configs } = this;
    return followCollection({
      namespace,
      locate: ({ metadata }) => ({ key: formatObjectKey(TOOL_CONFIG_KIND, metadata as MCPToolConfig["metadata"]) }),
      set: (object, { key }) => {
        const [config, old] = [readToolConfig(object), configs.get(key)];
        configs.set(key, config);
        this.#options.changed(key);
        const isSame =
          old?.metadata.uid === config.metadata.uid && old.metadata.generation === config.metadata.generation;
        if (!isSame) this.#queueUsers(key);
      },
      remove: ({ key }) => this.#remove(key),
      *listKnown() {
        for (const key of configs.keys()) yield { key };
      },
    });
  }

  #remove(key: string): void {
    if (!this.configs.delete(key)) return;
    this.#options.forgotten(key);
    this.#queueUsers(key);
  }

  #queueUsers(key: string): void {
    for (const user of this.#users.get(key)?.keys() ?? []) this.#options.changed(user, 0);
  }
}

/** @returns The key of the MCPToolConfig that an object names. */
function findConfigKey(user: ToolConfigUser | undefined): string | undefined {
  const { toolConfigRef } = user?.spec ?? {};
  const { namespace } = user?.metadata ?? {};
  return namespace && toolConfigRef && formatObjectKey(TOOL_CONFIG_KIND, { namespace, name: toolConfigRef.name });
}
