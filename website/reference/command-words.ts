/** Commands, flags, packages, variables, placeholders and files within the plain texts of the command table: `--help` prints them as they are, a page as code. */
import { COMMANDS } from "@toolhive/cli/commands";
import { BRAND } from "@toolhive/core/brand";
import { text } from "./markdown.ts";

/** What stands in back quotes stays as it is. */
const WORDS =
  /`[^`]*`|(?<![\w-])--[a-z][a-z0-9-]*|\b(?:npx|uvx|go):\/\/(?:[^\s,;)]*[^\s,;:.)])?|\b[A-Z]+(?:[_=:][A-Z]+)+\b|(?<= ):r[ow]\b|\bthv(?:\.(?:yaml|lock)\b|\b(?: [a-z][a-z-]*){0,3}(?: --[a-z][a-z0-9-]*)?)/g;

const names = new Set(COMMANDS.map(({ path }) => path.join(" ")));

/** A sentence of the command table as MDX, with its commands and flags as code. */
export function commandText(value: string): string {
  return text(markWords(value));
}

function markWords(value: string): string {
  return value.replaceAll(WORDS, (match) => {
    if (match.startsWith("`")) return match;
    const code = match.startsWith(`${BRAND.command} `) ? findCommand(match) : match;
    return `\`${code}\`${markWords(match.slice(code.length))}`;
  });
}

/** The longest command at the start of the words, with the flag after it; the words after these belong to the sentence. */
function findCommand(words: string): string {
  const [program = "", ...rest] = words.split(" ");
  if (rest.at(-1)?.startsWith("--") && names.has(rest.slice(0, -1).join(" "))) return words;
  while (rest.length > 0 && !names.has(rest.join(" "))) rest.pop();
  return [program, ...rest].join(" ");
}
