/** The supervisor's log: JSON lines in the background, readable lines on stderr in the foreground. */
import type { Logger } from "@toolhive/core";
import pino from "pino";
import { showLine } from "../terminal/shown-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface LogOptions {
  readonly isBackground: boolean;
  readonly terminal: Terminal;
}

/** Field names whose values never reach a log. */
const REDACTED = ["password", "token", "authorization", "secret", "env", "env_vars"];

const LEVEL_STYLES = { 30: "cyan", 40: "yellow", 50: "red" } as const;
const LEVEL_NAMES: Readonly<Record<number, string>> = { 20: "DBG", 30: "INF", 40: "WRN", 50: "ERR" };

export function createLog({ isBackground, terminal }: LogOptions): Logger {
  if (isBackground) return createJsonLog();
  return pino(listOptions(), { write: (line) => terminal.info(readable(line, terminal)) });
}

/** One JSON object a line on standard error, for the background and for pods. */
export function createJsonLog(): Logger {
  const destination = pino.destination({ fd: 2, sync: true });
  // A full disk takes no lines, and must not take the servers.
  destination.on("error", () => undefined);
  return pino({ ...listOptions(), timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

function listOptions() {
  return {
    level: process.env.THV_LOG_LEVEL ?? "info",
    redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
    base: null,
    serializers: { error: serializeError },
  };
}

/** Without the stack: readers of the log want to know what happened and what to do. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause } = error;
  const { code, hint } = error as { readonly code?: unknown; readonly hint?: unknown };
  return {
    name,
    ...(code !== undefined && { code }),
    message,
    ...(hint !== undefined && { hint }),
    ...(cause instanceof Error && { cause: cause.message }),
  };
}

function readable(line: string, terminal: Terminal): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown> & {
    level: number;
    time: number;
  };
  const clock = new Date(time).toTimeString().slice(0, 8);
  const style = LEVEL_STYLES[level as keyof typeof LEVEL_STYLES] ?? "dim";
  const details = Object.entries(fields).map(
    ([key, value]) => `${key}=${showLine(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  // What others wrote makes no line of its own, also in a file: only a stack has more lines, and they are indented.
  const stack = typeof err === "object" && err !== null && "stack" in err ? `\n${indented(String(err.stack))}` : "";
  return `${terminal.err("dim", clock)} ${terminal.err(style, LEVEL_NAMES[level] ?? "LOG")} ${showLine(String(msg))} ${terminal.err("dim", details.join(" "))}${stack}`;
}

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${showLine(line.trim())}`)
    .join("\n");
}
