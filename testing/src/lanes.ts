/**
 * The lanes of the end-to-end tests: vitest projects that run side by side, each with engines, a network and a folder of its own,
 * so that none waits for what another one does. A lane has one worker, because the tests of a file count what is in their engine.
 */

/** Engines that a lane may have. */
export type EngineKind = "docker" | "podman";

export interface Lane {
  readonly name: "docker" | "docker-long" | "podman" | "podman-long" | "mixed" | "cluster" | "peers" | "published";
  /** A lane starts only those that a file of the run uses. */
  readonly engines: readonly EngineKind[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const ALL = "{packages,website,testing,scripts}/**/*.e2e.test.ts";

/** They run with each engine: all their suites are of `describeEngines` or `listEnginePairs`, for each engine by itself. */
export const FILES_PER_ENGINE = [
  "packages/app/e2e/servers.e2e.test.ts",
  "packages/cli/e2e/chaos.e2e.test.ts",
  "packages/cli/e2e/egress.e2e.test.ts",
  "packages/cli/e2e/engine-contract.e2e.test.ts",
  "packages/cli/e2e/engine-restart.e2e.test.ts",
  "packages/cli/e2e/file-owners.e2e.test.ts",
  "packages/cli/e2e/from-a-container.e2e.test.ts",
  "packages/cli/e2e/ignored-variables.e2e.test.ts",
  "packages/cli/e2e/image-verification.e2e.test.ts",
  "packages/cli/e2e/mcp-list.e2e.test.ts",
  "packages/cli/e2e/recovery.e2e.test.ts",
  "packages/cli/e2e/registry.e2e.test.ts",
  "packages/cli/e2e/removal.e2e.test.ts",
  "packages/cli/e2e/secret-leaks.e2e.test.ts",
  "packages/cli/e2e/server-logs.e2e.test.ts",
  "packages/cli/e2e/sidecar-image.e2e.test.ts",
  "packages/cli/e2e/sleep.e2e.test.ts",
  "packages/cli/e2e/takeover.e2e.test.ts",
  "packages/cli/e2e/upgrade.e2e.test.ts",
  "packages/cli/e2e/workload-edit.e2e.test.ts",
  "packages/cli/e2e/workloads.e2e.test.ts",
  "packages/engine/src/docker-engine.e2e.test.ts",
  "testing/src/docs/pages.e2e.test.ts",
  "testing/src/engines.e2e.test.ts",
] as const;

/** They take as long as all others together, so they have a lane of their own with either engine. */
export const LONG_FILES: readonly string[] = [
  "packages/cli/e2e/egress.e2e.test.ts",
  "packages/cli/e2e/engine-contract.e2e.test.ts",
  "testing/src/docs/pages.e2e.test.ts",
];

/** Their suites use Docker alone. */
export const FILES_OF_DOCKER = [
  "packages/app/e2e/other-users.e2e.test.ts",
  "packages/app/e2e/sharing.e2e.test.ts",
  "packages/cli/e2e/journeys.e2e.test.ts",
  "packages/cli/e2e/pull.e2e.test.ts",
  "packages/cli/e2e/shared-projects.e2e.test.ts",
  "packages/cli/e2e/terminal-safety.e2e.test.ts",
] as const;

/** Their suites use Podman alone. */
export const FILES_OF_PODMAN = [
  "packages/cli/e2e/full-image-store.e2e.test.ts",
  "packages/cli/e2e/podman-events.e2e.test.ts",
  "packages/cli/e2e/podman-service.e2e.test.ts",
] as const;

const FILES_OF_CLUSTER = [
  "packages/operator/**/*.e2e.test.ts",
  "packages/cli/e2e/kubernetes.e2e.test.ts",
  "testing/src/cluster/*.e2e.test.ts",
  "testing/src/docs/cluster-pages.e2e.test.ts",
] as const;

/** They compute for minutes: other people's SDKs, of each language. */
const FILES_OF_PEERS = ["packages/cli/e2e/peers/peers.e2e.test.ts"] as const;

/** Other people's servers, each built into an image. */
const FILES_OF_PUBLISHED = ["packages/cli/e2e/peers/packages.e2e.test.ts"] as const;

const NO_TESTS = ["**/node_modules/**", "website/e2e/**"];

export const LANES: readonly Lane[] = [
  {
    name: "docker",
    engines: ["docker"],
    include: [...FILES_PER_ENGINE.filter((file) => !LONG_FILES.includes(file)), ...FILES_OF_DOCKER],
    exclude: NO_TESTS,
  },
  { name: "docker-long", engines: ["docker"], include: LONG_FILES, exclude: NO_TESTS },
  {
    name: "podman",
    engines: ["podman"],
    include: [...FILES_PER_ENGINE.filter((file) => !LONG_FILES.includes(file)), ...FILES_OF_PODMAN],
    exclude: NO_TESTS,
  },
  { name: "podman-long", engines: ["podman"], include: LONG_FILES, exclude: NO_TESTS },
  // Whatever is in no other lane: files that need both engines at once, either of them, or none.
  {
    name: "mixed",
    engines: ["docker", "podman"],
    include: [ALL],
    exclude: [
      ...[NO_TESTS, FILES_PER_ENGINE, FILES_OF_DOCKER, FILES_OF_PODMAN].flat(),
      ...[FILES_OF_CLUSTER, FILES_OF_PEERS, FILES_OF_PUBLISHED].flat(),
    ],
  },
  { name: "cluster", engines: [], include: FILES_OF_CLUSTER, exclude: NO_TESTS },
  { name: "peers", engines: ["docker"], include: FILES_OF_PEERS, exclude: NO_TESTS },
  { name: "published", engines: ["docker"], include: FILES_OF_PUBLISHED, exclude: NO_TESTS },
];

/** @throws {Error} When the project is no lane. */
export function findLane(project: string): Lane {
  const lane = LANES.find(({ name }) => name === project);
  if (lane === undefined)
    throw new Error(`"${project}" is none of the lanes ${LANES.map(({ name }) => name).join(", ")}.`);
  return lane;
}
