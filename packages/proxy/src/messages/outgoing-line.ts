/**
 * Prepares a message for the server: with its newline, in as many pieces as save copying. Small messages are one
 * piece, because a system call costs more for each; large ones keep the client's bytes where they are.
 */
import { type Edit, sortEdits, splice } from "./json-scanner.ts";

export type Line = readonly Buffer[];

const NEWLINE = Buffer.from("\n");
/** Below it a copy costs less than the bookkeeping of several pieces; above, many copies wait for a collection. */
const ONE_PIECE_BYTES = 4 * 1024;

/** @param edits Replace some spans; in any order, they must not overlap. */
export function formatLine(text: Buffer, edits: readonly Edit[] = []): Line {
  if (text.length < ONE_PIECE_BYTES) return [splice(text, edits, NEWLINE)];
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { span, bytes } of sortEdits(edits)) {
    pieces.push(text.subarray(from, span.start), bytes);
    from = span.end;
  }
  pieces.push(text.subarray(from), NEWLINE);
  return pieces;
}

export function measureLine(line: Line): number {
  let bytes = 0;
  for (const piece of line) bytes += piece.length;
  return bytes;
}
