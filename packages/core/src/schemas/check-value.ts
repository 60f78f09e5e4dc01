/**
 * Whether a value is what its schema says. For large values the schema is compiled first: that takes milliseconds, and then
 * each item a hundredth of the time.
 */
import type { TSchema } from "typebox";
import { Check, Compile } from "typebox/schema";

/** Up to this number of items and members, checking them directly takes less time than compiling the schema. */
const SMALL = 2_000;

const compiled = new WeakMap<TSchema, (value: unknown) => boolean>();

export function checkValue(schema: TSchema, value: unknown): boolean {
  if (!isLarge(value)) return Check(schema, value);
  let check = compiled.get(schema);
  if (!check) {
    const validator = Compile(schema);
    check = (each) => validator.Check(each);
    compiled.set(schema, check);
  }
  return check(value);
}

function isLarge(value: unknown): boolean {
  const waiting = [value];
  for (let at = 0; at < waiting.length; at++) {
    const each = waiting[at];
    if (typeof each !== "object" || each === null) continue;
    const parts: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
    if (waiting.length + parts.length > SMALL) return true;
    waiting.push(...parts);
  }
  return false;
}
