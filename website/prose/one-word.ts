/** One word for one thing: what `docs/glossary.md` says that pages call a thing, and the words that they have for it no more. */
import { readFileSync } from "node:fs";
import path from "node:path";

const GLOSSARY = path.join(import.meta.dirname, "../../docs/glossary.md");
/** A row of the glossary's table with three cells: the word in bold, its meaning, and the other words. */
const ROW = /^\| \*\*([^*|]+)\*\* +\|[^|]+\|([^|]+)\|$/;

export interface PageWord {
  readonly say: string;
  readonly not: readonly string[];
}

export function readPageWords(): PageWord[] {
  const [, table = ""] = readFileSync(GLOSSARY, "utf8").split("## Words of pages");
  return table.split("\n").flatMap((line) => {
    const [, say, others] = ROW.exec(line) ?? [];
    if (say === undefined || others === undefined) return [];
    return [{ say, not: others.split(",").map((other) => other.trim()) }];
  });
}

/** What a reader of a page's source sees: without comments, code and the targets of links. */
export function readVisibleText(source: string): string {
  return source
    .replaceAll(/\{\/\*[\s\S]*?\*\/\}|<!--[\s\S]*?-->/g, "")
    .replaceAll(/^([ \t]*)`{3,}[^\n]*\n[\s\S]*?^\1`{3,}$/gm, "")
    .replaceAll(/`[^`\n]+`/g, "code")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replace(/^keywords: .*$/m, "");
}

/** @returns The other words in the text, each with the one to use. */
export function findOtherWords(text: string, words: readonly PageWord[]): string[] {
  const flat = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}'’-]+/gu, " ")} `.replaceAll("’", "'");
  return words.flatMap(({ say, not }) =>
    not.filter((other) => flat.includes(` ${other} `)).map((other) => `"${other}": say "${say}"`),
  );
}
