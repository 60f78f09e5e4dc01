/** The error for a foreign container that has the name of a workload. */
import { ThvError } from "../../support/errors.ts";

export function createForeignContainerError(name: string): ThvError {
  return new ThvError("CONTAINER_NAME_TAKEN", `A container named "${name}" exists and is not one of yours.`, {
    hint: "Choose another name with --name. The existing container was not changed.",
  });
}
