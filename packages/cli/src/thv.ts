#!/usr/bin/env node
/** The program: gives the process to `main`. */
import { main } from "./main.ts";

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // The second time the user means it: nothing is waited for.
    if (interrupt.signal.aborted && signal === "SIGINT") process.exit(130);
    interrupt.abort();
  });
}
// A reader that has had enough (`thv list | head -1`) ends the output, not the program with a stack.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const exitCode = await main({
  argv: process.argv.slice(2),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: interrupt.signal,
});

// Left to end by itself, Node gives up its signal handlers first: a Ctrl-C in those milliseconds would end with 130 what
// has said that it is done.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => {
    stream.write("", () => resolve());
  });
}
process.exit(exitCode);
