/**
 * Finds the words that may be at the cursor, by following the words into the command tree as the parser does. Values that only
 * the machine knows are from a source; everything else is in the tree.
 */
import {
  type Command,
  type CommandGroup,
  type CommandTree,
  isSamePath,
  listChildren,
} from "../command-line/command.ts";
import {
  type CompletionSource,
  type Flag,
  GLOBAL_FLAGS,
  HELP_FLAG,
  listShownFlags,
  type NamedFlag,
} from "../command-line/flag.ts";

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

export interface Completion {
  /** What the shell does itself: complete files or folders. */
  readonly paths?: "file" | "directory";
  /** Each is a whole word. */
  readonly candidates: readonly Candidate[];
}

export type AskSource = (source: CompletionSource) => Promise<readonly Candidate[]>;

const NOTHING: Completion = { candidates: [] };

/**
 * @param words The words after `thv`, without quotes; the last one is being written and may be empty.
 * @returns Candidates that begin with the word that is being written.
 */
export async function completeWords(words: readonly string[], tree: CommandTree, ask: AskSource): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const place = follow(words.slice(0, -1), tree);
  if (place.awaited) return startingWith(current, await completeValue(place.awaited, ask));
  if (!place.isAfterTerminator && current.startsWith("-") && current !== "-" && current.includes("=")) {
    return await flagWithValue(current, place, ask);
  }
  if (!place.isAfterTerminator && current.startsWith("-")) return startingWith(current, { candidates: flagsAt(place) });
  return startingWith(current, await argumentsAt(place, tree, ask));
}

interface Place {
  readonly path: readonly string[];
  readonly command: Command | undefined;
  /** Words of the command that are no flags. */
  readonly positionalCount: number;
  /** Names that were written. */
  readonly flags: ReadonlySet<string>;
  /** The flag whose value is next. */
  readonly awaited: NamedFlag | undefined;
  readonly isAfterTerminator: boolean;
  readonly isHelp: boolean;
  /** No command accepts the words so far. */
  readonly isLost: boolean;
}

function follow(words: readonly string[], tree: CommandTree): Place {
  const isHelp = words.find((word) => !word.startsWith("-")) === "help";
  let path: readonly string[] = [];
  let positionalCount = 0;
  let isAfterTerminator = false;
  let isLost = false;
  let awaited: NamedFlag | undefined;
  const flags = new Set<string>();
  for (const word of isHelp ? words.slice(words.indexOf("help") + 1) : words) {
    if (awaited) {
      awaited = undefined;
      continue;
    }
    if (isAfterTerminator) positionalCount += 1;
    else if (word === "--") isAfterTerminator = true;
    else if (word.startsWith("-") && word !== "-") {
      const flag = findFlag(word, listFlagsOffered(commandAt(path, tree)));
      if (!flag) continue;
      flags.add(flag.name);
      if (flag.kind !== "bool" && !word.includes("=") && isWhole(word, flag)) awaited = flag;
    } else {
      const child = positionalCount === 0 ? childNamed(word, path, tree) : undefined;
      if (child) path = child.path;
      else if (commandAt(path, tree)) positionalCount += 1;
      else isLost = true;
    }
  }
  return { path, command: commandAt(path, tree), positionalCount, flags, awaited, isAfterTerminator, isHelp, isLost };
}

function commandAt(path: readonly string[], tree: CommandTree): Command | undefined {
  return tree.commands.find((command) => isSamePath(command.path, path));
}

function childNamed(word: string, path: readonly string[], tree: CommandTree): Command | CommandGroup | undefined {
  return listChildren(path, tree).find(
    (child) => child.path.at(-1) === word || ("aliases" in child && child.aliases?.includes(word) === true),
  );
}

function listFlagsOffered(command: Command | undefined): readonly NamedFlag[] {
  return [...(command ? listShownFlags(command) : []), ...GLOBAL_FLAGS, HELP_FLAG];
}

