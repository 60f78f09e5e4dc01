/** Why a server has ended, from its exit code and from what it wrote. */
import { setTimeout as delay } from "node:timers/promises";
import { explainPackageFailure } from "../../images/package-failure.ts";
import type { Container, ContainerEngine } from "../../ports/container-engine.ts";
import { type ExcerptShape, OutputSample } from "../../server-log/excerpt.ts";
import { ThvError } from "../../support/errors.ts";
import { toOneLine } from "../../support/one-line.ts";
import { explainUnreadableOutput } from "./explain-silence.ts";
import type { ServerProcess } from "./server-process.ts";

/** Lines of a server's output that go into the reason of its failure, besides the one that says what is wrong. */
const REASON_SHAPE: ExcerptShape = { first: 0, last: 3 };
/** Characters of one of them. */
const REASON_LINE_CHARACTERS = 200;
/** Lines that are read of an engine's log. */
const READ_LINES = 1_000;

/** Milliseconds between the end of an attachment and the moment the engine shows the container as exited, at most. */
const EXIT_SHOWN_WITHIN_MS = 2_000;
const EXIT_POLL_MS = 25;

const USUAL_HINT = "Check its arguments and environment variables: an MCP server keeps running until it is stopped.";
const LIMIT_HINT =
  "Often it has used more memory than its limit, or than the machine has: thv run --memory 4g gives it more.";
const CRASH_HINT = "Its program crashed, often in a part that is not made for this machine's processor or its image.";

/** Signals that end a program by a fault of its own. */
const CRASHES: readonly string[] = ["SIGSEGV", "SIGILL", "SIGBUS", "SIGFPE", "SIGABRT", "SIGTRAP"];

/** The server runs, and the engine has ended the connection to it, as a daemon that restarts does. */
export class ServerCutOffError extends ThvError {
  constructor() {
    super("SERVER_EXITED", "The connection to the server's input and output was lost.");
  }
}

/** Says how the container ended; the detail holds an excerpt of what it wrote. */
export async function describeExit(engine: ContainerEngine, server: ServerProcess): Promise<ThvError> {
  const { containerId } = server;
  const container = await findOnceExited(engine, containerId);
  if (!container) return new ThvError("SERVER_EXITED", "The server's container was removed.");
  if (container.state === "running") {
    return new ServerCutOffError();
  }
  if (server.endReason !== undefined) {
    const hint = "Give it more, or find what it does with it: thv run --memory, --pids-limit, and thv logs NAME";
    return new ThvError("SERVER_EXITED", server.endReason, { hint });
  }
  const output = (await server.wholeOutput()) ?? (await readOutput(engine, containerId));
  const failure = server.packageTarget && explainPackageFailure(server.packageTarget, cleanLines(output.lastLines));
  if (failure) return failure;
  const lines = cleanLines(output.excerpt(REASON_SHAPE)).map((line) => line.slice(0, REASON_LINE_CHARACTERS));
  const detail = lines.length > 0 ? `It wrote: ${lines.join(" / ")}` : undefined;
  const signal = findSignal(container.exitCode);
  if (signal !== undefined) {
    const hint = signal === "SIGKILL" ? LIMIT_HINT : CRASHES.includes(signal) ? CRASH_HINT : USUAL_HINT;
    return new ThvError("SERVER_EXITED", `The server exited with code ${container.exitCode}: ${signal} ended it.`, {
      hint,
      detail,
    });
  }
  return new ThvError("SERVER_EXITED", `The server exited with code ${container.exitCode ?? "unknown"}.`, {
    hint: explainUnreadableOutput(server.strays.lastLines)?.hint ?? USUAL_HINT,
    detail,
  });
}

/** Shells and engines add 128 to the number of the signal that ended a program. */
function findSignal(exitCode: number | undefined): string | undefined {
  if (exitCode === undefined || exitCode <= 128) return undefined;
  return Object.entries(SIGNALS).find(([, number]) => number === exitCode - 128)?.[0];
}

/** The numbers of Linux, on which containers run. */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

async function findOnceExited(engine: ContainerEngine, containerId: string): Promise<Container | undefined> {
  const deadline = Date.now() + EXIT_SHOWN_WITHIN_MS;
  for (;;) {
    const container = await engine.findContainer(containerId);
    if (container?.state !== "running" || Date.now() > deadline) return container;
    await delay(EXIT_POLL_MS);
  }
}

/** The lines end up on terminals, so control characters become spaces. */
function cleanLines(lines: readonly string[]): string[] {
  return lines.map(toOneLine).filter((line) => line !== "");
}

/** The output of a server whose log the engine keeps. */
export async function readOutput(engine: ContainerEngine, containerId: string): Promise<OutputSample> {
  const sample = new OutputSample();
  try {
    for (const { text } of await engine.readLogs(containerId, { tail: READ_LINES })) sample.add(text);
  } catch {
    // A container that is just being removed has no log any more; its exit is described without its output.
  }
  return sample;
}
