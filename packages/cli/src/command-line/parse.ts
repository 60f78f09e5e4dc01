/**
 * Turns arguments into a command and its input, by the POSIX and GNU conventions: flags and positionals in any order,
 * `--flag value`, `--flag=value`, `-f value`, `-fvalue`, clusters of short booleans, `--` ends the flags.
 */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { ThvError } from "@toolhive/core/errors";
import {
  type Command,
  type CommandGroup,
  type CommandTree,
  isDirectlyBelow,
  isSamePath,
  listChildren,
} from "./command.ts";
import { GLOBAL_FLAGS, HELP_FLAG, listFlags, type NamedFlag } from "./flag.ts";
import { COMMAND_HABITS, FLAG_HABITS } from "./habits.ts";
import { buildInput, flagHint, type ParsedInput, readFlagValue, toCamelCase, type WrittenValue } from "./input.ts";
import { HABIT_HINT, Mistakes } from "./mistakes.ts";
import { findNearest } from "./suggest.ts";

export type Invocation =
  | {
      readonly kind: "run";
      readonly command: Command;
      readonly input: ParsedInput;
      readonly debug: boolean;
      /** Of a command that can say what else is wrong (`loadCheck`); of any other they are thrown. */
      readonly mistakes: Mistakes;
    }
  /** For the command or group at the path; empty for the root. */
  | { readonly kind: "help"; readonly path: readonly string[]; readonly isWhole?: boolean }
  /** For a subject that is not a command: `thv help environment`. */
  | { readonly kind: "topic"; readonly topic: string }
  /** For an error code: `thv help PORT_IN_USE`. */
  | { readonly kind: "error"; readonly code: string };

/**
 * @param env Gives values of flags that are absent and name a variable.
 * @throws {ThvError} `USAGE` naming everything that is wrong, and the findNearest right word.
 */
export function parseInvocation(
  argv: readonly string[],
  tree: CommandTree,
  env: Readonly<Record<string, string | undefined>> = {},
): Invocation {
  const [first, ...helpWords] = argv.filter((word) => !isGlobalFlag(word));
  if (first === "help") return parseHelp(helpWords, tree);
  // Everybody tries them; they are the command's other names.
  if (
    argv.length > 0 &&
    argv.every((word) => isGlobalFlag(word) || VERSION_FLAGS.includes(word)) &&
    argv.some((word) => VERSION_FLAGS.includes(word))
  )
    return parseInvocation(["version", ...argv.filter(isGlobalFlag)], tree, env);
  const { path, others } = locate(argv, tree);
  const command = tree.commands.find((candidate) => isSamePath(candidate.path, path));
  if (!command) return parseGroup(path, others, tree);
  const flags = [...listFlags(command), ...GLOBAL_FLAGS];
  const values = new Map<string, WrittenValue[]>();
  const positionals: string[] = [];
  const rest: string[] = [];
  let isRest = false;
  let wantsHelp = false;
  let wantsAll = false;
  const mistakes = new Mistakes();
  let hasUnknown = false;
  const written = new Set<string>();
  for (const token of tokenize(others, flags)) {
    if (token.kind === "option-terminator") isRest = true;
    else if (token.kind === "positional") (isRest ? rest : positionals).push(token.value);
    else if (token.name === HELP_FLAG.name || token.name === HELP_FLAG.short) {
      wantsHelp = true;
      wantsAll ||= token.value === ALL_FLAGS;
    } else {
      const flag = flags.find(({ name }) => name === token.name);
      if (!flag) {
        hasUnknown = true;
        mistakes.add(unknownFlag(token.rawName, command, flags));
        continue;
      }
      written.add(flag.name);
      const value = mistakes.collect(() => readFlagValue(flag, token));
      if (value !== undefined) values.set(flag.name, [...(values.get(flag.name) ?? []), value]);
    }
  }
  if (wantsHelp) return createHelp(path, positionals.includes(ALL_FLAGS) || wantsAll);
  // After `--` everything is an argument, also what looks like a flag or the name of another command.
  const words = command.takesRest ? { positionals, rest } : { positionals: [...positionals, ...rest], rest: [] };
  const input = buildInput(command, { ...words, values }, { env, mistakes });
  // The word after a flag that is not known may be its value: which of them are arguments cannot be said.
  if (!hasUnknown) mistakes.collect(() => checkArguments(command, input, tree, written));
  if (!command.loadCheck) mistakes.throwAll(command.path);
  return { kind: "run", command, input, debug: values.get("debug")?.at(-1) === true, mistakes };
}