/** The flag that a word writes: by its long name, or by the last letter of a cluster. */
function findFlag(word: string, flags: readonly NamedFlag[]): NamedFlag | undefined {
  const name = word.split("=", 1)[0] ?? "";
  if (name.startsWith("--")) return flags.find((flag) => `--${flag.name}` === name);
  for (const letter of name.slice(1)) {
    const flag = flags.find(({ short }) => short === letter);
    if (flag?.kind !== "bool") return flag;
  }
  return flags.find(({ short }) => short === name.at(-1));
}

/** Whether nothing is joined to the flag's name: `-e` and `-fe`, but not `-eA=1`. */
function isWhole(word: string, flag: NamedFlag): boolean {
  return word.startsWith("--") || word.endsWith(flag.short ?? "");
}

async function flagWithValue(current: string, { command }: Place, ask: AskSource): Promise<Completion> {
  const split = current.indexOf("=") + 1;
  const flag = findFlag(current, listFlagsOffered(command));
  if (!flag || flag.kind === "bool") return NOTHING;
  const { paths, candidates } = await completeValue(flag, ask);
  const whole = candidates.map((candidate) => ({ ...candidate, value: current.slice(0, split) + candidate.value }));
  return startingWith(current, { ...(paths && { paths }), candidates: whole });
}

/** Kinds of flags that may be written again. */
const REPEATABLE: ReadonlySet<string> = new Set(["stringArray", "pathArray", "strings"]);

function flagsAt({ command, flags }: Place): Candidate[] {
  return listFlagsOffered(command)
    .filter(({ name, kind }) => !flags.has(name) || REPEATABLE.has(kind))
    .map(({ name, summary }) => ({ value: `--${name}`, description: summary }))
    .sort((left, right) => (left.value < right.value ? -1 : 1));
}

async function argumentsAt(place: Place, tree: CommandTree, ask: AskSource): Promise<Completion> {
  const { path, command, positionalCount, isAfterTerminator, isHelp, isLost } = place;
  if (isLost) return NOTHING;
  const children = positionalCount > 0 || isAfterTerminator ? [] : namesBelow(path, tree, isHelp);
  if (isHelp || !command) return { candidates: children };
  if (isAfterTerminator && command.takesRest) return { paths: "file", candidates: [] };
  const last = command.positionals.at(-1);
  const positional = command.positionals[positionalCount] ?? (last?.isRepeated ? last : undefined);
  if (!positional) return { candidates: children };
  const { paths, candidates } = await completeValue(positional, ask);
  return { ...(paths && { paths }), candidates: [...children, ...candidates] };
}

function namesBelow(path: readonly string[], tree: CommandTree, isHelp: boolean): Candidate[] {
  const children = listChildren(path, tree).map((child) => ({
    value: child.path.at(-1) ?? "",
    description: child.summary,
  }));
  const help =
    path.length === 0 && !isHelp ? [{ value: "help", description: "Show help for a command or a topic" }] : [];
  const topics = path.length === 0 && isHelp ? (tree.topics ?? []) : [];
  const named = topics.map(({ name, summary }) => ({ value: name, description: summary }));
  return [...children, ...help, ...named].sort((left, right) => (left.value < right.value ? -1 : 1));
}

async function completeValue(
  { values, completes, kind }: Pick<Flag, "values" | "completes"> & Partial<Pick<Flag, "kind">>,
  ask: AskSource,
): Promise<Completion> {
  if (values) return { candidates: values.map((value) => ({ value })) };
  if (kind === "path" && completes === undefined) return { paths: "file", candidates: [] };
  if (completes === "file" || completes === "directory") return { paths: completes, candidates: [] };
  return completes === undefined ? NOTHING : { candidates: await ask(completes) };
}

function startingWith(current: string, { paths, candidates }: Completion): Completion {
  return { ...(paths && { paths }), candidates: candidates.filter(({ value }) => value.startsWith(current)) };
}
