/** Commands are data: parsing, help, completion and the reference pages are made from these objects. */
import type { Terminal } from "../terminal/terminal.ts";
import type { FlagSection, Flags, Positional } from "./flag.ts";
import type { Input, InputShape, ParsedInput } from "./input.ts";

export interface Example {
  readonly summary: string;
  readonly command: string;
}

export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** All commands, for the command that completes their names. */
  readonly tree: CommandTree;
}

/** Does what the command is for. Its input has the flags and arguments of the definition `D`. */
export type CommandHandler<D extends InputShape> = (input: Input<D>, context: CommandContext) => Promise<void>;

/** @returns What else is wrong with a command line that has mistakes: one sentence each. It does nothing. */
export type CommandCheck<D extends InputShape> = (
  input: Input<D>,
  context: CommandContext,
) => Promise<readonly string[]>;

/** A command without the code that does it. Written `as const`, because the input's type follows from it. */
export interface CommandDefinition extends InputShape {
  /** Words after `thv`, from the outermost group inwards. */
  readonly path: readonly string[];
  /** Other last words that call it, for example `ls` for `list`. Not in help. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Left out of help, completion and the reference: for programs, not for people. */
  readonly hidden?: boolean;
  readonly positionals: readonly Positional[];
  /** Whether arguments after `--` are handed on. */
  readonly takesRest?: boolean;
  /** What these arguments are, for help. */
  readonly restSummary?: string;
  readonly flags: Flags;
  /** Of a command with many flags. */
  readonly sections?: readonly FlagSection[];
  readonly examples: readonly Example[];
}

export interface Command extends CommandDefinition {
  /**
   * Words after `thv` of the command to use instead. It then has no help and no page, and names that command when it is called.
   */
  readonly replacedBy?: readonly string[];
  readonly load: () => Promise<(input: ParsedInput, context: CommandContext) => Promise<void>>;
  readonly loadCheck?: () => Promise<(input: ParsedInput, context: CommandContext) => Promise<readonly string[]>>;
}

/**
 * Joins a definition with its code, which may ask for nothing that the definition does not have.
 *
 * @param load Loads the code that does it, so that one command does not pay for another.
 * @param loadCheck Loads what finds all other mistakes, when there is one: a value that cannot be read, which then
 *   counts as absent, hides no other mistake.
 */
export function defineCommand<const D extends CommandDefinition>(
  definition: D,
  load: () => Promise<CommandHandler<NoInfer<D>>>,
  loadCheck?: () => Promise<CommandCheck<NoInfer<D>>>,
): Command {
  // The parser makes the input from this very definition, so it is of this type.
  const loaders = { load, ...(loadCheck && { loadCheck }) } as unknown as Pick<Command, "load" | "loadCheck">;
  return { ...definition, ...loaders };
}

/** Words that only gather commands: `thv secret` shows what it holds. */
export interface CommandGroup {
  /** Words after `thv`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
}

/** A subject of `thv help` that is not a command; its text is in `topics/`. */
export interface TopicName {
  readonly name: string;
  readonly summary: string;
}

/** Everything that can be called, as data. */
export interface CommandTree {
  readonly commands: readonly Command[];
  readonly groups: readonly CommandGroup[];
  readonly topics?: readonly TopicName[];
  /** What `thv help CODE` explains. */
  readonly errorCodes?: readonly string[];
}

/** Whether help, completion and the reference show it. */
export function isShown(candidate: Command | CommandGroup): boolean {
  return !("load" in candidate) || (candidate.hidden !== true && candidate.replacedBy === undefined);
}

export function isSamePath(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}

/** Whether the path is exactly one word longer than the other, and begins with it. */
export function isDirectlyBelow(path: readonly string[], parent: readonly string[]): boolean {
  return path.length === parent.length + 1 && isSamePath(path.slice(0, -1), parent);
}

/** Commands and groups directly below a path that are shown, in the tree's order. */
export function listChildren(path: readonly string[], { commands, groups }: CommandTree): (Command | CommandGroup)[] {
  return [...commands, ...groups].filter((candidate) => isDirectlyBelow(candidate.path, path) && isShown(candidate));
}
