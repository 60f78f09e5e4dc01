/**
 * Turns arguments into a command and its input, by the POSIX and GNU conventions: flags and positionals in any order,
 * `--flag value`, `--flag=value`, `-f value`, `-fvalue`, clusters of short booleans, `--` ends the flags.
 */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { ThvError } from "@toolhive/core/errors";
import { type Command, type CommandGroup, type CommandTree, type Flag, GLOBAL_FLAGS } from "./command.ts";
import { nearest } from "./suggest.ts";

export interface ParsedInput {
  readonly positionals: readonly string[];
  /** What came after `--`. */
  readonly rest: readonly string[];
  readonly string: (name: string) => string | undefined;
  readonly int: (name: string) => number | undefined;
  readonly bool: (name: string) => boolean;
  readonly strings: (name: string) => readonly string[];
}

export type Invocation =
  | { readonly kind: "run"; readonly command: Command; readonly input: ParsedInput; readonly debug: boolean }
  /** For the command or group at the path; empty for the root. */
  | { readonly kind: "help"; readonly path: readonly string[] };

/** @throws {ThvError} `USAGE` naming the word that is wrong and the nearest right one. */
export function parseInvocation(argv: readonly string[], tree: CommandTree): Invocation {
  if (argv[0] === "help") return { kind: "help", path: locateAll(argv.slice(1), tree) };
  const { path, others } = locate(argv, tree);
  const command = tree.commands.find((candidate) => samePath(candidate.path, path));
  if (!command) return parseGroup(path, others, tree);
  const flags = [...command.flags, ...GLOBAL_FLAGS];
  const values = new Map<string, (string | boolean)[]>();
  const positionals: string[] = [];
  const rest: string[] = [];
  let isRest = false;
  let wantsHelp = false;
  for (const token of tokenize(others, flags)) {
    if (token.kind === "option-terminator") isRest = true;
    else if (token.kind === "positional") (isRest ? rest : positionals).push(token.value);
    else if (token.name === "help" || token.name === "h") wantsHelp = true;
    else {
      const flag = flags.find(({ name }) => name === token.name);
      if (!flag) throw unknownFlag(token.rawName, command, flags);
      values.set(flag.name, [...(values.get(flag.name) ?? []), readValue(flag, token)]);
    }
  }
  if (wantsHelp) return { kind: "help", path };
  checkPositionals(command, positionals, rest);
  const input = inputOf(command, positionals, rest, values);
  return { kind: "run", command, input, debug: values.get("debug")?.at(-1) === true };
}

interface Located {
  /** Of a command, or of a group when no command is named. */
  readonly path: readonly string[];
  /** What is left: flags, positionals, or a word that the group does not know. */
  readonly others: readonly string[];
}

/** Follows the words into the tree as far as they name something. Global flags may stand between them. */
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
  const isChild = (candidate: readonly string[]) =>
    candidate.length === path.length + 1 && samePath(candidate.slice(0, -1), path);
  const isNamed = (candidate: Command | CommandGroup) =>
    candidate.path.at(-1) === word || ("aliases" in candidate && candidate.aliases?.includes(word) === true);
  return [...commands, ...groups].find((candidate) => isChild(candidate.path) && isNamed(candidate))?.path;
}

/** `thv help secret set`: every word has to name something. */
function locateAll(words: readonly string[], tree: CommandTree): readonly string[] {
  const { path, others } = locate(words, tree);
  const surplus = others.find((word) => !isGlobalFlag(word) && !isHelpFlag(word));
  if (surplus !== undefined) throw unknownWord(surplus, path, tree);
  return path;
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
  return word === "--help" || word === "-h";
}

