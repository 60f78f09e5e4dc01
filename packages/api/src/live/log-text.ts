/** A line of a log as plain text. */
import { formatStamp, type StampedLine } from "@toolhive/core";

/** @param query With `timestamps` of `true`, each line begins with its moment; `-` where none is known. */
export function formatLogText({ timestamps }: { readonly timestamps?: string }): (line: StampedLine) => string {
  return timestamps === "true" ? stampedText : ({ text }) => `${text}\n`;
}

function stampedText({ at, text }: StampedLine): string {
  return `${at === undefined ? "-" : formatStamp(at)} ${text}\n`;
}
