/** All MCPToolConfigs that the operator knows, and who names them. */
import {
  describeObjectKey,
  formatObjectKey,
  listToolConfigKeys,
  type MCPToolConfig,
  type MCPToolConfigSpec,
  type Proxied,
  readToolConfig,
  TOOL_CONFIG_KIND,
} from "../../../contract/index.ts";
import { followCollection, type ObjectHandlers } from "../../follow/follow-collection.ts";
import { UserIndex } from "../../follow/user-index.ts";

interface ToolConfigStoreOptions {
  /** An object is compared again, or the status of an MCPToolConfig. */
  readonly changed: (key: string, delayMs?: number) => void;
  readonly forgotten: (key: string) => void;
}

/** Names in a status. */
const MAX_USERS = 1_000;

export class ToolConfigStore {
  readonly configs = new Map<string, MCPToolConfig>();
  readonly #users = new UserIndex();
  readonly #options: ToolConfigStoreOptions;

  constructor(options: ToolConfigStoreOptions) {
    this.#options = options;
  }

  /** @returns What the MCPToolConfig says that an object names; `undefined`: it names none, or that does not exist. */
  findFor(user: Proxied): MCPToolConfigSpec | undefined {
    const [key] = listToolConfigKeys(user);
    return key === undefined ? undefined : this.configs.get(key)?.spec;
  }

  /** @returns Of what names it, as `KIND/NAME`. */
  listUsers({ metadata }: Pick<MCPToolConfig, "metadata">): string[] {
    const users = this.#users.list(formatObjectKey(TOOL_CONFIG_KIND, metadata));
    return [...users].map(describeObjectKey).sort().slice(0, MAX_USERS);
  }

  /** An object was added, changed or removed. @param key Its own. @param old Its form before. */
  track(key: string, object: Proxied | undefined, old: Proxied | undefined): void {
    const [before, after] = [listToolConfigKeys(old), listToolConfigKeys(object)];
    if (before[0] === after[0]) return;
    this.#users.replace(key, before, after);
    for (const named of [...before, ...after]) if (this.configs.has(named)) this.#options.changed(named);
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
    for (const user of this.#users.list(key)) this.#options.changed(user, 0);
  }
}
