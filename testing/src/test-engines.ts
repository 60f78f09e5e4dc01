/** The engines of this test run, inside a test file. */
import { inject } from "vitest";
import { type TestEngine, toTestEngine } from "./engines/start-engines.ts";
import "./global-setup.ts";

/** For `describe.each(testEngines())("on $kind", (engine) => …)`: a Docker and a Podman where both can be had. */
export function testEngines(): TestEngine[] {
  return inject("engines").map(toTestEngine);
}

/**
 * Those that pull from an image registry on this machine's loopback address over plain http: every Docker, and the private
 * Podman, which is told to.
 */
export function enginesForLocalImages(): TestEngine[] {
  return testEngines().filter(({ kind, origin }) => kind === "docker" || origin.startsWith("private"));
}
