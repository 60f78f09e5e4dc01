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
/** Milliseconds a remote server has for a handshake and a list. */
export const REMOTE_PROBE_TIMEOUT_MS = 20_000;
/** The same for the first ones, as long as clients wait: a server that was asleep starts then. */
export const FIRST_REMOTE_PROBE_TIMEOUT_MS = 60_000;
/** Milliseconds between two handshakes with a remote server that works, at most; half of it at least. */
export const REMOTE_INTERVAL_MS = 30_000;
/** Waits between handshakes with a remote server that does not work, at most; half of each at least. */
export const REMOTE_BACKOFF = { firstMs: 1_000, maxMs: 60_000 };
/** Milliseconds between two handshakes, however many calls fail. */
export const REMOTE_MIN_PAUSE_MS = 500;
/** Failed handshakes in a row after which a remote server that worked is unhealthy. */
export const UNHEALTHY_AFTER_PROBES = 2;
