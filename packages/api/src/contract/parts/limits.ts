/** Bounds of the API that its documentation names, without anything to load. */

/** Spec §9: newest lines of a server's output that the logs operation answers when nobody says how many. */
export const MAX_LOG_LINES = 100;
/** Bytes of a request body; larger ones are refused with 413. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Streams of events at a time. */
export const MAX_EVENT_STREAMS = 64;
/** Logs that are followed at a time, besides those of `getWorkloadLogs`. */
export const MAX_LOG_STREAMS = 64;
