/**
 * Refuses member names that another parser could read as a name with a meaning: Go's `encoding/json` ignores case, some parsers
 * ignore `_` and `-`, C libraries stop at NUL. Parsers also differ in which of two members with one name they keep. The proxy and
 * the server must read a message alike, or one client could use the ids of another.
 */
import { isRecord, quote } from "@toolhive/http/values";
import type { Envelope } from "./json-rpc.ts";
import { findMembers, type Span } from "./json-scanner.ts";
import { CANCELLED, PROGRESS, SUBSCRIBE, UNSUBSCRIBE } from "./methods.ts";

const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const MAX_ASCII = 0x7f;

/**
 * Both conversions, because some letters have only one: the long s is an S in upper case, the Kelvin sign a k in lower
 * case.
 */
export function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** @returns The same text for all names that some parser treats as equal, letters of another width among them. */
function fold(name: string): string {
  const [beforeNul = ""] = name.split("\0", 1);
  return foldCase(beforeNul.normalize("NFKC")).replaceAll("_", "").replaceAll("-", "");
}

/** Whether it is of ASCII, without what {@link fold} leaves out. */
function isPlain(name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (code === 0 || code === HYPHEN || code === UNDERSCORE || code > MAX_ASCII) return false;
  }
  return true;
}

/** Names whose verdict is kept, and their length at most. */
const MAX_SEEN = 256;
const MAX_SEEN_LENGTH = 32;

/** A set of names that finds their look-alikes. */
export class KnownNames {
  readonly #exact: ReadonlySet<string>;
  readonly #folded: ReadonlySet<string>;
  readonly #lengths: ReadonlySet<number>;
  /** Verdicts on other names: most messages use the same few. */
  readonly #seen = new Map<string, boolean>();

  constructor(names: readonly string[]) {
    this.#exact = new Set(names);
    this.#folded = new Set(names.map(fold));
    this.#lengths = new Set([...this.#folded].map(({ length }) => length));
  }

  /** @returns The first member that only resembles one of the names. */
  findLookAlike(value: Readonly<Record<string, unknown>>): string | undefined {
    // Allocates no entries, because this runs for every message.
    for (const name in value) if (this.isLookAlike(name)) return name;
    return undefined;
  }

  /** Whether some parser takes it for one of the names. */
  mayMean(name: string): boolean {
    return this.#exact.has(name) || this.isLookAlike(name);
  }

  /** Whether it only resembles one of the names. */
  isLookAlike(name: string): boolean {
    if (this.#exact.has(name)) return false;
    // Of such a name only the case is folded, so that most differ by their length.
    if (isPlain(name)) return this.#lengths.has(name.length) && this.#folded.has(name.toLowerCase());
    const seen = this.#seen.get(name);
    if (seen !== undefined) return seen;
    const looksAlike = this.#folded.has(fold(name));
    if (name.length <= MAX_SEEN_LENGTH && this.#seen.size < MAX_SEEN) this.#seen.set(name, looksAlike);
    return looksAlike;
  }
}

const ENVELOPE = new KnownNames(["jsonrpc", "id", "method", "params", "result", "error"]);
const META = new KnownNames(["_meta"]);
const TOKEN = new KnownNames(["progressToken"]);

/** Members of `params` by which these methods refer to requests or subscriptions of others. */
const REACHING = new Map([
  [CANCELLED, "requestId"],
  [PROGRESS, "progressToken"],
  [SUBSCRIBE, "uri"],
  [UNSUBSCRIBE, "uri"],
]);
const REACHING_NAMES = new Map([...REACHING].map(([method, name]) => [method, new KnownNames([name])]));

export type MemberReading =
  /** Where the progress token of a request is, when it has one. */
  | { readonly kind: "clear"; readonly progressToken: Span | undefined }
  | { readonly kind: "unclear"; readonly reason: string };

const NO_TOKEN: MemberReading = { kind: "clear", progressToken: undefined };

/**
 * Reads a client's message the strict way.
 *
 * @param value The message, parsed; members that occur twice are in it once.
 */
export function readMembers(envelope: Envelope, value: Readonly<Record<string, unknown>>): MemberReading {
  const wrong = ENVELOPE.findLookAlike(value);
  if (wrong !== undefined) return refuseLookAlike(wrong, "the message");
  const { params } = value;
  if (envelope.params === undefined || !isRecord(params)) return NO_TOKEN;
  return readReaching(envelope, params) ?? readMeta(envelope, envelope.params, params);
}

function readReaching(
  { method, text, params }: Envelope,
  value: Readonly<Record<string, unknown>>,
): MemberReading | undefined {
  const name = REACHING.get(method);
  if (name === undefined || params === undefined) return undefined;
  const wrong = REACHING_NAMES.get(method)?.findLookAlike(value);
  if (wrong !== undefined) return refuseLookAlike(wrong, "params");
  return findMembers(text, params.start, [name]) === undefined ? refuseDuplicate(name) : undefined;
}

function readMeta({ text }: Envelope, span: Span, params: Readonly<Record<string, unknown>>): MemberReading {
  const wrong = META.findLookAlike(params);
  // A member `meta` of an extension is harmless unless it holds a token.
  if (wrong !== undefined && (wrong !== "meta" || holdsToken(params.meta))) return refuseLookAlike(wrong, "params");
  if (!("_meta" in params)) return NO_TOKEN;
  const meta = findMembers(text, span.start, ["_meta"])?.spans[0];
  if (meta === undefined) return refuseDuplicate("_meta");
  const value = params._meta;
  if (!isRecord(value)) return NO_TOKEN;
  const lookingLikeToken = TOKEN.findLookAlike(value);
  if (lookingLikeToken !== undefined) return refuseLookAlike(lookingLikeToken, "_meta");
  const { progressToken } = value;
  if (progressToken === undefined) return NO_TOKEN;
  const token = findMembers(text, meta.start, ["progressToken"])?.spans[0];
  if (token === undefined) return refuseDuplicate("progressToken");
  // Some clients send members that they do not use as null.
  if (progressToken === null) return NO_TOKEN;
  if (typeof progressToken !== "string" && typeof progressToken !== "number") {
    return { kind: "unclear", reason: "The progressToken is neither a text nor a number." };
  }
  return { kind: "clear", progressToken: token };
}

function holdsToken(value: unknown): boolean {
  return isRecord(value) && ("progressToken" in value || TOKEN.findLookAlike(value) !== undefined);
}

function refuseLookAlike(name: string, place: string): MemberReading {
  const shown = quote(name, 40);
  return {
    kind: "unclear",
    reason: `The member ${shown} of ${place} could be taken for another one; spell it exactly.`,
  };
}

function refuseDuplicate(name: string): MemberReading {
  return { kind: "unclear", reason: `The member "${name}" is there twice.` };
}
