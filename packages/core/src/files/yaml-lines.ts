/** Finds a value's place in a YAML text, and describes the problems of a text that is not YAML: one sentence a line. */
import { type Document, type ErrorCode, isMap, isScalar, type Node } from "yaml";

export type FindLine = (path: readonly string[]) => number;

/** @returns The line of the name that is nearest to a value, counted from 1. */
export function createLineFinder(document: Document.Parsed, text: string): FindLine {
  return (path) => {
    let node: unknown = document.contents;
    let at = 0;
    for (const part of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === part);
        if (!pair) break;
        at = (pair.key as Node).range?.[0] ?? at;
        node = pair.value;
      } else {
        const items: unknown = typeof node === "object" && node !== null && "items" in node ? node.items : undefined;
        const item: unknown = Array.isArray(items) ? items[Number(part)] : undefined;
        if (item === undefined) break;
        at = (item as Node).range?.[0] ?? at;
        node = item;
      }
    }
    return text.slice(0, at).split("\n").length;
  };
}

/** The parser's codes in words for the author of the file. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: "the text in double quotes has a backslash with a character that YAML does not know",
  BAD_INDENT: "the indentation does not fit the lines above, or a closing bracket is missing",
  BAD_SCALAR_START: "a value begins with a character that needs quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a name and a value stand where only a value may stand: put the value in quotes, or on a line of its own",
  BLOCK_IN_FLOW: "a list or mapping of several lines stands inside brackets",
  DUPLICATE_KEY: "the same name is there twice",
  MISSING_CHAR: "a quote, a bracket or a colon is missing",
  MULTILINE_IMPLICIT_KEY: "a colon after the name is missing, or the value needs quotes",
  MULTIPLE_DOCS: "a second document begins: the file may have one",
  TAB_AS_INDENT: "it is indented with a tab: use spaces",
  UNEXPECTED_TOKEN: "there is a character that does not belong there",
};

/** @returns One sentence for each line that has a mistake; of several in one line, the first. */
export function describeYamlErrors({ errors }: Document.Parsed): string[] {
  const byLine = new Map<number | undefined, string>();
  for (const { code, message, linePos } of errors) {
    const line = linePos?.[0].line;
    if (byLine.has(line)) continue;
    const words = WORDS[code] ?? (message.split("\n")[0] ?? message).replace(/(?: at line \d+, column \d+)?:?$/, "");
    byLine.set(line, line === undefined ? words : `line ${line}: ${words}`);
  }
  return [...byLine.values()];
}
