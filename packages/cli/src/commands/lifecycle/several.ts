/** Does the same with one workload, with several, or with all of them. */

import type { ApiClient } from "@toolhive/api/client";
import { describeError, hasCode, ThvError } from "@toolhive/core/errors";
import { compareNames } from "@toolhive/core/natural-order";
import type { CommandContext } from "../../command-line/command.ts";
import { connectIfNeeded, connectSupervisor } from "../../supervisor/connect.ts";
import { Progress } from "../../terminal/progress.ts";
import type { FormatInput } from "../print-outcome.ts";
import { awaitTakeOver, reportClientFiles } from "../shared/settle.ts";

/** Workloads that are asked for at a time; engines do not get faster beyond. */
const AT_A_TIME = 8;

interface Outcome {
  /** Says that it is done; `undefined` when there was nothing to do. */
  readonly line?: string;
  /** The same for programs. */
  readonly result: { readonly name: string; readonly status: string; readonly url?: string };
}

/** @param isQuiet Whether the caller shows the progress. */
export type ActOnOne = (client: ApiClient, name: string, isQuiet: boolean) => Promise<Outcome>;

/** The part of the input that says which workloads are meant. */
export interface SeveralInput extends FormatInput {
  readonly all: boolean;
  readonly group?: string | undefined;
  readonly positionals: readonly string[];
}

interface ForEach {
  readonly verb: string;
  /** For the progress line. */
  readonly doing: string;
  /** Whether `--all` means those that are stopped, too. */
  readonly includeStopped: boolean;
  /** Of those that `--all` and `--group` find: throws unless they are meant. */
  readonly confirm?: (names: readonly string[]) => Promise<void>;
  /** Once, before the first of them. */
  readonly prepare?: (client: ApiClient) => Promise<void>;
  readonly act: ActOnOne;
}

/**
 * Stopping or removing an absent workload succeeds. A warning names typing mistakes; the line on standard output has the words
 * that scripts for the reference search for.
 */
export function orAbsent(act: ActOnOne, participle: "stopped" | "removed", { terminal }: CommandContext): ActOnOne {
  return async (client, name, isQuiet) => {
    try {
      return await act(client, name, isQuiet);
    } catch (error) {
      if (!hasCode(error, "WORKLOAD_NOT_FOUND")) throw error;
      terminal.info(`${terminal.err("yellow", "Warning:")} server not found: ${name}`);
      const verb = participle === "removed" ? "rm" : "stop";
      // Nobody stops or removes several servers by a word that could be a slip.
      if (await isGroup(client, name))
        terminal.info(`"${name}" is a group. All its servers: thv ${verb} --group ${name}`);
      return {
        line: `${name} does not exist, which counts as ${participle} successfully.`,
        result: { name, status: "not found" },
      };
    }
  };
}

/** Where the name is that of a group, the error says so: nobody restarts several servers by a word that could be a slip. */
export function orGroup(act: ActOnOne, verb: string): ActOnOne {
  return async (client, name, isQuiet) => {
    try {
      return await act(client, name, isQuiet);
    } catch (error) {
      if (!hasCode(error, "WORKLOAD_NOT_FOUND") || !(await isGroup(client, name))) throw error;
      throw new ThvError(error.code, error.message, {
        hint: `"${name}" is a group. All its servers: thv ${verb} --group ${name}`,
        cause: error,
      });
    }
  };
}

async function isGroup(client: ApiClient, name: string): Promise<boolean> {
  return await client.call("getGroup", { params: { name } }).then(
    () => true,
    () => false,
  );
}

/**
 * Acts on the workloads that are named, or on all with `--all`.
 *
 * @throws {ThvError} `USAGE`; the failure of the only one; of several, one that names each, after the others are done.
 */
