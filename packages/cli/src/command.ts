/** Commands are data: parsing, help, completion and the reference pages are made from these objects. */
import type { ParsedInput } from "./parse.ts";
import type { Terminal } from "./terminal/terminal.ts";

export type FlagKind = "bool" | "string" | "int" | "stringArray";

export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** Shown in help; the value used when the flag is absent. */
  readonly default?: string | number;
  /** The only values accepted. */
  readonly values?: readonly string[];
  readonly summary: string;
  /** Left out of help and of the reference. */
  readonly hidden?: boolean;
}

export interface Positional {
  readonly name: string;
  readonly isOptional?: boolean;
}

export interface Example {
  readonly summary: string;
  readonly command: string;
}

export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

export type CommandHandler = (input: ParsedInput, context: CommandContext) => Promise<void>;

export interface Command {
  /** Words after `thv`, from the outermost group inwards. */
  readonly path: readonly string[];
  /** Other last words that call it, for example `ls` for `list`. Not in help. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly positionals: readonly Positional[];
  /** Arguments after `--` are taken and handed on. */
  readonly takesRest?: boolean;
  readonly flags: readonly Flag[];
  readonly examples: readonly Example[];
  /** Loads the code that does it, so that one command does not pay for another. */
  readonly load: () => Promise<CommandHandler>;
}

/** Words that only gather commands: `thv secret` shows what it holds. */
export interface CommandGroup {
  /** Words after `thv`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
}

/** Everything that can be called, as data. */
export interface CommandTree {
  readonly commands: readonly Command[];
  readonly groups: readonly CommandGroup[];
}

/** Valid on every command, also before its words. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: "debug", kind: "bool", summary: "Show causes and stacks of errors, and log in detail" },
];
