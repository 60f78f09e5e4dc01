export type { CommandResult } from "./command.ts";
export { type StartEnginesOptions, startEngines, type TestEngine, type TestEngines } from "./engines/start-engines.ts";
export { testEngines } from "./test-engines.ts";
export { type WaitOptions, waitFor } from "./wait-for.ts";
