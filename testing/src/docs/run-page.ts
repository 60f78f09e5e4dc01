/** Executes a page's command blocks and compares what they print with what the page shows. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findDifference } from "./compare-output.ts";
import { PageShell, type PageShellOptions } from "./page-shell.ts";
import { type Fence, type PageFile, parsePage, type Step } from "./parse-page.ts";

export interface RunPageOptions extends PageShellOptions {
  /** Text that is of this run only, and what a page shows instead, for example the home folder and `~`. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Addresses that a page shows, and those that its commands have instead; what they print is turned back. */
  readonly stands?: ReadonlyMap<string, string>;
  /** Whose blocks are executed. Default: those beside an engine. */
  readonly place?: Step["place"];
  /** Whether a block can be executed on this machine; another one is left out. Default: each. */
  readonly canRun?: (step: Step) => boolean;
  /** Write what was printed into output blocks that differ, instead of reporting them. */
  readonly isRecording?: boolean;
}

export interface PageResult {
  /** One text per block that failed, with the line of the block. */
  readonly failures: readonly string[];
  /** The page's source; another one when something was recorded. */
  readonly source: string;
}

function applyAliases(text: string, aliases: ReadonlyMap<string, string>): string {
  return [...aliases].reduce((result, [own, shown]) => result.replaceAll(own, shown), text);
}

/** The source with other lines in one output block. */
export function replaceOutput(source: string, { contentLines: [start, end], indent }: Fence, output: string): string {
  const lines = source.split("\n");
  // The white space before its first word is part of the output.
  const replacement = output
    .replace(/^\s*\n/, "")
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `${indent}${line.trimEnd()}`));
  return [...lines.slice(0, start), ...replacement, ...lines.slice(end)].join("\n");
}

function checkExit({ line, exitCode: expected, command }: Step, exitCode: number, output: string): string | undefined {
  if (exitCode === expected) return undefined;
  return `Line ${line}: the block ended with ${exitCode} instead of ${expected}.\n${command}\n${output.trim()}`;
}

/** Those that a reader has saved when a block is reached; a later one of the same name replaces an earlier one. */
async function writeFiles(files: readonly PageFile[], line: number, folder: string): Promise<void> {
  for (const file of files.filter((each) => each.line < line)) {
    await writeFile(join(folder, file.name), `${file.content}\n`);
  }
}

/**
 * Runs every block, also after one whose output differs; a block that fails ends the page, because those behind it
 * build on it.
 *
 * @throws {Error} When a block hangs or ends the shell.
 */
export async function runPage(
  source: string,
  {
    aliases: own = new Map(),
    stands = new Map(),
    isRecording = false,
    place = "engine",
    canRun = () => true,
    ...sessionOptions
  }: RunPageOptions,
): Promise<PageResult> {
  const { steps, problems, files } = parsePage(source);
  const failures = problems.map(({ line, message }) => `Line ${line}: ${message}`);
  const aliases = new Map([...own, ...[...stands].map(([shown, here]) => [here, shown] as const)]);
  const recorded: { fence: Fence; output: string }[] = [];
  await using session = await PageShell.start(sessionOptions);
  for (const step of steps.filter((each) => each.place === place && canRun(each))) {
    if (place === "cluster") await writeFiles(files, step.line, sessionOptions.cwd);
    const { until } = step;
    const command = applyAliases(step.command, stands);
    const result = await (until === undefined ? session.run(command) : session.runUntil(command, until));
    const output = applyAliases(result.output, aliases);
    const wrongExit = checkExit(step, result.exitCode, output);
    if (wrongExit !== undefined) {
      failures.push(wrongExit);
      break;
    }
    const difference = step.output === undefined ? undefined : findDifference(step.output.content, output);
    if (step.output === undefined || difference === undefined) continue;
    if (isRecording) recorded.push({ fence: step.output, output });
    else
      failures.push(
        `Line ${step.output.line}: the page shows something else than is printed.\n${difference}\n\nprinted in full:\n${output.trim()}`,
      );
  }
  // From the bottom, so that the line numbers above stay true.
  const newSource = recorded.reverse().reduce((text, { fence, output }) => replaceOutput(text, fence, output), source);
  return { failures, source: newSource };
}
