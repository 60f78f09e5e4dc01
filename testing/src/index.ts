export { type CommandOptions, type CommandResult, runCommand } from "./command.ts";
export { type StartEnginesOptions, startEngines, type TestEngine, type TestEngines } from "./engines/start-engines.ts";
export { HeldImage } from "./held-image.ts";
export { countLeftovers, type Leftovers } from "./leftovers.ts";
export { repositoryRoot } from "./repository.ts";
export { type RunThvOptions, runThv } from "./run-thv.ts";
export { testEngines } from "./test-engines.ts";
export { THV_BUNDLE, ThrowawayHome } from "./throwaway-home.ts";
export { type WaitOptions, waitFor } from "./wait-for.ts";
