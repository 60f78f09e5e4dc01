/** Opens the endpoint of a workload or a group on a free port, when the request names none. */

import { hasCode } from "../../support/errors.ts";
import { choosePort } from "./proxy-port.ts";

const ATTEMPTS = 20;

/**
 * @param taken Ports of other workloads, whether they listen or not.
 * @throws {ThvError} `PORT_IN_USE` when every choice was in use after all.
 */
export async function openOnFreePort<Endpoint>(
  taken: ReadonlySet<number>,
  open: (port: number) => Promise<Endpoint>,
): Promise<Endpoint> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(choosePort(taken));
    } catch (error) {
      const isTaken = hasCode(error, "PORT_IN_USE");
      if (!isTaken || attempt === ATTEMPTS) throw error;
    }
  }
}
