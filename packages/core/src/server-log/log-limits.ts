/** Bounds of a server's log that the documentation names, without anything to load. */

/** Bytes of one of its two files. */
export const MAX_LOG_FILE_BYTES = 5 * 1024 * 1024;
/** Bytes that are kept, and no more. */
export const MAX_LOG_BYTES = 2 * MAX_LOG_FILE_BYTES;
/** Bytes a second that are written over a long time. */
export const LOG_BYTES_PER_SECOND = 1024 * 1024;