const VERSION_FLAGS: readonly string[] = ["--version", "-v"];

interface Located {
  /** Of a command, or of a group when no command is named. */
  readonly path: readonly string[];
  /** The remaining words: flags, positionals, or a word that the group does not know. */
  readonly others: readonly string[];
}

/** Follows the words into the tree as far as they name something. Global flags may be between them. */
function locate(argv: readonly string[], tree: CommandTree): Located {
  const globals: string[] = [];
  let path: readonly string[] = [];
  for (const [index, word] of argv.entries()) {
    const next = childAt(path, word, tree);
    if (next) path = next;
    else if (isGlobalFlag(word)) globals.push(word);
    else return { path, others: [...globals, ...argv.slice(index)] };
  }
  return { path, others: globals };
}

function childAt(
  path: readonly string[],
  word: string,
  { commands, groups }: CommandTree,
): readonly string[] | undefined {
  const isNamed = (candidate: Command | CommandGroup) =>
    candidate.path.at(-1) === word || ("aliases" in candidate && candidate.aliases?.includes(word) === true);
  return [...commands, ...groups].find((candidate) => isDirectlyBelow(candidate.path, path) && isNamed(candidate))
    ?.path;
}

/** `thv help secret set`: every word has to name something; a single one may be a topic or an error code. */
/** The word behind `--help` for flags that are seldom needed, too. */
const ALL_FLAGS = "all";

function createHelp(path: readonly string[], isWhole: boolean): Invocation {
  return { kind: "help", path, ...(isWhole && { isWhole }) };
}

function parseHelp(words: readonly string[], tree: CommandTree): Invocation {
  const { path, others } = locate(words, tree);
  const surplus = others.find((word) => !isHelpFlag(word));
  if (surplus === undefined) return { kind: "help", path };
  if (surplus === ALL_FLAGS && tree.commands.some((each) => isSamePath(each.path, path))) return createHelp(path, true);
  const topics = tree.topics?.map(({ name }) => name) ?? [];
  if (path.length === 0 && topics.includes(surplus)) return { kind: "topic", topic: surplus };
  const code = surplus.toUpperCase().replaceAll("-", "_");
  if (path.length === 0 && tree.errorCodes?.includes(code)) return { kind: "error", code };
  throw unknownWord(surplus, path, tree, "help");
}

/** A group does nothing by itself: it shows its help, or says that it does not know the word. */
function parseGroup(path: readonly string[], others: readonly string[], tree: CommandTree): Invocation {
  const [word] = others.filter((other) => !isGlobalFlag(other));
  if (word !== undefined && !isHelpFlag(word)) throw unknownWord(word, path, tree);
  return { kind: "help", path };
}

function isGlobalFlag(word: string): boolean {
  return GLOBAL_FLAGS.some(({ name, kind }) => kind === "bool" && (word === `--${name}` || word === `--${name}=true`));
}

function isHelpFlag(word: string): boolean {
  return word === `--${HELP_FLAG.name}` || word === `-${HELP_FLAG.short}`;
}

function unknownWord(word: string, path: readonly string[], tree: CommandTree, prefix?: "help"): ThvError {
  const words = ["thv", ...path].join(" ");
  const group = path.length === 0 ? "" : ` for ${words}`;
  if (word.startsWith("-")) {
    const near = findNearest(
      word.replace(/^--?/, ""),
      [...GLOBAL_FLAGS, HELP_FLAG].map(({ name }) => name),
    );
    const hint = near === undefined ? `See: ${words} --help` : `Did you mean --${near}?`;
    return new ThvError("USAGE", `Unknown flag "${word}"${group}.`, { hint });
  }
  const topics = prefix !== undefined && path.length === 0 ? (tree.topics ?? []).map(({ name }) => name) : [];
  const known = listChildren(path, tree).map((child) => child.path.at(-1) ?? "");
  if (path.length === 0 && prefix === undefined) known.push("help");
  const codes = prefix !== undefined && path.length === 0 ? (tree.errorCodes ?? []) : [];
  const suggestion = findNearest(word, [...known, ...topics, ...codes]);
  const begin = prefix === undefined ? words : ["thv", prefix, ...path].join(" ");
  const all = prefix === undefined ? `See the commands: ${words} --help` : "See the commands and topics: thv help";
  const habit = path.length === 0 && prefix === undefined ? COMMAND_HABITS[word] : undefined;
  return new ThvError("USAGE", `Unknown ${topics.length > 0 ? "command or topic" : "command"} "${word}"${group}.`, {
    hint: habit ?? (suggestion ? `Did you mean: ${begin} ${suggestion}` : all),
  });
}

