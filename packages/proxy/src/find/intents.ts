/** The kind of action of a tool, and the one that a query asks for: a question does not ask to delete anything. */
import { isAskingWord, isStopWord, stemWord } from "@toolhive/search/words";

export type Intent = "read" | "create" | "update" | "delete" | "act";

const WORDS: Readonly<Record<Intent, string>> = {
  read:
    "list get read show search find query describe view fetch count check look retrieve see explain inspect compare return " +
    "gather display which what who whose",
  create: "create add new insert write post send install report record file attach fork make",
  update: "update edit change modify rename move replace patch upgrade mark assign",
  delete: "delete remove drop erase clear forget uninstall purge",
  act: "run execute exec invoke evaluate press click drag hover navigate start",
};

const INTENTS = new Map<string, Intent>();
for (const intent of ["read", "create", "update", "delete", "act"] as const) {
  for (const word of WORDS[intent].split(" ")) INTENTS.set(stemWord(word), intent);
}

/** @param words Folded, in their order. @returns What the verb at their beginning does; `undefined` where that is not known. */
export function findIntent(words: Iterable<string>): Intent | undefined {
  for (const word of words) {
    const intent = INTENTS.get(stemWord(word));
    if (intent !== undefined) return intent;
    if (!isStopWord(word) && !isAskingWord(word)) return undefined;
  }
  return undefined;
}

/** @param stem Of a word. @returns Whether it says what is done, of whatever thing. */
export function isVerb(stem: string): boolean {
  return INTENTS.has(stem);
}
