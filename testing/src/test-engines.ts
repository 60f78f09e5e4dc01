/** The engines of this test run, inside a test file. */
import { inject } from "vitest";
import { type TestEngine, toTestEngine } from "./engines/start-engines.ts";
import "./global-setup.ts";

/** For `describe.each(getTestEngines())("on $kind", (engine) => …)`: a Docker and a Podman where both can be had. */
export function getTestEngines(): TestEngine[] {
  return inject("engines").map(toTestEngine);
}

/**
 * Those that pull from an image registry on this machine's loopback address over plain http: every Docker, and the private
 * Podman, which is told to.
 */
export function listEnginesForLocalImages(): TestEngine[] {
  return getTestEngines().filter(({ kind, origin }) => kind === "docker" || origin.startsWith("private"));
}
