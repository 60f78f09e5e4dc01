/**
 * Text of others (a server, an engine, an issuer) for a message or a log line: each run of control characters becomes a
 * blank, so that the text can neither forge a line nor steer a terminal.
 */
export function toOneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").trim();
}

/** A text that another sentence follows: with a full stop, unless it ends already. */
export function endSentence(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?:;]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
