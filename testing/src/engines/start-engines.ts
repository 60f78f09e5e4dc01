/** Starts the engines for a test run, through the process that guards them. */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { type CommandResult, runCommand } from "../command.ts";
import { repositoryRoot } from "../repository.ts";
import type { EngineDescription } from "./engine-daemon.ts";
import type { EngineMode, GuardianMessage } from "./guardian.ts";

export interface TestEngine extends EngineDescription {
  /** Runs the engine's own command line against it; any exit code is a result. */
  cli(args: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<CommandResult>;
}

export interface TestEngines extends AsyncDisposable {
  readonly engines: readonly TestEngine[];
  /** A folder that is removed with the engines, after the processes whose HOME is below it. Private engines only. */
  readonly directory: string | undefined;
  /** Ends the engines and removes all they put on the machine. Safe to repeat. */
  close(): Promise<void>;
}

export interface StartEnginesOptions {
  /** Default: the environment variable `TOOLHIVE_TEST_ENGINES`, else `auto`. */
  readonly mode?: EngineMode;
  /** Default: a line on stderr. */
  readonly onProgress?: (message: string) => void;
}

type Ready = Extract<GuardianMessage, { type: "ready" }>;

/** Gives a description that crossed a process boundary its methods back. */
export function toTestEngine(description: EngineDescription): TestEngine {
  const [program, ...leading] = description.command;
  return {
    ...description,
    cli: (args, { signal } = {}) =>
      runCommand(program, [...leading, ...args], { env: { ...process.env, ...description.env }, signal }),
  };
}

function parseMode(value: string | undefined): EngineMode {
  if (value === undefined || value === "") return "auto";
  if (value === "auto" || value === "private" || value === "host") return value;
  throw new Error(`TOOLHIVE_TEST_ENGINES is "${value}"; use auto, private or host.`);
}

/** Node runs no TypeScript before version 22.18, so the guardian is bundled first; that takes some 50 ms. */
async function bundleGuardian(repository: string): Promise<string> {
  const outfile = join(repository, `.cache/testing/guardian-${process.pid}.mjs`);
  await build({
    entryPoints: [join(repository, "testing/src/engines/guardian.ts")],
    bundle: true,
    // A program of its own that has to be where it was installed.
    external: ["esbuild"],
    platform: "node",
    format: "esm",
    target: "node20.19",
    sourcemap: "inline",
    logLevel: "error",
    outfile,
  });
  return outfile;
}

/**
 * @throws {Error} When no engine can be started or found; nothing stays behind then.
 */
export async function startEngines({
  mode = parseMode(process.env.TOOLHIVE_TEST_ENGINES),
  onProgress = (message) => process.stderr.write(`engines: ${message}\n`),
}: StartEnginesOptions = {}): Promise<TestEngines> {
  const repository = repositoryRoot();
  const guardian = await bundleGuardian(repository);
  // Detached: Ctrl-C in the terminal reaches the test run, whose end then ends the guardian in good order.
  const child = spawn(process.execPath, [guardian, repository, mode], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async () => {
    child.stdin.end();
    await exited;
  };
  try {
    const { engines, directory } = await new Promise<Ready>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => reject(new Error(`The engines' guardian ended with ${code ?? signal}.`)));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const message = JSON.parse(line) as GuardianMessage;
        if (message.type === "progress") onProgress(message.message);
        else if (message.type === "ready") resolve(message);
        else reject(new Error(message.message));
      });
    });
    for (const { kind, origin, host } of engines) onProgress(`${kind} is ready (${origin}) at ${host}`);
    return { engines: engines.map(toTestEngine), directory, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    await rm(guardian, { force: true }); // it is in the memory of its process by now
  }
}
