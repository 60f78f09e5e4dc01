/** Copies of remote registries on disk, so that an unreachable registry is only outdated, not missing. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as Type from "typebox";
import { Check } from "typebox/schema";
import { atomicWrite } from "../../files/atomic-write.ts";
import { readBoundedText } from "../../files/bounded-file.ts";
import { MAX_PAGES_BYTES } from "./fetch-pages.ts";

/** The text is in quotes, so that each of its quotes has a backslash. */
const MAX_FILE_BYTES = 2 * MAX_PAGES_BYTES + 64 * 1024;

const CachedRegistrySchema = Type.Object({
  url: Type.String(),
  etag: Type.Optional(Type.String()),
  /** As the origin wrote it, for the next question. */
  last_modified: Type.Optional(Type.String()),
  /** When the origin last confirmed this content. RFC 3339. */
  checked_at: Type.String({ format: "date-time" }),
  text: Type.String(),
});

export type CachedRegistry = Readonly<Type.Static<typeof CachedRegistrySchema>>;

export class RegistryCache {
  readonly #directory: string;

  /** @param stateDirectory The `toolhive` directory below the user's state directory. */
  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, "registry-cache");
  }

  /** `undefined` when there is no copy, or none that can be understood: then it is fetched again. */
  async find(url: string): Promise<CachedRegistry | undefined> {
    let value: unknown;
    try {
      value = JSON.parse(await readBoundedText(this.#formatPath(url), { maxBytes: MAX_FILE_BYTES }));
    } catch {
      // Not there, or damaged.
      return undefined;
    }
    if (!Check(CachedRegistrySchema, value) || value.url !== url) return undefined;
    return value;
  }

  async save(copy: CachedRegistry): Promise<void> {
    await atomicWrite(this.#formatPath(copy.url), JSON.stringify(copy));
  }

  #formatPath(url: string): string {
    return join(this.#directory, `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`);
  }
}
