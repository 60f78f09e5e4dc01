/** Content negotiation and conditional requests: pure functions over header values (RFC 9110, 12.5 and 13.1). */

/** Members of a list that are parsed: the sender chooses its length. Browsers send eight. */
const MAX_MEMBERS = 100;

interface Member {
  /** In lower case. */
  readonly name: string;
  /** From 0, which forbids it, to 1. A weight that is no number forbids it, too. */
  readonly weight: number;
}

function parseMember(text: string): Member {
  const [name = "", ...parameters] = text.split(";", MAX_MEMBERS).map((piece) => piece.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { name, weight: weight === undefined ? 1 : Number.parseFloat(weight) || 0 };
}

/**
 * The encoding to answer in: the heaviest of those that the client accepts; among equals the first of ours.
 *
 * @param header `Accept-Encoding`.
 * @param offered Encodings that the answer is available in, the preferred one first.
 * @returns `undefined` to send it as it is.
 */
export function chooseEncoding<Encoding extends string>(
  header: string | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const part of header.split(",", MAX_MEMBERS)) {
    const { name, weight } = parseMember(part);
    if (name !== "") weights.set(name, weight);
  }
  let chosen: Encoding | undefined;
  let best = weights.get("identity") ?? 0;
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? weights.get("*") ?? 0;
    if (weight === 0 || weight < best || (weight === best && chosen !== undefined)) continue;
    chosen = encoding;
    best = weight;
  }
  return chosen;
}

/**
 * Whether `Accept` allows a media type; a request without the header allows all. The most specific range decides, so
 * that a type with weight 0 is refused beside a wildcard that allows everything.
 *
 * @param type In lower case.
 */
export function acceptsType(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept === type) return true;
  const parts = accept.split(",", MAX_MEMBERS);
  // Most clients name the types as they are, and every call asks twice.
  if (parts.some((part) => part.trim() === type)) return true;
  const ranges = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  let decided = ranges.length;
  let weight = 0;
  for (const part of parts) {
    const member = parseMember(part);
    const at = ranges.indexOf(member.name);
    if (at < 0 || at >= decided) continue;
    decided = at;
    weight = member.weight;
  }
  return weight > 0;
}

/** Whether `Accept` names a media type itself, not by a wildcard, and does not forbid it. */
export function namesType(accept: string | undefined, type: string): boolean {
  return readNamedWeight(accept, type) > 0;
}

/** Whether `Accept` names a media type itself and gives it no less weight than another that it names. */
export function prefersType(accept: string | undefined, type: string, other: string): boolean {
  return namesType(accept, type) && readNamedWeight(accept, type) >= readNamedWeight(accept, other);
}

/** @returns The weight that `Accept` gives to a media type by its name, 0 to 1; 0 when it does not name it. */
function readNamedWeight(accept: string | undefined, type: string): number {
  const members = (accept ?? "").split(",", MAX_MEMBERS).map(parseMember);
  return Math.max(0, ...members.flatMap(({ name, weight }) => (name === type ? weight : [])));
}

/** Whether `If-None-Match` names the tag, by weak comparison. @param tag With its quotes. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = tag.replace(/^W\//, "");
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaque);
}
