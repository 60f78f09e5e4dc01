/** Flags and arguments as data: parsing, help, completion, the manual and the reference pages are made from them. */

/**
 * What the value of a flag is, and what the parser checks:
 *
 * - `port`: a number from `min`, which is 1 unless it says 0, to 65535.
 * - `duration`: as Go writes it (`1m30s`). Handlers get milliseconds.
 * - `memory`: a size like `512m`. Handlers get bytes.
 * - `path`: handlers get an absolute path, because the supervisor has another working folder; an empty one stays empty.
 * - `stringArray`: may be repeated, and each occurrence is one value.
 * - `pathArray`: the same of paths.
 * - `strings`: the same, and each occurrence is also split at commas.
 */
export type FlagKind =
  | "bool"
  | "string"
  | "int"
  | "port"
  | "float"
  | "duration"
  | "memory"
  | "path"
  | "stringArray"
  | "pathArray"
  | "strings";

/** Where a shell finds the values of a flag or an argument; `undefined` when they cannot be known. */
export type CompletionSource =
  | "workload"
  | "workload-or-group"
  | "registry-server"
  | "registry-source"
  | "client"
  | "group"
  | "secret"
  | "file"
  | "directory";

export interface Flag {
  readonly kind: FlagKind;
  /** One letter. */
  readonly short?: string;
  /** Shown in help; the value used when the flag is absent. Written as on a command line. */
  readonly default?: string | number;
  /** The only values accepted. */
  readonly values?: readonly string[];
  /** Smallest value of an `int` or a `port`. */
  readonly min?: number;
  /** Largest value of an `int`. */
  readonly max?: number;
  /** What an `int` counts, for the message about its bounds. */
  readonly unit?: string;
  /** Whether a `duration` must be longer than zero. */
  readonly isPositive?: boolean;
  /**
   * Whether `-` is standard input. Such a `path` is read by the command itself, so handlers get it as it was written, and
   * messages name it so.
   */
  readonly mayBeStdin?: boolean;
  readonly summary: string;
  readonly isRequired?: boolean;
  /** Environment variable that is read when the flag is absent. */
  readonly env?: string;
  readonly completes?: CompletionSource;
  /** Left out of help and of the reference. */
  readonly hidden?: boolean;
}

/** By the name that is written after `--`. */
export type Flags = Readonly<Record<string, Flag>>;

export interface NamedFlag extends Flag {
  readonly name: string;
}

/** Flags that belong together, of a command with many. */
export interface FlagSection {
  readonly title: string;
  /** Names; those that the command does not have are passed over. */
  readonly flags: readonly string[];
  /** Further ones, which help shows with `--help all`. */
  readonly rare?: readonly string[];
}

export interface ShownSection {
  /** Absent for all flags of a command without sections. */
  readonly title?: string;
  /** Sorted by name. */
  readonly flags: readonly NamedFlag[];
  readonly rare: readonly NamedFlag[];
}

/** Of the flags that no section names: how the command works. */
const LAST_SECTION = "This command";

/** The sections of a command, with the flags of every command in the last one; a single one where it has none. */
export function listSections(
  command: WithFlags & { readonly sections?: readonly FlagSection[] },
  others: readonly NamedFlag[],
): ShownSection[] {
  const shown = listShownFlags(command);
  const { sections = [] } = command;
  if (sections.length === 0) return [{ flags: sortFlags([...shown, ...others]), rare: [] }];
  const pick = (names: readonly string[] = []) => sortFlags(shown.filter(({ name }) => names.includes(name)));
  const named = new Set(sections.flatMap(({ flags, rare = [] }) => [...flags, ...rare]));
  const rest = shown.filter(({ name }) => !named.has(name));
  return [
    ...sections.map(({ title, flags, rare }) => ({ title, flags: pick(flags), rare: pick(rare) })),
    { title: LAST_SECTION, flags: sortFlags([...rest, ...others]), rare: [] },
  ];
}

function sortFlags(flags: readonly NamedFlag[]): NamedFlag[] {
  return [...flags].sort((left, right) => (left.name < right.name ? -1 : 1));
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

/** Valid on every command, also before its words. */
export const GLOBAL_FLAGS: readonly NamedFlag[] = [
  { name: "debug", kind: "bool", summary: "Show causes and stacks of errors, and log in detail" },
];

export const HELP_FLAG: NamedFlag = { name: "help", short: "h", kind: "bool", summary: "Show this help" };

interface WithFlags {
  readonly flags: Flags;
}

export function listFlags({ flags }: WithFlags): NamedFlag[] {
  return Object.entries(flags).map(([name, flag]) => ({ name, ...flag }));
}

/** The flags that help, completion and the reference show. */
export function listShownFlags(command: WithFlags): NamedFlag[] {
  return listFlags(command).filter(({ hidden }) => !hidden);
}

/** How help and the manual write the value of a flag; nothing for a switch. */
export const VALUE_NAMES: Readonly<Record<FlagKind, string>> = {
  bool: "",
  string: "string",
  int: "int",
  port: "port",
  float: "float",
  duration: "duration",
  memory: "bytes",
  path: "path",
  stringArray: "stringArray",
  pathArray: "path",
  strings: "strings",
};
