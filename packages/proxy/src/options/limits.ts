/**
 * Every bound of the endpoint: its unit, and the reason for its number. Nothing in this package grows beyond these.
 */

export interface Limits {
  /** Bytes of one HTTP request body. Four times the MCP SDK's own limit: sampling answers carry images. Above it: 413. */
  readonly maxBodyBytes: number;
  /** Bytes of one line from the server. Large enough for a base64 file of 48 MB; a longer line fails its request. */
  readonly maxLineBytes: number;
  /** Bytes being received or waiting in the server's stdin before further bodies stay in the clients' sockets. */
  readonly maxBodyBudgetBytes: number;
  /** Bytes waiting in the server's stdin before new messages are refused: the server has stopped reading. */
  readonly maxStdinBytes: number;
  /** Live sessions. When full, the least recently used session ends; if all are in use, 503. */
  readonly maxSessions: number;
  /**
   * Live sessions of one caller, where the endpoint distinguishes callers. A caller that has them all loses its own least
   * recently used session; if all are in use, it receives 503.
   */
  readonly maxCallerSessions: number;
  /** Requests in flight or waiting, per session: one client cannot take the whole table. */
  readonly maxSessionRequests: number;
  /** Requests in flight or waiting, all sessions together. */
  readonly maxRequests: number;
  /** Messages in one batch (revision 2025-03-26 only). */
  readonly maxBatch: number;
  /** Values in one message; objects, lists and names count as four. Parsed, these take about 32 MiB. Above it: 400. */
  readonly maxMessageValues: number;
  /** TCP connections; each costs a file descriptor. Further ones are closed at once. */
  readonly maxConnections: number;
  /** Streams opened with GET, all sessions together: one for each session. */
  readonly maxStreams: number;
  /** Events kept for one stream: written ones for resumption, unwritten ones for a slow reader. */
  readonly maxStreamEvents: number;
  /** Bytes kept for one stream. The newest event is always kept, whatever its size. */
  readonly maxStreamBytes: number;
  /** Resumable streams kept for one session; the oldest finished one goes first. */
  readonly maxSessionStreams: number;
  /** Resource subscriptions of one session. */
  readonly maxSessionSubscriptions: number;
  /** Requests of the server to clients that wait for an answer. */
  readonly maxServerRequests: number;
  /** Milliseconds without a request or an open stream after which a session is forgotten. */
  readonly sessionIdleMs: number;
  /** Milliseconds a request waits for a server to be connected: longer than a restart, shorter than a client's 60 s. */
  readonly queueWaitMs: number;
  /** Milliseconds a server may take to answer `initialize`: package servers download on their first start. */
  readonly initializeMs: number;
  /** Milliseconds a process may take to answer `initialize` once more, before it counts as one that takes it only once. */
  readonly secondInitializeMs: number;
  /** Milliseconds a request may be in flight. A ceiling against leaks, not a policy: clients have shorter ones. */
  readonly requestMs: number;
  /** Milliseconds a request of the server waits for the client's answer; a person may be filling in a form. */
  readonly serverRequestMs: number;
  /**
   * Milliseconds that a server is assumed to continue a call that was cancelled or timed out. Where callers are distinguished, no
   * other caller gets a request of the server meanwhile: it could belong to that call.
   */
  readonly abandonedWorkMs: number;
  /** Milliseconds without a reply after which the HTTP response becomes an event stream, so that nothing on the way gives up. */
  readonly streamAfterMs: number;
  /** Milliseconds between comments on an idle stream; they find clients that vanished. Reference behaviour 6.3: 30 s. */
  readonly keepAliveMs: number;
  /** Milliseconds that a client may leave queued data unread before it is dropped. */
  readonly slowReaderMs: number;
  /** Milliseconds a finished stream can still be resumed. */
  readonly resumeMs: number;
  /** Milliseconds between two sweeps; every deadline above is exact to one sweep. */
  readonly sweepMs: number;
  /** Milliseconds a connection without a request is kept for the next one; clients' pools keep theirs for less. */
  readonly idleConnectionMs: number;
  /** Milliseconds to receive the header of a request. Reference behaviour 6.1: 10 s. */
  readonly headersMs: number;
  /** Milliseconds to receive a whole request. */
  readonly receiveMs: number;
  /** Milliseconds for a connection to a server that speaks HTTP: it is on this machine, or a few hops away. */
  readonly connectMs: number;
  /** Milliseconds for the health probe's round trip. */
  readonly probeMs: number;
  /** Milliseconds between two probes of a server that speaks HTTP. Reference behaviour 6.5: 10 s. */
  readonly watchMs: number;
  /** Milliseconds a new HTTP server may need before a failed probe counts. */
  readonly watchGraceMs: number;
  /** Failed probes in a row after which a server is unhealthy: one may hit a pause of its garbage collector. */
  readonly watchFailures: number;
  /** Milliseconds a measured latency answers further health requests, so that watching does not load the server. */
  readonly healthCacheMs: number;
}

const MiB = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const DEFAULT_BOUNDS: Limits = {
  maxBodyBytes: 16 * MiB,
  maxLineBytes: 64 * MiB,
  maxBodyBudgetBytes: 16 * MiB,
  maxStdinBytes: 64 * MiB,
  maxSessions: 1000,
  maxCallerSessions: 100,
  maxSessionRequests: 256,
  maxRequests: 4096,
  maxBatch: 100,
  maxMessageValues: 1_000_000,
  maxConnections: 4096,
  maxStreams: 1000,
  maxStreamEvents: 256,
  maxStreamBytes: 4 * MiB,
  maxSessionStreams: 32,
  maxSessionSubscriptions: 1000,
  maxServerRequests: 256,
  sessionIdleMs: 30 * MINUTE,
  queueWaitMs: 30 * SECOND,
  initializeMs: 2 * MINUTE,
  secondInitializeMs: 10 * SECOND,
  requestMs: 60 * MINUTE,
  serverRequestMs: 10 * MINUTE,
  abandonedWorkMs: 10 * MINUTE,
  streamAfterMs: 5 * SECOND,
  keepAliveMs: 30 * SECOND,
  slowReaderMs: 30 * SECOND,
  resumeMs: 2 * MINUTE,
  sweepMs: SECOND,
  idleConnectionMs: MINUTE,
  headersMs: 10 * SECOND,
  receiveMs: MINUTE,
  connectMs: 5 * SECOND,
  probeMs: 5 * SECOND,
  watchMs: 10 * SECOND,
  watchGraceMs: MINUTE,
  watchFailures: 3,
  healthCacheMs: SECOND,
};
