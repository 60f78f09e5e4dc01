/** The members of a body that have the right form, so that what they say can be checked too. */
import type { TSchema } from "typebox";
import { checkValue } from "./check-value.ts";

/** Each by itself: a list of errors is bounded, and what it leaves out would count as sound. */
export function findSoundMembers(schema: TSchema, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties } = schema as unknown as { properties: Readonly<Record<string, TSchema>> };
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => {
      const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return member !== undefined && checkValue(member, value);
    }),
  );
}
