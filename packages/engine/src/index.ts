export { discoverEngine } from "./discover-engine.ts";
export { DockerEngine } from "./docker-engine.ts";
export { type EngineAddress, listEngineCandidates, parseDockerHost } from "./engine-address.ts";
