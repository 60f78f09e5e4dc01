/** Commands are data: parsing, help, completion and the reference pages are made from these objects. */

import type { Terminal } from "../terminal/terminal.ts";
import type { ParsedInput } from "./parse.ts";

/**
 * `stringArray` may be repeated, and each occurrence is one value; `strings` is also split at commas. `duration` is written
 * as Go writes it (`1m30s`).
 */
export type FlagKind = "bool" | "string" | "int" | "float" | "duration" | "stringArray" | "strings";

/** Where a shell finds what may stand here; `undefined` is nothing that can be known. */
export type CompletionSource = "workload" | "registry-server" | "client" | "secret" | "file" | "directory";

export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  /** Shown in help; the value used when the flag is absent. */
  readonly default?: string | number;
  /** The only values accepted. */
  readonly values?: readonly string[];
  readonly summary: string;
  readonly isRequired?: boolean;
  /** Environment variable that is read when the flag is absent. */
  readonly env?: string;
  readonly completes?: CompletionSource;
  /** Left out of help and of the reference. */
  readonly hidden?: boolean;
}

export interface Positional {
  readonly name: string;
  readonly summary: string;
  readonly isOptional?: boolean;
  /** Whether it may be given several times; the last one only. */
  readonly isRepeated?: boolean;
  /** The only values accepted. */
  readonly values?: readonly string[];
  readonly completes?: CompletionSource;
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
  /** All commands, for the command that completes their names. */
  readonly tree: CommandTree;
}

/** @returns What else is wrong with a command line that has mistakes: one sentence each. It does nothing. */
export type CommandCheck = (input: ParsedInput, context: CommandContext) => Promise<readonly string[]>;

export type CommandHandler = (input: ParsedInput, context: CommandContext) => Promise<void>;

export interface Command {
  /** Words after `thv`, from the outermost group inwards. */
  readonly path: readonly string[];
  /** Other last words that call it, for example `ls` for `list`. Not in help. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Words after `thv` of the command to use instead. It then has no help, no page, and says so when it is called. */
  readonly replacedBy?: readonly string[];
  /** Left out of help, completion and the reference: for programs, not for people. */
  readonly hidden?: boolean;
  readonly positionals: readonly Positional[];
  /** Arguments after `--` are taken and handed on. */
  readonly takesRest?: boolean;
  readonly flags: readonly Flag[];
  readonly examples: readonly Example[];
  /** Loads the code that does it, so that one command does not pay for another. */
  readonly load: () => Promise<CommandHandler>;
  /** Loads what says everything that is wrong, when something is: a value that cannot be read hides no other mistake. */
  readonly loadCheck?: () => Promise<CommandCheck>;
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

/** Valid on every command, also before its words. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: "debug", kind: "bool", summary: "Show causes and stacks of errors, and log in detail" },
];

/** Whether help, completion and the reference show it. */
export function isShown(candidate: Command | CommandGroup): boolean {
  return !("load" in candidate) || (candidate.hidden !== true && candidate.replacedBy === undefined);
}
