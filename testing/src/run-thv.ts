/** Runs the built `thv` as a user would: its own process, its own home, of whoever the home is. */
import { existsSync } from "node:fs";
import { type CommandResult, runCommand } from "./command.ts";
import type { TestEngine } from "./engines/start-engines.ts";
import { THV_BUNDLE, type ThrowawayHome } from "./throwaway-home.ts";

export interface RunThvOptions {
  readonly home: ThrowawayHome;
  /** The engine it works with. Without one, it finds none. */
  readonly engine?: Pick<TestEngine, "host"> | undefined;
  /** Text for stdin. */
  readonly input?: string | undefined;
  /** Variables on top of the home's. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** Ends the command with `killSignal`. */
  readonly signal?: AbortSignal | undefined;
  /** Default SIGTERM; SIGINT for what Ctrl-C does. */
  readonly killSignal?: NodeJS.Signals | undefined;
}

/** Any command prints such a line when a step of it takes three seconds, as on a slow machine. */
const PROGRESS = /^(?:Starting|Stopping|Restarting|Removing|Looking for|Asking|Calling|Waiting for) .*\n/gm;

/** @returns What a command said on standard error besides what took it so long. */
export function dropProgress(stderr: string): string {
  return stderr.replace(PROGRESS, "");
}

/** @throws {Error} When `thv` was not built. */
export function requireThv(): void {
  if (!existsSync(THV_BUNDLE)) throw new Error(`${THV_BUNDLE} is not there. Build it: npm run build -w @toolhive/cli`);
}

/** @throws {Error} When `thv` was not built. Any exit code is a result. */
export async function runThv(
  args: readonly string[],
  { home, engine, env = {}, cwd = home.workDirectory, ...options }: RunThvOptions,
): Promise<CommandResult> {
  requireThv();
  const [program, ...before] = home.thv.endsWith(".mjs") ? [process.execPath, home.thv] : [home.thv];
  return await runCommand(program, [...before, ...args], {
    ...options,
    cwd,
    user: home.user,
    env: { ...home.env(engine), ...env },
  });
}