export function samePath(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

/** Commands and groups directly below a path, in the tree's order, each once. */
export function childrenOf(path: readonly string[], { commands, groups }: CommandTree): (Command | CommandGroup)[] {
  return [...commands, ...groups].filter(
    (candidate) => candidate.path.length === path.length + 1 && samePath(candidate.path.slice(0, -1), path),
  );
}

function unknownWord(word: string, path: readonly string[], tree: CommandTree): ThvError {
  const words = ["thv", ...path].join(" ");
  const group = path.length === 0 ? "" : ` for ${words}`;
  if (word.startsWith("-"))
    return new ThvError("USAGE", `Unknown flag "${word}"${group}.`, { hint: `See: ${words} --help` });
  const known = childrenOf(path, tree).map((child) => child.path.at(-1) ?? "");
  const suggestion = nearest(word, known);
  return new ThvError("USAGE", `Unknown command "${word}"${group}.`, {
    hint: suggestion ? `Did you mean: ${words} ${suggestion}` : `See the commands: ${words} --help`,
  });
}

type Token = NonNullable<ReturnType<typeof parseArgs<ParseArgsConfig & { tokens: true }>>["tokens"]>[number];

function tokenize(args: readonly string[], flags: readonly Flag[]): Token[] {
  const options: Record<string, { type: "string" | "boolean"; short?: string; multiple: true }> = {
    help: { type: "boolean", short: "h", multiple: true },
  };
  for (const { name, short, kind } of flags) {
    options[name] = { type: kind === "bool" ? "boolean" : "string", ...(short && { short }), multiple: true };
  }
  // Not strict: we report what is wrong ourselves, with a suggestion.
  return parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true }).tokens;
}

function readValue(flag: Flag, token: Extract<Token, { kind: "option" }>): string | boolean {
  const { value } = token;
  if (flag.kind === "bool") {
    if (value === undefined || value === "true") return true;
    if (value === "false") return false;
    throw new ThvError("USAGE", `--${flag.name} is "${value}", but takes only true or false.`);
  }
  if (value === undefined) throw new ThvError("USAGE", `--${flag.name} needs a value.`, { hint: flagHint(flag) });
  // `-x=value`: the tokenizer keeps the "=" of a short flag.
  const text = token.inlineValue && !token.rawName.startsWith("--") ? value.replace(/^=/, "") : value;
  if (flag.kind === "int" && !/^-?\d+$/.test(text)) {
    throw new ThvError("USAGE", `--${flag.name} is "${text}", but has to be a whole number.`);
  }
  if (flag.values && !flag.values.includes(text)) {
    throw new ThvError("USAGE", `--${flag.name} is "${text}", but has to be ${flag.values.join(" or ")}.`);
  }
  return text;
}

function flagHint(flag: Flag): string {
  return `${flag.summary}: --${flag.name} ${flag.values?.join("|") ?? "VALUE"}`;
}

function unknownFlag(rawName: string, command: Command, flags: readonly Flag[]): ThvError {
  const suggestion = nearest(
    rawName.replace(/^--?/, ""),
    flags.filter(({ hidden }) => !hidden).map(({ name }) => name),
  );
  const words = ["thv", ...command.path].join(" ");
  const toServer = command.takesRest ? ` Flags for the server go after "--".` : "";
  throw new ThvError("USAGE", `Unknown flag "${rawName}" for ${words}.`, {
    hint: suggestion ? `Did you mean --${suggestion}?${toServer}` : `See: ${words} --help.${toServer}`,
  });
}

function checkPositionals(command: Command, positionals: readonly string[], rest: readonly string[]): void {
  const words = ["thv", ...command.path].join(" ");
  const missing = command.positionals.slice(positionals.length).find(({ isOptional }) => !isOptional);
  if (missing) {
    throw new ThvError("USAGE", `${words} needs ${missing.name}.`, { hint: `See: ${words} --help` });
  }
  const surplus = positionals[command.positionals.length] ?? (command.takesRest ? undefined : rest[0]);
  if (surplus !== undefined) {
    throw new ThvError("USAGE", `${words} does not take "${surplus}".`, {
      hint: command.takesRest
        ? `Arguments for the server go after "--": ${words} … -- ${surplus}`
        : `See: ${words} --help`,
    });
  }
}

function inputOf(
  command: Command,
  positionals: readonly string[],
  rest: readonly string[],
  values: ReadonlyMap<string, readonly (string | boolean)[]>,
): ParsedInput {
  const last = (name: string) => {
    const fallback = command.flags.find((flag) => flag.name === name)?.default;
    return values.get(name)?.at(-1) ?? fallback;
  };
  const string = (name: string) => {
    const value = last(name);
    return value === undefined ? undefined : String(value);
  };
  return {
    positionals,
    rest,
    string,
    int: (name) => {
      const value = string(name);
      return value === undefined ? undefined : Number(value);
    },
    bool: (name) => last(name) === true,
    strings: (name) => (values.get(name) ?? []).map(String),
  };
}
