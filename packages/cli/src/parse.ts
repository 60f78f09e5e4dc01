/**
 * Turns arguments into a command and its input, by the POSIX and GNU conventions: flags and positionals in any order,
 * `--flag value`, `--flag=value`, `-f value`, `-fvalue`, clusters of short booleans, `--` ends the flags.
 */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { ThvError } from "@toolhive/core/errors";
import { type Command, type Flag, GLOBAL_FLAGS } from "./command.ts";
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
  | { readonly kind: "help"; readonly command: Command | undefined };

/** @throws {ThvError} `USAGE` naming the word that is wrong and the nearest right one. */
export function parseInvocation(argv: readonly string[], commands: readonly Command[]): Invocation {
  const [word, ...others] = argv;
  if (word === undefined || word === "--help" || word === "-h") return { kind: "help", command: undefined };
  if (word === "help")
    return { kind: "help", command: others[0] === undefined ? undefined : find(others[0], commands) };
  const command = find(word, commands);
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
  if (wantsHelp) return { kind: "help", command };
  checkPositionals(command, positionals, rest);
  const input = inputOf(command, positionals, rest, values);
  return { kind: "run", command, input, debug: values.get("debug")?.at(-1) === true };
}

function find(word: string, commands: readonly Command[]): Command {
  const command = commands.find(({ path }) => path[0] === word);
  if (command) return command;
  if (word.startsWith("-")) throw new ThvError("USAGE", `Unknown flag "${word}".`, { hint: "See: thv --help" });
  const suggestion = nearest(
    word,
    commands.map(({ path }) => path[0] ?? ""),
  );
  throw new ThvError("USAGE", `Unknown command "${word}".`, {
    hint: suggestion ? `Did you mean: thv ${suggestion}` : "See the commands: thv --help",
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
