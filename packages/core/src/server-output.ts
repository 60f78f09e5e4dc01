/**
 * What a server wrote, for people. On stdio a server's stdout is the protocol, so its messages are left out: they are
 * traffic, they may hold what a tool returned, and they would bury the lines that say what is wrong. A line on stdout that
 * is not a message stays, because it is the very mistake that one looks for.
 */
import type { ContainerEngine, LogLine } from "./container-engine.ts";

/** Raw lines that are looked at for each wanted one. */
const RAW_LINES_PER_LINE = 20;

interface OutputOptions {
  readonly tail: number;
  readonly signal?: AbortSignal | undefined;
}

/** The newest lines, oldest first. */
export async function readServerOutput(
  engine: ContainerEngine,
  containerId: string,
  { tail, signal }: OutputOptions,
): Promise<string[]> {
  const lines = await engine.readLogs(containerId, { tail: tail * RAW_LINES_PER_LINE, signal });
  return lines
    .filter(linesForPeople())
    .slice(-tail)
    .map(({ text }) => text);
}

/** Lines as they come; at first the newest `tail` of those that are there. */
export async function* followServerOutput(
  engine: ContainerEngine,
  containerId: string,
  options: OutputOptions,
): AsyncGenerator<string> {
  const isForPeople = linesForPeople();
  for await (const line of engine.followLogs(containerId, options)) {
    if (isForPeople(line)) yield line.text;
  }
}

/** A filter for the lines of one log, in their order. */
function linesForPeople(): (line: LogLine) => boolean {
  let isFirst = true;
  let isMessage = false;
  return ({ stream, text, isContinued }) => {
    if (stream === "stderr") return true;
    // A piece of a long line is what the line's begin is.
    if (!isContinued) isMessage = /^\s*\{.*"jsonrpc"\s*:/.test(text) || (isFirst && isEndOfMessage(text));
    isFirst = false;
    return !isMessage;
  };
}

/** A log that was rotated may begin within a message: then it closes more than it opens. */
function isEndOfMessage(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return /\}\s*$/.test(text) && count(/[}\]]/g) > count(/[{[]/g);
}
