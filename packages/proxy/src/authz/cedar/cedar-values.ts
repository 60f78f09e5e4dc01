/** Claims and arguments as values of Cedar (api-behaviour 10.5). */
import type { CedarValueJson } from "@cedar-policy/cedar-wasm/nodejs";
import type { KnownNames } from "../../messages/member-names.ts";
import type { MentionedAttributes } from "./mentioned-attributes.ts";
import { MAX_ARGUMENTS, MAX_ARGUMENTS_LENGTH } from "./policy-limits.ts";

/** Cedar's decimal: 64 bits with four digits after the point. */
const MAX_DECIMAL = 922_337_203_685_477;
const DECIMAL_DIGITS = 4;

type Attributes = Record<string, CedarValueJson>;

/** A value that policies would read differently from the server. */
export class UnclearValue extends Error {}

/** Each claim k as `claim_k`, without objects and other values that Cedar cannot hold. */
export function convertClaims(claims: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(claims)) {
    const cedar = Array.isArray(value) ? value.flatMap((item) => convertScalar(item) ?? []) : convertScalar(value);
    if (cedar !== undefined) attributes[`claim_${name}`] = cedar;
  }
  return attributes;
}

/**
 * Each argument k as `arg_k`; for lists, objects and null only their presence, as `arg_k_present`. Arguments that no
 * policy reads are validated but omitted.
 *
 * @param named Arguments that policies name. @param mentioned Attributes that they ask about.
 * @throws {UnclearValue} also for more than 256 of these, or more than 65,536 characters.
 */
export function convertArguments(
  args: Readonly<Record<string, unknown>>,
  { named, mentioned }: { readonly named: KnownNames; readonly mentioned: MentionedAttributes },
): Attributes {
  const attributes: Attributes = {};
  const lookAlike = named.findLookAlike(args);
  if (lookAlike !== undefined) {
    throw new UnclearValue(`the argument ${lookAlike.slice(0, 40)} could be taken for one that policies name`);
  }
  let count = 0;
  let length = 0;
  for (const name of Object.keys(args)) {
    if (isBroken(name)) throw new UnclearValue("the name of an argument is no text");
    const value = args[name];
    const isPresence = typeof value === "object";
    const cedar = isPresence ? true : convertScalar(value);
    if (cedar === undefined) {
      throw new UnclearValue(`the argument ${name.slice(0, 200)} is out of the range of policies`);
    }
    const attribute = isPresence ? `arg_${name}_present` : `arg_${name}`;
    if (!mentioned.has(attribute)) continue;
    count += 1;
    length += name.length + (typeof value === "string" ? value.length : 0);
    if (count > MAX_ARGUMENTS) throw new UnclearValue(`there are more than ${MAX_ARGUMENTS} arguments`);
    if (length > MAX_ARGUMENTS_LENGTH) {
      throw new UnclearValue(`the arguments are longer than ${MAX_ARGUMENTS_LENGTH} characters`);
    }
    attributes[attribute] = cedar;
  }
  return attributes;
}

/** Has half of a character, or a NUL, at which some servers stop reading: Cedar would see another text than the server. */
export function isBroken(text: string): boolean {
  return text.includes("\0") || /\p{Surrogate}/u.test(text);
}

/** Whole numbers are longs, so that policies can compare them; all others are decimals, rounded to four digits. */
function convertScalar(value: unknown): CedarValueJson | undefined {
  switch (typeof value) {
    case "string":
      return isBroken(value) ? undefined : value;
    case "boolean":
      return value;
    case "number":
      if (Number.isSafeInteger(value)) return value;
      if (Number.isInteger(value) || Math.abs(value) > MAX_DECIMAL || Number.isNaN(value)) return undefined;
      return { __extn: { fn: "decimal", arg: value.toFixed(DECIMAL_DIGITS) } };
    default:
      return undefined;
  }
}
