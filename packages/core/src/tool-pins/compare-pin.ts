/** Compares a server's present definition of a tool with the recorded one. */
import { hasSameWords, isSameButDate, isSameSchema } from "./other-order.ts";
import { isSameWithoutInterface, type KnownPin, type Pin } from "./pin.ts";

/**
 * `same`; `more`: the record is from before its kind was recorded; `date`: it names the day, as before; `order`: the same in
 * another order; `other`: something else.
 */
export type PinComparison = "same" | "more" | "date" | "order" | "other";

/**
 * Where an order means something, as in a sentence, only another process of the same image may use another one, and only in its
 * first definition of the tool.
 *
 * @param image Of the present process; `undefined` where it is unknown.
 */
export function comparePin(known: KnownPin, offered: Pin, image: string | undefined): PinComparison {
  if (known.sha256 === offered.sha256) return "same";
  if (isSameWithoutInterface(offered, known)) return "more";
  const { definition: before, said } = known;
  const { definition: after, sha256 } = offered;
  if (before === undefined || after === undefined) return "other";
  if (isSameButDate(known, { text: offered.text, at: new Date() })) return "date";
  if (isSameSchema(before, after)) return "order";
  const isFirst = said === undefined || said === sha256;
  const isSameImage = image !== undefined && image === known.image;
  return isFirst && isSameImage && hasSameWords(before, after) ? "order" : "other";
}
