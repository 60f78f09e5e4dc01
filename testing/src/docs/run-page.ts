/** Executes a page's command blocks and compares what they print with what the page shows. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dropProgress, findDifference } from "./compare-output.ts";
import { PageShell, type PageShellOptions } from "./page-shell.ts";
import { type Fence, type PageFile, parseFences, parsePage, type Step } from "./parse-page.ts";

export interface RunPageOptions extends PageShellOptions {
  /** Text that is of this run only, and what a page shows instead, for example the home folder and `~`. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Addresses that a page shows, and those that its commands have instead; what they print is turned back. */
  readonly stands?: ReadonlyMap<string, string>;
  /** Whose blocks are executed. Default: those beside an engine. */
  readonly place?: Step["place"];
  /** Whether a block can be executed on this machine; another one is left out. Default: each. */
  readonly canRun?: (step: Step) => boolean;
  /** Write what was printed into output blocks that differ or are missing, instead of reporting them. */
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

/** What was printed as lines of a block. The white space before its first word is part of it. */
function layOut(output: string, indent: string): string[] {
  return dropProgress(output)
    .replace(/^\s*\n/, "")
    .trimEnd()
    .split("\n")
    .map((line) => (line.trimEnd() === "" ? "" : `${indent}${line.trimEnd()}`));
}

/** The source with other lines in one output block. */
export function replaceOutput(source: string, { contentLines: [start, end], indent }: Fence, output: string): string {
  const lines = source.split("\n");
  return [...lines.slice(0, start), ...layOut(output, indent), ...lines.slice(end)].join("\n");
}

/** The source with an output block after the command block of the line. */
function insertOutput(source: string, line: number, output: string): string {
  const lines = source.split("\n");
  const fence = parseFences(source).find((each) => each.line === line);
  if (fence === undefined) throw new Error(`No block begins on line ${line}.`);
  const after = fence.contentLines[1] + 1;
  const block = [`${fence.indent}\`\`\`text output`, ...layOut(output, fence.indent), `${fence.indent}\`\`\``];
  return [...lines.slice(0, after), "", ...block, ...lines.slice(after)].join("\n");
}

/** What is wrong between what a block shows and what it printed. */
function checkOutput({ line, command, output, mayHideOutput }: Step, printed: string): string | undefined {
  if (mayHideOutput === true) return undefined;
  const difference = findDifference(output?.content ?? "", printed);
  if (difference === undefined) return undefined;
  if (output !== undefined) {
    return `Line ${output.line}: the page shows something else than is printed.\n${difference}\n\nprinted in full:\n${printed.trim()}`;
  }
  return `Line ${line}: the block prints what the page does not show: add a text output block (UPDATE_DOCS=1 does), or unshown="reason".\n${command}\n\nprinted in full:\n${printed.trim()}`;
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
  const recorded: { step: Step; output: string }[] = [];
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
    const wrongOutput = checkOutput(step, output);
    if (wrongOutput === undefined) continue;
    if (isRecording) recorded.push({ step, output });
    else failures.push(wrongOutput);
  }
  // From the bottom, so that the line numbers above stay true.
  const newSource = recorded
    .reverse()
    .reduce(
      (text, { step: { line, output: fence }, output }) =>
        fence === undefined ? insertOutput(text, line, output) : replaceOutput(text, fence, output),
      source,
    );
  return { failures, source: newSource };
}
