/** Parses headers that are lists, in one pass: the sender chooses their length. */

/** Ranges of `Accept` that are parsed; browsers send eight. */
const MAX_RANGES = 100;

/** Whether `Accept` allows a media type; a request without the header allows all (RFC 9110, 12.5.1). */
export function acceptsType(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const parts = accept.split(",", MAX_RANGES);
  // Most clients name the types as they are, and every call asks twice.
  return parts.some((part) => part.trim() === type) || parts.some((part) => isMatchedBy(part, type));
}

/** @param part One range of `Accept`, perhaps with wildcards and parameters. */
function isMatchedBy(part: string, type: string): boolean {
  const [range, ...parameters] = part.split(";", MAX_RANGES).map((piece) => piece.trim().toLowerCase());
  if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) return false;
  return range === type || range === "*/*" || range === `${type.split("/")[0]}/*`;
}

/** @returns The names of other headers that a `Connection` header lists, in lower case (RFC 9110, 7.6.1). */
export function parseHeaderNames(connection: string): ReadonlySet<string> {
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}
