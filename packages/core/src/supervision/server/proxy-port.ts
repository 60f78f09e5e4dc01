/** Chooses the port of a proxy when the request names none. */
import { randomInt } from "node:crypto";
import { isOpenToBrowsers } from "@toolhive/http";

/** First and last port that is chosen (api-behaviour 4.5). */
const FIRST_PORT = 10_000;
const LAST_PORT = 65_534;

/**
 * @param taken Ports of other workloads, also of those that do not listen now.
 * @param pick Returns a whole number from the first up to but without the second.
 */
export function choosePort(
  taken: ReadonlySet<number>,
  pick: (first: number, end: number) => number = randomInt,
): number {
  const picked = pick(FIRST_PORT, LAST_PORT + 1);
  const count = LAST_PORT - FIRST_PORT + 1;
  for (let step = 0; step < count; step += 1) {
    const port = FIRST_PORT + ((picked - FIRST_PORT + step) % count);
    if (!taken.has(port) && isOpenToBrowsers(port)) return port;
  }
  return picked;
}
