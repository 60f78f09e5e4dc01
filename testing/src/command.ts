/** Runs a program to its end and collects what it wrote. */
import { type SpawnOptions, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export interface CommandResult {
  /** Exit code; 128 + signal number when a signal ended it, as a shell would say. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string | undefined;
  /** The whole environment of the child. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Bytes for stdin; without it, stdin is empty. */
  readonly input?: string | Readable | undefined;
  /** Called with each piece of stdout and stderr as it arrives. */
  readonly onOutput?: ((text: string) => void) | undefined;
  /** Who runs it; only root can name another. Default: this process's user. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What the program gets when `signal` fires. Default SIGTERM; SIGINT is what Ctrl-C sends. */
  readonly killSignal?: NodeJS.Signals | undefined;
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/**
 * @throws {Error} When the program cannot be started. Any exit code is a result. When `signal` fires, the program gets
 *   `killSignal` and the result is what it made of it.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env, input, onOutput, user, signal, killSignal = "SIGTERM" }: CommandOptions = {},
): Promise<CommandResult> {
  signal?.throwIfAborted();
  const identity = user && { uid: user.uid, gid: user.gid };
  const options: SpawnOptions = { cwd, env: env ?? process.env, stdio: ["pipe", "pipe", "pipe"], ...identity };
  const child = spawn(command, args, options);
  const stop = () => child.kill(killSignal);
  signal?.addEventListener("abort", stop, { once: true });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      onOutput?.(text);
    });
  }
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, reason) => resolve(code ?? 128 + (SIGNAL_NUMBERS[reason ?? ""] ?? 0)));
  });
  try {
    if (child.stdin !== null) {
      const fed =
        input === undefined || typeof input === "string"
          ? endWith(child.stdin, input ?? "")
          : pipeline(input, child.stdin);
      // A program may end without reading all of its input (EPIPE); its exit code says whether that was an error.
      await Promise.all([ended, fed.catch(() => undefined)]);
    }
    return { code: await ended, ...output };
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function endWith(stdin: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stdin.once("error", () => resolve());
    stdin.end(text, () => resolve());
  });
}

/** Like {@link runCommand}, for programs that must succeed. @returns stdout. @throws {Error} With stderr when they do not. */
export async function mustRun(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, options);
  if (code === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")} ended with ${code}: ${(stderr || stdout).trim().slice(-2000)}`);
}
