/** Runs work that needs a container engine; when one is installed and stopped, offers to start it, and continues. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiClient } from "@toolhive/api/client";
import { describeError, hasCode, ThvError } from "@toolhive/core/errors";
import type { StoppedEngine } from "@toolhive/engine";
import type { CommandContext } from "../../command-line/command.ts";
import { askYes } from "../../terminal/input.ts";
import { Progress } from "../../terminal/progress.ts";

/** Milliseconds that an engine has to answer after its command has ended: a virtual machine has to boot. */
const PATIENCE_MS = 120_000;
const POLL_MS = 250;

interface EngineStartOptions {
  /** Milliseconds, default 120,000. */
  readonly patienceMs?: number;
}

/**
 * @throws {ThvError} What `act` throws without a terminal, or when the user declines; `ENGINE_UNREACHABLE` when the
 *   command fails, or the engine does not answer after it; `INTERRUPTED`.
 */
export async function withEngine<T>(
  client: ApiClient,
  context: CommandContext,
  act: () => Promise<T>,
  options: EngineStartOptions = {},
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(await offerStart(error, { client, context, ...options }))) throw error;
    return await act();
  }
}

/**
 * For work that does not fail without an engine, but waits for it in the supervisor: offers the start before the work begins.
 * Without a terminal, or when the user declines, the work itself reports what it waits for.
 *
 * @throws {ThvError} `ENGINE_UNREACHABLE` when the command fails, or the engine does not answer after it; `INTERRUPTED`.
 */
export async function prepareEngine(client: ApiClient, context: CommandContext): Promise<void> {
  // Only a person can answer the question.
  if (!context.terminal.canAsk) return;
  try {
    await client.call("getHealth", { signal: context.signal });
  } catch (error) {
    await offerStart(error, { client, context });
  }
}

interface Offer extends EngineStartOptions {
  readonly client: ApiClient;
  readonly context: CommandContext;
}

/** @returns Whether an engine answers now; otherwise nothing was done. */
async function offerStart(error: unknown, { client, context, patienceMs = PATIENCE_MS }: Offer): Promise<boolean> {
  if (!hasCode(error, "ENGINE_UNREACHABLE") || !context.terminal.canAsk) return false;
  const stopped = await findNamedEngine(error, context);
  if (!stopped) return false;
  const question = `${stopped.name} is installed and does not answer. Start it with "${stopped.command}"?`;
  if (!(await askYes(context.terminal, question, { isDefault: true }))) return false;
  await runStart(stopped, context);
  await awaitEngine(stopped, { client, context, patienceMs });
  return true;
}

/**
 * Only the engine that the error names: another engine does not help an address that the user named. The command is one of this
 * program, never one from the error's text.
 */
async function findNamedEngine({ hint }: ThvError, { env }: CommandContext): Promise<StoppedEngine | undefined> {
  // Loaded here, because an engine answers nearly always.
  const { describeStart, findStoppedEngine } = await import("@toolhive/engine");
  const stopped = await findStoppedEngine({ env, platform: process.platform });
  return stopped && describeStart(stopped) === hint ? stopped : undefined;
}

/** The command has the terminal, for it may ask for a password; what it prints is no result of ours. */
async function runStart({ command }: StoppedEngine, { env, signal }: CommandContext): Promise<void> {
  const [program = "", ...args] = command.split(" ");
  const { spawn } = await import("node:child_process");
  const child = spawn(program, args, { env: { ...env }, stdio: ["inherit", process.stderr, "inherit"], signal });
  try {
    const [code, killedBy] = await once(child, "close");
    if (signal.aborted) throw createInterruption();
    if (code !== 0) throw createStartFailure(command, `ended with ${killedBy ?? `code ${code}`}`);
  } catch (error) {
    if (signal.aborted) throw createInterruption();
    throw error instanceof ThvError
      ? error
      : createStartFailure(command, `cannot be run: ${describeError(error)}`, error);
  }
}

async function awaitEngine(
  { name, command }: StoppedEngine,
  { client, context, patienceMs }: Required<Offer>,
): Promise<void> {
  const { signal, terminal } = context;
  using _progress = new Progress(terminal, `Waiting for ${name} to answer`);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await client.call("getHealth", { signal });
      return;
    } catch (error) {
      if (signal.aborted) throw createInterruption();
      // When an engine runs and refuses, the next call reports it.
      if (!hasCode(error, "ENGINE_UNREACHABLE")) return;
      if (performance.now() > deadline) {
        throw createStartFailure(
          command,
          `ended well, and ${name} has not answered within ${patienceMs / 1000} s`,
          error,
        );
      }
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => {
      throw createInterruption();
    });
  }
}

function createStartFailure(command: string, what: string, cause?: unknown): ThvError {
  return new ThvError("ENGINE_UNREACHABLE", `"${command}" ${what}.`, {
    hint: "Start the container engine, and try again. Find the cause: thv doctor",
    cause,
  });
}

function createInterruption(): ThvError {
  return new ThvError("INTERRUPTED", "Interrupted while the container engine started: nothing else was done.");
}
