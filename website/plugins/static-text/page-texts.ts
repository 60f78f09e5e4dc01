/** The static text of the pages that were compiled, and the files that readers who come from another page get it from. */
import { createHash } from "node:crypto";

/** By the file's address below the site's root. Servers keep what is below `assets/` for ever: the name changes with the text. */
const files = new Map<string, string>();

export function textFile(key: string, parts: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 8);
  return `assets/text/${key}.${hash}.json`;
}

export function writePageText(key: string, parts: readonly string[]): void {
  files.set(textFile(key, parts), JSON.stringify(parts));
}

export function listPageTexts(): ReadonlyMap<string, string> {
  return files;
}