export async function forEachWorkload(input: SeveralInput, context: CommandContext, options: ForEach): Promise<void> {
  const { verb, includeStopped, act } = options;
  const isJson = input.format === "json";
  const given = [...new Set(input.positionals)];
  const { group } = input;
  const isAll = input.all || group !== undefined;
  if (group !== undefined && given.length > 0)
    throw new ThvError("USAGE", `thv ${verb} takes "${given.join(" ")}" or --group, and not both.`);
  if (isAll && given.length > 0)
    throw new ThvError("USAGE", `thv ${verb} takes "${given.join(" ")}" or --all, and not both.`);
  if (!isAll && given.length === 0)
    throw new ThvError("USAGE", `thv ${verb} needs NAME, --group or --all.`, { hint: `See: thv ${verb} --help` });
  const client = isAll ? await connectIfNeeded(context) : await connectSupervisor(context);
  const names = isAll ? await listNames(client, context, { includeStopped, group }) : given;
  if (!client || names.length === 0) {
    if (isJson) context.terminal.printJson([]);
    else context.terminal.info(includeStopped ? "There are no servers." : "Nothing is running.");
    return;
  }
  if (isAll) await options.confirm?.(names);
  await options.prepare?.(client);
  const [only] = names;
  if (!isAll && names.length === 1 && only !== undefined) {
    const outcome = await act(client, only, isJson);
    await reportClientFiles(client, context);
    show([outcome], isJson, context);
    return;
  }
  await actOnSeveral(client, names, { ...options, isJson }, context);
}

async function listNames(
  client: ApiClient | undefined,
  context: CommandContext,
  { includeStopped, group }: { readonly includeStopped: boolean; readonly group: string | undefined },
): Promise<string[]> {
  if (!client) return [];
  await awaitTakeOver(client, context);
  const query = { ...(includeStopped && { all: "true" }), ...(group !== undefined && { group }) };
  return (await client.call("listWorkloads", { query })).workloads.map(({ name }) => name);
}

async function actOnSeveral(
  client: ApiClient,
  names: readonly string[],
  { verb, doing, act, isJson }: ForEach & { readonly isJson: boolean },
  context: CommandContext,
): Promise<void> {
  const failures: { name: string; error: unknown }[] = [];
  const outcomes: Outcome[] = [];
  const waiting = [...names];
  const underWay: string[] = [];
  const progressText = () => `${doing} ${names.length} servers: ${outcomes.length + failures.length} done`;
  const work = async (progress: Progress) => {
    while (!context.signal.aborted) {
      const name = waiting.shift();
      if (name === undefined) return;
      try {
        outcomes.push(await act(client, name, true));
      } catch (error) {
        if (context.signal.aborted) underWay.push(name);
        else failures.push({ name, error });
      }
      progress.update(progressText());
    }
  };
  {
    using progress = new Progress(context.terminal, progressText());
    await Promise.all(Array.from({ length: AT_A_TIME }, () => work(progress)));
  }
  await reportClientFiles(client, context);
  show(outcomes.sort(byName), isJson, context);
  if (underWay.length + waiting.length > 0) throw createInterruption({ done: outcomes.length, underWay, waiting });
  const [first] = failures;
  if (!first) return;
  const list = failures
    .sort((left, right) => compareNames(left.name, right.name))
    .map(({ name, error }) => `${name}: ${describeError(error)}`)
    .join(" ");
  throw new ThvError(
    first.error instanceof ThvError ? first.error.code : "INTERNAL",
    `${failures.length} of ${names.length} servers did not ${verb === "rm" ? "go" : verb}. ${list}`,
    { hint: "Check their status: thv list --all", cause: first.error },
  );
}

interface Interruption {
  /** How many are done. */
  readonly done: number;
  /** Workloads that the supervisor continues to work on. */
  readonly underWay: readonly string[];
  readonly waiting: readonly string[];
}

function createInterruption({ done, underWay, waiting }: Interruption): ThvError {
  const total = done + underWay.length + waiting.length;
  const parts = [
    `${done} of ${total} servers are done`,
    ...(underWay.length > 0 ? [`these go on in the background: ${[...underWay].sort().join(", ")}`] : []),
    ...(waiting.length > 0 ? [`these were not touched: ${[...waiting].sort().join(", ")}`] : []),
  ];
  return new ThvError("INTERRUPTED", `Interrupted: ${parts.join("; ")}.`, {
    hint: "Check the result: thv list --all",
  });
}

function byName(left: Outcome, right: Outcome): number {
  return compareNames(left.result.name, right.result.name);
}

function show(outcomes: readonly Outcome[], isJson: boolean, { terminal }: CommandContext): void {
  if (isJson) terminal.printJson(outcomes.map(({ result }) => result));
  else for (const { line } of outcomes) if (line !== undefined) terminal.print(line);
}
