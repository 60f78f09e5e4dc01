/** What starts programs by itself on a system, as a port: a file that describes the service, and commands that use it. */

/** A program and its arguments, as they are run. */
export type ToolCall = readonly [program: string, ...args: string[]];

export interface ServiceProgram {
  /** Program and arguments, the first an absolute path. */
  readonly command: readonly string[];
  /** All that it gets; the system adds a few of its own. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ServicePlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
}

export interface ServiceManager {
  /** As a sentence names it. */
  readonly title: string;
  /** Where the service's file is. */
  readonly file: string;
  /** What the file holds; its beginning names {@link SERVICE_MARK}. */
  describe(program: ServiceProgram): string;
  /** Let go of a service of before, whose file is about to be replaced. Each may fail. */
  readonly replace: readonly ToolCall[];
  /** Make the system use the file, from now on. */
  readonly install: readonly ToolCall[];
  /** End the service and have it started no more. Each may fail: it may have ended, or be forgotten already. */
  readonly uninstall: readonly ToolCall[];
  /** Makes the system forget the file once it is removed. */
  readonly afterRemoval: readonly ToolCall[];
  /** Exits with 0 and prints what {@link isRunning} understands. */
  readonly ask: ToolCall;
  isRunning(output: string): boolean;
  /** What a person may want to know after the installation. */
  readonly advice?: string;
}

/** Distinguishes our files from those that a person wrote. */
export const SERVICE_MARK = "Written by thv service install";
