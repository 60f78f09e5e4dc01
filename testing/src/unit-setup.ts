/** vitest's global set-up of the unit project: no port of this machine leads into a container that a killed run had. */
import { removeDeadRules } from "./engines/engine-run.ts";

export default async function setUp(): Promise<void> {
  await removeDeadRules();
}
