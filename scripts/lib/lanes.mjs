/** The vitest projects with real engines or a cluster; what is in each, testing/src/lanes.ts says. */
export const ENGINE_LANES = /** @type {const} */ ([
  "docker",
  "docker-long",
  "podman",
  "podman-long",
  "mixed",
  "cluster",
  "peers",
]);
