/** Words that people and tools use for the same: of each line, every word may stand for every other. */
import { stemOf } from "@toolhive/search/words";

const GROUPS = [
  "create add new make open insert",
  "delete remove drop erase",
  "list show all enumerate",
  "get read fetch view retrieve see show load",
  "update edit change modify set",
  "search find query look lookup",
  "send post publish",
  "run execute start launch invoke",
  "move rename",
  "folder directory",
  "repository repo project",
  "issue ticket bug",
  "comment reply note",
  "image picture photo",
  "screenshot capture",
  "page website site web",
  "url link address",
  "database db sql",
  "table relation",
  "user person people member",
  "email mail",
  "message chat",
  "type fill enter",
  "press click tap",
  "open navigate visit go",
  "weather forecast",
  "time clock",
  "remember store save",
  "merge combine",
  "history log",
  "difference diff compare",
  "download fetch",
  "tag label",
];

const SYNONYMS = new Map<string, Set<string>>();
for (const group of GROUPS) {
  const stems = group.split(" ").map((word) => stemOf(word));
  for (const stem of stems) {
    const known = SYNONYMS.get(stem) ?? new Set();
    for (const other of stems) if (other !== stem) known.add(other);
    SYNONYMS.set(stem, known);
  }
}

/** @param stem Of a word. @returns Stems of words that may stand for it. */
export function findSynonyms(stem: string): Iterable<string> {
  return SYNONYMS.get(stem) ?? [];
}
