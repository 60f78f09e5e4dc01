/** The vitest projects with real engines or a cluster; what is in each, testing/src/lanes.ts says. */
export const ENGINE_LANES = /** @type {const} */ ([
  "docker",
  "docker-long",
  "podman",
  "podman-long",
  "mixed",
  "cluster",
  "peers",
  "published",
]);

/** What `npm test` begins with, each on a track of its own: the longest. */
export const FIRST_LANES = /** @type {const} */ (["mixed", "cluster", "docker"]);
/** What a track takes that has ended its own, the longest first. */
export const SHARED_LANES = /** @type {const} */ (["docker-long", "podman-long", "peers", "podman", "published"]);
