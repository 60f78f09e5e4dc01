/** The entry: arguments in, exit code out. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BRAND } from "@toolhive/core/brand";
import { resolveDirectories } from "@toolhive/core/directories";
import { ERRORS, getErrorPage, ThvError } from "@toolhive/core/errors";
import { createFileError } from "@toolhive/core/file-failure";
import { helpFor } from "./command-line/help.ts";
import { type Invocation, parseInvocation } from "./command-line/parse.ts";
import { versionInfo } from "./command-line/version-info.ts";
import { COMMAND_GROUPS, COMMANDS } from "./commands.ts";
import { Terminal, type TerminalOptions } from "./terminal/terminal.ts";
import { TOPIC_NAMES } from "./topics/topic-names.ts";

const TREE = { commands: COMMANDS, groups: COMMAND_GROUPS, topics: TOPIC_NAMES, errorCodes: Object.keys(ERRORS) };

export interface MainOptions extends TerminalOptions {
  readonly argv: readonly string[];
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

/** @returns The exit code. */
export async function main({ argv, signal, ...streams }: MainOptions): Promise<number> {
  const terminal = new Terminal({ ...streams, signal });
  const context = { terminal, env: streams.env, signal, tree: TREE };
  let isDebug = argv.includes("--debug");
  try {
    const invocation: Invocation = parseInvocation(argv, TREE, streams.env);
    if (invocation.kind === "help") {
      terminal.write(helpFor(invocation.path, TREE, terminal.width, invocation));
      return 0;
    }
    if (invocation.kind === "topic") {
      const { renderTopic } = await import("./topics/render-topic.ts");
      terminal.write(renderTopic(invocation.topic, terminal.width));
      return 0;
    }
    if (invocation.kind === "error") {
      const { renderError } = await import("./topics/render-error.ts");
      terminal.write(renderError(invocation.code, terminal.width));
      return 0;
    }
    const { command, input, debug, mistakes } = invocation;
    isDebug = debug;
    if (!mistakes.isEmpty) {
      const check = await command.loadCheck?.();
      const more = (await check?.(input, context)) ?? [];
      mistakes.add(...more.map((message) => new ThvError("USAGE", message)));
      mistakes.throwAll(command.path);
    }
    if (command.replacedBy) {
      const [old, successor] = [command.path, command.replacedBy].map((path) => ["thv", ...path].join(" "));
      terminal.info(`${terminal.err("yellow", "Warning:")} ${old} is deprecated. Use ${successor} instead.`);
    }
    const handle = await command.load();
    await handle(input, context);
    if (!command.hidden && command.path[0] !== "completion" && asksForUpdates(streams.env)) {
      const { checkForUpdate } = await import("./installation/update-check.ts");
      await checkForUpdate(context, versionInfo().version);
    }
    return 0;
  } catch (error) {
    return report(error, terminal, { isDebug, isInterrupted: signal.aborted, isJson: asksForJson(argv) });
  }
}

/** A cheap first check; the settings are read properly when there is something to read. */
function asksForUpdates(env: MainOptions["env"]): boolean {
  if (env.KUBERNETES_SERVICE_HOST) return false;
  try {
    return /^update_check_url\s*:/m.test(readFileSync(join(resolveDirectories({ env }).config, "config.yaml"), "utf8"));
  } catch {
    // No settings: nothing is configured.
    return false;
  }
}

/** The words themselves are searched for it: a command line that cannot be read is answered as it asks, too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  return words.includes("--format=json") || words.some((word, at) => word === "--format" && words[at + 1] === "json");
}

interface ReportOptions {
  readonly isDebug: boolean;
  readonly isInterrupted: boolean;
  readonly isJson: boolean;
}

function report(thrown: unknown, terminal: Terminal, { isDebug, isInterrupted, isJson }: ReportOptions): number {
  const isCut = isInterrupted && !(thrown instanceof ThvError);
  const error = isCut ? new ThvError("INTERRUPTED", "Interrupted.") : thrown;
  if (isCut && !isJson) {
    terminal.info("Interrupted.");
    return ERRORS.INTERRUPTED.exit;
  }
  // thv reads and writes its files in many places; an error of the file system is not a defect of the program.
  const known = error instanceof ThvError ? error : createFileError(error);
  const message = known?.message ?? `Unexpected error: ${error instanceof Error ? error.message : String(error)}`;
  // Lines after the first are indented: a message may quote others, and none of their lines may pass for our hint.
  if (isJson) {
    const code = known?.code ?? "INTERNAL";
    terminal.info(JSON.stringify({ code, message, hint: known?.hint, docs: getErrorPage(code) }));
    return known?.exitCode ?? ERRORS.INTERNAL.exit;
  }
  terminal.infoProse(`${terminal.err("red", "Error:")} ${message.trimEnd().replace(/\r?\n/g, "\n  ")}`);
  const hint = known ? known.hint : "This is a bug. Run the command again with --debug and report what it prints.";
  // Whole, however long: it ends with a command, which a terminal's own wrapping does not break for who copies it.
  if (hint) terminal.info(`${terminal.err("yellow", "Hint:")} ${hint}`);
  // A script is spared the line: its output stays what it was.
  if (isDebug || terminal.isInteractive) {
    terminal.info(terminal.err("dim", `Explained by: ${BRAND.command} help ${known?.code ?? "INTERNAL"}`));
  }
  if (isDebug && error instanceof Error) terminal.info(describeCauses(error));
  return known?.exitCode ?? ERRORS.INTERNAL.exit;
}

function describeCauses(error: Error): string {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? `${stack}\ncaused by: ${describeCauses(error.cause)}` : stack;
}
