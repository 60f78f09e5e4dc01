/**
 * vitest's pool of the unit project: its usual forks, each of which runs one file after the other. Starting a process and
 * loading a package's modules again for each file took more than half of the run. Files of `FILES_APART` have a process of
 * their own; `./setup.ts` fails a file that leaves something changed for the next one.
 */
import { ForksPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from "vitest/node";
import { isFileApart } from "./files-apart.ts";

/** Bytes of heap in use at the end of a file, from which on a fork is replaced by a new one. */
const MAX_HEAP_BYTES = 384 * 1024 * 1024;

type PoolTask = Parameters<NonNullable<PoolWorker["canReuse"]>>[0];
type Files = PoolTask["context"]["files"];

/** @returns Whether one of the files has a process of its own. */
function areApart(files: Files): boolean {
  return files.some(({ filepath }) => isFileApart(filepath));
}

class SharedFork extends ForksPoolWorker implements PoolWorker {
  override readonly name = "shared-forks";
  /** Asks the fork for its heap at the end of each file. */
  readonly reportMemory = true;
  #isSpent = false;

  override async start(): Promise<void> {
    await super.start();
    this.on("message", (message: { readonly usedMemory?: number } | undefined) => {
      if ((message?.usedMemory ?? 0) >= MAX_HEAP_BYTES) this.#isSpent = true;
    });
  }

  override send(message: WorkerRequest): void {
    if ((message.type === "run" || message.type === "collect") && areApart(message.context.files)) this.#isSpent = true;
    super.send(message);
  }

  canReuse({ context }: PoolTask): boolean {
    return !this.#isSpent && !areApart(context.files);
  }
}

export const sharedForks = {
  name: "shared-forks",
  createPoolWorker: (options: PoolOptions) => new SharedFork(options),
};
