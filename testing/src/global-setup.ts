/** vitest's global set-up of the e2e project: real engines before the first test, none after the last. */
import type { TestProject } from "vitest/node";
import type { EngineDescription } from "./engines/engine-daemon.ts";
import { startEngines } from "./engines/start-engines.ts";

declare module "vitest" {
  export interface ProvidedContext {
    engines: readonly EngineDescription[];
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const started = await startEngines();
  const descriptions = started.engines.map(({ cli: _method, ...description }): EngineDescription => description);
  project.provide("engines", descriptions);
  return () => started.close();
}
