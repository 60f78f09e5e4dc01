/** What other packages' tests need of the domain: an engine in memory, and the contract that every engine keeps. */

export type { PinSettings } from "../access/tool-selection.ts";
export { createTextEntry, writeTar } from "../images/tar.ts";
export { startHttpsServer, TEST_CA, type TestHttpsServer } from "../registry/testing/https-server.ts";
export { NoSignIn } from "../remote/no-sign-in.ts";
export { ToolPins } from "../tool-pins/tool-pins.ts";
export { describeEngineContract, type EngineUnderTest } from "./engine-contract.ts";
export { FakeEndpoint, FakeNetwork } from "./fake-endpoint.ts";
export { FakeEngine, type FakeEngineOptions, type Interference } from "./fake-engine.ts";
export { answeringServer, exitingServer, type FakeServer, silentServer } from "./fake-server.ts";
export { FakeTime, settle } from "./fake-time.ts";
export {
  type Comparison,
  compareCosts,
  compareGrowth,
  type GrowingRatios,
  type GrowingWork,
  type Ratios,
  type Work,
} from "./measure-cost.ts";
export { MemoryPinStore, type MemoryPins } from "./memory-pin-store.ts";
export { storeAsOlderVersion } from "./older-secrets.ts";
export { PropertyBudget } from "./property-budget.ts";
export { type StoredImage, TestImageRegistry } from "./test-image-registry.ts";
export { AUDIENCE, TestIssuer, type TokenChoices } from "./test-issuer.ts";
export { TestPushRegistry } from "./test-push-registry.ts";
export { INSTANCE_ID, World } from "./world.ts";
export {
  nestTo,
  numberedTo,
  plainText,
  repeatTo,
  WORST_JSON,
  WORST_TOML,
  WORST_YAML,
  type WorstText,
} from "./worst-texts.ts";
