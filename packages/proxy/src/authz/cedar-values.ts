/** Claims and arguments as values of Cedar (api-behaviour 10.5). */
import type { CedarValueJson } from "@cedar-policy/cedar-wasm/nodejs";
import type { KnownNames } from "../member-names.ts";

/** Cedar's decimal: 64 bits with four digits after the point. */
const MAX_DECIMAL = 922_337_203_685_477;
const DECIMAL_DIGITS = 4;

type Attributes = Record<string, CedarValueJson>;

/** A value that policies would see otherwise than the server does. */
export class UnclearValue extends Error {}

/** Each claim k as `claim_k`. Objects are left out, and what Cedar cannot hold. */
export function claimAttributes(claims: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(claims)) {
    const cedar = Array.isArray(value) ? value.flatMap((item) => scalar(item) ?? []) : scalar(value);
    if (cedar !== undefined) attributes[`claim_${name}`] = cedar;
  }
  return attributes;
}

/**
 * Each argument k as `arg_k`; of lists, objects and null only that they are there, as `arg_k_present`.
 *
 * @param named Arguments that policies name. @throws {UnclearValue}
 */
export function argumentAttributes(args: Readonly<Record<string, unknown>>, named: KnownNames): Attributes {
  const attributes: Attributes = {};
  const lookAlike = named.findLookAlike(args);
  if (lookAlike !== undefined) {
    throw new UnclearValue(`the argument ${lookAlike.slice(0, 40)} could be taken for one that policies name`);
  }
  for (const [name, value] of Object.entries(args)) {
    if (isBroken(name)) throw new UnclearValue("the name of an argument is no text");
    if (typeof value === "object") {
      attributes[`arg_${name}_present`] = true;
      continue;
    }
    const cedar = scalar(value);
    if (cedar === undefined) throw new UnclearValue(`the argument ${name} is out of the range of policies`);
    attributes[`arg_${name}`] = cedar;
  }
  return attributes;
}

/** Has half of a character, or a NUL, at which some servers stop reading: Cedar would see another text than the server. */
export function isBroken(text: string): boolean {
  return text.includes("\0") || /\p{Surrogate}/u.test(text);
}

/** Whole numbers are longs, so that policies can compare them; all others are decimals, rounded to four digits. */
function scalar(value: unknown): CedarValueJson | undefined {
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
