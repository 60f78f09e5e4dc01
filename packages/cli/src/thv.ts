#!/usr/bin/env node
/** The program: gives the process to `main`. */
import { constants } from "node:os";
import { ERRORS } from "@toolhive/core/errors";
import { describeFileFailure } from "@toolhive/core/file-failure";
import { main } from "./main.ts";

const interrupt = new AbortController();
/** What ended it, by the convention of shells: 128 and the signal's number. */
let interruptedWith = ERRORS.INTERRUPTED.exit as number;
// SIGBREAK is Ctrl-Break on Windows; SIGHUP there means a console that is closed. Other systems do not send SIGBREAK.
const SIGNALS = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  ...(process.platform === "win32" ? (["SIGBREAK"] as const) : []),
] as const;
for (const signal of SIGNALS) {
  process.on(signal, () => {
    // The second time the user means it: nothing is waited for.
    if (interrupt.signal.aborted && signal === "SIGINT") process.exit(ERRORS.INTERRUPTED.exit);
    if (!interrupt.signal.aborted) interruptedWith = 128 + constants.signals[signal];
    interrupt.abort();
  });
}

let isOutputLost = false;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that has had enough (`thv list | head -1`) or a terminal that was closed ends the output, not the program.
  if (isOutputLost || error.code === "EPIPE" || error.code === "EIO") return;
  isOutputLost = true;
  process.stderr.write(`Error: Standard output cannot be written: ${describeFileFailure(error)}.\n`);
  interrupt.abort();
});
// The error cannot be printed anywhere, and the command's work matters more: a supervisor outlives a full log.
process.stderr.on("error", () => undefined);

/** A function, because the single file is a CommonJS module, which cannot wait at its top level. */
async function run(): Promise<void> {
  const code = await main({
    argv: process.argv.slice(2),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: interrupt.signal,
  });

  // Without this, Node removes its signal handlers before it exits: a Ctrl-C in those milliseconds would give exit code 130 to a
  // command that has reported success.
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => {
      stream.write("", () => resolve());
    });
  }
  const ownCode = code === ERRORS.INTERRUPTED.exit ? interruptedWith : code;
  process.exit(isOutputLost ? ERRORS.FILE_FAILED.exit : ownCode);
}

// A process that ends because nothing remains to wait for, before its work is done, has failed.
process.exitCode = 1;
void run();
