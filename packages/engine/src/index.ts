export { type EngineAddress, formatAddress, parseEngineAddress } from "./connection/engine-address.ts";
export { type DiscoveryInput, type EngineCandidate, isUsable, type Place } from "./discovery/candidate.ts";
export { discoverEngine } from "./discovery/discover-engine.ts";
export { listPlaces } from "./discovery/list-places.ts";
export { PODMAN_SERVICE, PodmanService } from "./discovery/podman-service.ts";
export { describeStart, findPodman, findStoppedEngine, type StoppedEngine } from "./discovery/stopped-engine.ts";
export { DockerEngine } from "./docker-engine.ts";
