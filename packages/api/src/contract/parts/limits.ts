/** Bounds of the API that its documentation names, without anything to load. */

/** Spec §9: newest lines of a server's output that the logs operation returns by default. */
export const MAX_LOG_LINES = 100;
/** Bytes of a request body; larger ones are refused with 413. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Streams of events at a time. */
export const MAX_EVENT_STREAMS = 64;
/** Logs that are followed at a time, besides those of `getWorkloadLogs`. */
export const MAX_LOG_STREAMS = 64;
/** Calls of servers' tools, and lists of what they offer, at a time. */
export const MAX_CALLS = 32;
/** Bytes of all messages of a call. */
export const MAX_CALL_BYTES = 8 * 1024 * 1024;
/** Minutes that a call may take. */
export const CALL_MINUTES = 10;
/** Questions of the server that wait for an answer in one call. */
export const MAX_QUESTIONS = 16;
