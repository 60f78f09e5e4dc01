/** Starts the engines for a test run, through the process that guards them. */
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { type CommandResult, runCommand } from "../command.ts";
import type { EngineKind } from "../lanes.ts";
import { findRepositoryRoot } from "../repository.ts";
import type { EngineDescription } from "./engine-daemon.ts";
import type { EngineOrigin, OwnerMessage } from "./engine-owner.ts";
import { ensurePackages, findObstacle } from "./packages.ts";
import { wrapInNewNetwork } from "./private-network.ts";

/** `auto` takes private engines where they can be run. */
type EngineMode = "auto" | EngineOrigin;

export interface TestEngine extends EngineDescription {
  /** Runs the engine's own command line against it; any exit code is a result. */
  cli(args: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<CommandResult>;
}

export interface TestEngines extends AsyncDisposable {
  readonly engines: readonly TestEngine[];
  /** A folder that is removed with the engines, after the processes whose HOME is below it. Private engines only. */
  readonly directory: string | undefined;
  /** Id of a process in the engines' network. Published ports are there only, see `wrapInNetwork`. Private engines only. */
  readonly network: number | undefined;
  /** Ends the engines and removes all they put on the machine. Safe to repeat. */
  close(): Promise<void>;
}

export interface StartEnginesOptions {
  /** Default: the environment variable `TOOLHIVE_TEST_ENGINES`, else `auto`. */
  readonly mode?: EngineMode | undefined;
  /** Default: both. Without any, there is a network of one's own where there can be, and nothing in it. */
  readonly kinds?: readonly EngineKind[];
  /** Whether no engine at all is a result, too. Default false. */
  readonly isNoneFine?: boolean;
  /** Default: a line on stderr. */
  readonly onProgress?: (message: string) => unknown;
}

const KINDS: readonly EngineKind[] = ["docker", "podman"];
const NAMES: Readonly<Record<EngineKind, string>> = { docker: "Docker", podman: "Podman" };

const report = (message: string) => process.stderr.write(`engines: ${message}\n`);

type Ready = Extract<OwnerMessage, { type: "ready" }>;

/** Gives a description that crossed a process boundary its methods back. */
export function toTestEngine(description: EngineDescription): TestEngine {
  const [program, ...leading] = description.command;
  return {
    ...description,
    cli: (args, { signal } = {}) =>
      runCommand(program, [...leading, ...args], { env: { ...process.env, ...description.env }, signal }),
  };
}

function readMode(): EngineMode {
  const value = process.env.TOOLHIVE_TEST_ENGINES;
  if (value === undefined || value === "") return "auto";
  if (value === "auto" || value === "private" || value === "host") return value;
  throw new Error(`TOOLHIVE_TEST_ENGINES is "${value}"; use auto, private or host.`);
}

/** Holds engines that were started for this process, see {@link describeStarted}. */
const STARTED_VARIABLE = "TOOLHIVE_TEST_STARTED";

/** Variables for a process in the engines' network: its {@link startEngines} finds them, and does not end them. */
export function describeStarted({ engines, directory, network }: TestEngines): Record<string, string> {
  return { [STARTED_VARIABLE]: JSON.stringify({ engines, directory, network }) };
}

function findStarted(kinds: readonly EngineKind[]): TestEngines | undefined {
  const text = process.env[STARTED_VARIABLE];
  if (text === undefined) return undefined;
  const { engines, directory, network } = JSON.parse(text) as TestEngines;
  const close = async () => undefined;
  const wanted = engines.filter(({ kind }) => kinds.includes(kind)).map(toTestEngine);
  return { engines: wanted, directory, network, close, [Symbol.asyncDispose]: close };
}

/**
 * Chooses the engines, and installs what private ones need: in their network there is no way out before they are started.
 *
 * @throws {Error} When private engines are requested and cannot be run, or apt fails.
 */
export async function prepareEngines({
  mode = readMode(),
  kinds = KINDS,
  onProgress = report,
}: StartEnginesOptions = {}): Promise<EngineOrigin> {
  const obstacle = mode === "host" ? "as asked" : await findObstacle();
  if (obstacle === undefined) {
    await ensurePackages({ kinds, onProgress });
    return "private";
  }
  if (mode === "private") throw new Error(`Private engines cannot be run: ${obstacle}.`);
  onProgress(`using the engines of this machine (${obstacle})`);
  return "host";
}

/** Node runs no TypeScript before version 22.18, so the owner is bundled first; that takes some 50 ms. */
async function bundleEngineOwner(repository: string): Promise<string> {
  const outfile = join(repository, `.cache/testing/engine-owner-${process.pid}.mjs`);
  await build({
    entryPoints: [join(repository, "testing/src/engines/engine-owner.ts")],
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
 * Starts engines, or finds those that were started for this process.
 *
 * @throws {Error} When no engine can be started or found; nothing stays behind then.
 */
export async function startEngines(options: StartEnginesOptions = {}): Promise<TestEngines> {
  const { mode, kinds = KINDS, isNoneFine = false, onProgress = report } = options;
  const found = findStarted(kinds);
  if (found !== undefined) return found;
  const repository = findRepositoryRoot();
  const origin = await prepareEngines({ mode, kinds, onProgress });
  const ownerBundle = await bundleEngineOwner(repository);
  const command = [process.execPath, ownerBundle, repository, origin, kinds.join()] as const;
  const [program, ...args] = origin === "private" ? wrapInNewNetwork(command) : command;
  // Detached: Ctrl-C in the terminal reaches the test run, whose end then ends the owner in good order.
  const child = spawn(program, args, {
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
      child.once("exit", (code, signal) => reject(new Error(`The engines' owner ended with ${code ?? signal}.`)));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const message = JSON.parse(line) as OwnerMessage;
        if (message.type === "progress") onProgress(message.message);
        else if (message.type === "ready") resolve(message);
        else reject(new Error(message.message));
      });
    });
    if (engines.length === 0 && kinds.length > 0) {
      const message = `No ${kinds.map((kind) => NAMES[kind]).join(" and no ")} answers here. Install one, start it, try again.`;
      if (!isNoneFine) throw new Error(message);
      onProgress(`${message} Tests that need one are left out`);
    }
    for (const { kind, origin, host } of engines) onProgress(`${kind} is ready (${origin}) at ${host}`);
    const network = origin === "private" ? child.pid : undefined;
    return { engines: engines.map(toTestEngine), directory, network, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  } finally {
    await rm(ownerBundle, { force: true }); // it is in the memory of its process by now
  }
}
