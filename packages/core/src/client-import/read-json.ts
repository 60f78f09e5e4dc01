/** JSON of a client's file, or what somebody has copied of it: with comments, trailing commas, or without the outer braces. */
import { parseJsonWithComments } from "../clients/edit-json.ts";

const BOM = "\uFEFF";

/** @throws {Error} saying where the text is not JSON. */
export function readClientJson(text: string): unknown {
  const whole = (text.startsWith(BOM) ? text.slice(BOM.length) : text).trim();
  // A member that was copied out of an object; a comma may follow it.
  if (/^"(?:[^"\\]|\\.)*"\s*:/.test(whole)) return parseJsonWithComments(`{${whole}}`);
  return parseJsonWithComments(whole);
}
