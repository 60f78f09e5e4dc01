/**
 * The lanes of the end-to-end tests: vitest projects, each with engines, a network and a folder of its own, so that none waits for what
 * another one does. A lane has one worker, because the tests of a file count what is in their engine.
 */

/** Engines that a lane may have. */
export type EngineKind = "docker" | "podman";

export interface Lane {
  readonly name: "e2e" | "cluster";
  /** A lane starts only those that a file of the run uses. */
  readonly engines: readonly EngineKind[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

const FILES_OF_CLUSTER = [
  "packages/operator/**/*.e2e.test.ts",
  "packages/cli/e2e/kubernetes.e2e.test.ts",
  "testing/src/cluster/*.e2e.test.ts",
  "testing/src/docs/cluster-pages.e2e.test.ts",
] as const;

const NO_TESTS = ["**/node_modules/**", "website/e2e/**"];

export const LANES: readonly Lane[] = [
  {
    name: "e2e",
    engines: ["docker", "podman"],
    include: ["{packages,website,testing,scripts}/**/*.e2e.test.ts"],
    exclude: [...NO_TESTS, ...FILES_OF_CLUSTER],
  },
  { name: "cluster", engines: [], include: FILES_OF_CLUSTER, exclude: NO_TESTS },
];

/** @throws {Error} When the project is no lane. */
export function findLane(project: string): Lane {
  const lane = LANES.find(({ name }) => name === project);
  if (lane !== undefined) return lane;
  throw new Error(`"${project}" is none of the lanes ${LANES.map(({ name }) => name).join(", ")}.`);
}