type Token = NonNullable<ReturnType<typeof parseArgs<ParseArgsConfig & { tokens: true }>>["tokens"]>[number];

function tokenize(args: readonly string[], flags: readonly NamedFlag[]): Token[] {
  const options: Record<string, { type: "string" | "boolean"; short?: string; multiple: true }> = {};
  for (const { name, short, kind } of [HELP_FLAG, ...flags]) {
    options[name] = { type: kind === "bool" ? "boolean" : "string", ...(short && { short }), multiple: true };
  }
  // Not strict: we report mistakes ourselves, with a suggestion.
  return parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true }).tokens;
}

function unknownFlag(rawName: string, command: Command, flags: readonly NamedFlag[]): ThvError {
  const suggestion = findNearest(
    rawName.replace(/^--?/, ""),
    flags.filter(({ hidden }) => !hidden).map(({ name }) => name),
  );
  const words = ["thv", ...command.path].join(" ");
  const habit = FLAG_HABITS[command.path.join(" ")]?.[rawName];
  const toServer = command.takesRest ? ` Flags for the server go after "--".` : "";
  return new ThvError("USAGE", `Unknown flag "${rawName}" for ${words}.`, {
    hint: habit
      ? `${HABIT_HINT} ${rawName}: ${habit}.`
      : suggestion
        ? `Did you mean --${suggestion}?${toServer}`
        : `See: ${words} --help.${toServer}`,
  });
}

/**
 * Names everything that is missing at once.
 *
 * @param written Names of flags; one with a value that cannot be read is not missing.
 */
function checkArguments(command: Command, input: ParsedInput, tree: CommandTree, written: ReadonlySet<string>): void {
  const { positionals } = input;
  const words = ["thv", ...command.path].join(" ");
  const missing = command.positionals.slice(positionals.length).filter(({ isOptional }) => !isOptional);
  const missingFlags = listFlags(command).filter(
    ({ isRequired, name }) => isRequired && !written.has(name) && !input.isGiven(toCamelCase(name)),
  );
  const names = [...missing.map(({ name }) => name), ...missingFlags.map(({ name }) => `--${name}`)];
  if (names.length > 0) {
    const [onlyFlag] = missing.length === 0 && missingFlags.length === 1 ? missingFlags : [];
    throw new ThvError("USAGE", `${words} needs ${names.join(", ").replace(/, ([^,]*)$/, " and $1")}.`, {
      hint: onlyFlag ? flagHint(onlyFlag) : `See: ${words} --help`,
    });
  }
  const surplus = command.positionals.at(-1)?.isRepeated ? undefined : positionals[command.positionals.length];
  if (surplus !== undefined) {
    if (listChildren(command.path, tree).length > 0) throw unknownWord(surplus, command.path, tree);
    throw new ThvError("USAGE", `${words} does not take "${surplus}".`, {
      hint: command.takesRest
        ? `Arguments for the server go after "--": ${words} … -- ${surplus}`
        : `See: ${words} --help`,
    });
  }
  for (const [index, { name, values }] of command.positionals.entries()) {
    const word = positionals[index];
    if (word === undefined || !values || values.includes(word)) continue;
    const near = findNearest(word, values);
    throw new ThvError("USAGE", `${name} is "${word}" but must be ${values.join(" or ")}.`, {
      hint: near === undefined ? `See: ${words} --help` : `Did you mean: ${words} ${near}`,
    });
  }
}
