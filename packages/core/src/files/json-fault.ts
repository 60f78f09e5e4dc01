/** Where a text is not JSON, in place of the parser's own words, which quote the text and may show a secret. */
import { type ParseError, parse } from "jsonc-parser";

/** @returns Completes "it cannot be used: …". */
export function describeJsonFault(text: string): string {
  if (text.trim() === "") return "it is empty";
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  return first ? `line ${text.slice(0, first.offset).split("\n").length} is not JSON` : "it is not JSON";
}
