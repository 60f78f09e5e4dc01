export { BareDebian, findBareDebianObstacle } from "./bare-debian/bare-debian.ts";
export { THV_IMAGE } from "./cluster/cluster-images.ts";
export { findHelm, findHelmObstacle } from "./cluster/helm.ts";
export { type StartedCluster, startCluster } from "./cluster/start-cluster.ts";
export { describeCluster, TestCluster, type TestNamespace } from "./cluster/test-cluster.ts";
export { type CommandOptions, type CommandResult, runCommand } from "./command.ts";
export { type ProbeRows, probeEgress } from "./egress-probe.ts";
export type { OrdinaryUser } from "./engines/engine-daemon.ts";
export { wrapInNetwork } from "./engines/private-network.ts";
export { listProcessIds } from "./engines/processes.ts";
export { type StoppedEngine, setLiveRestore, stopEngine } from "./engines/restart-engine.ts";
export { type StartEnginesOptions, startEngines, type TestEngine, type TestEngines } from "./engines/start-engines.ts";
export { readStoredImage } from "./images/stored-image.ts";
export { installBrowser } from "./install-browser.ts";
export { countLeftovers, type Leftovers } from "./leftovers.ts";
export { type EnginePair, listEnginePairs, listPairsAmong, type OpenPair } from "./matrix/engine-pairs.ts";
export { type OpenSearchNode, OpenSearchNodes } from "./opensearch/opensearch-nodes.ts";
export { findOpenSearchObstacle, prepareOpenSearch } from "./opensearch/prepare-opensearch.ts";
export {
  type Conversation,
  findStdioCommand,
  type Peer,
  PeerClient,
  PeerServers,
  type PeerTarget,
} from "./peers/peer-program.ts";
export { findPeerObstacle, type PeerLanguage, readPeerVersion } from "./peers/prepare-peers.ts";
export { findPackageObstacle, keepPackages, loadPackages, PACKAGE_ENV } from "./published/package-store.ts";
export { PINNED_SERVERS, type PinnedServer } from "./published/pinned-servers.ts";
export { RealImageRegistry } from "./real-image-registry.ts";
export { findRepositoryRoot } from "./repository.ts";
export { dropProgress, type RunThvOptions, runThv } from "./run-thv.ts";
export { expectServedApp } from "./served-app.ts";
export { StallingRegistry } from "./stalling-registry.ts";
export {
  BOUNDING_ENGINES,
  describeEngines,
  ENGINES_BESIDE_MACHINE,
  ENGINES_FOR_LOCAL_IMAGES,
  type EngineChoice,
  getTestEngines,
  OWN_ENGINES,
} from "./test-engines.ts";
export { THV_BUNDLE, ThrowawayHome } from "./throwaway-home.ts";
export { type WaitOptions, waitFor } from "./wait-for.ts";
export { findWindowsObstacle } from "./windows/prepare-windows.ts";
export { nameForWindows, WindowsMachine, type WindowsProgram } from "./windows/windows-machine.ts";
