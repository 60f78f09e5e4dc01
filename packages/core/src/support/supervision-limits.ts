/** Time limits of the supervisor in one place, because pages print these numbers, too. */

/** Milliseconds between two health checks of the servers and of the machine's networks. */
export const HEALTH_INTERVAL_MS = 15_000;
/** Missed pings in a row after which a server is unhealthy: one may hit a pause of its garbage collector. */
export const UNHEALTHY_AFTER_PINGS = 3;
/** Waits between restarts of a server that exits. */
export const RESTART_BACKOFF = { firstMs: 250, maxMs: 30_000 };
/** Failed restarts in a row; then the workload is in error until a user restarts it. */
export const MAX_RESTARTS = 6;
/** Milliseconds for the proofs of one image, everything that is fetched included. */
export const IMAGE_PROOF_TIMEOUT_MS = 15_000;
/** Milliseconds that a call waits for a server that sleeps. */
export const WAKE_TIMEOUT_MS = 60_000;
/** Milliseconds a starting server has to answer its first ping before it counts as unhealthy. */
export const READY_TIMEOUT_MS = 120_000;
