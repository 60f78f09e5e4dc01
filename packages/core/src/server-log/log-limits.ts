/** Bounds of a server's log that the documentation names, without anything to load. */

/** Bytes of one of its two files. */
export const MAX_LOG_FILE_BYTES = 5 * 1024 * 1024;
/** Bytes that are kept, and no more. */
export const MAX_LOG_BYTES = 2 * MAX_LOG_FILE_BYTES;
/** Bytes that are kept of the output of a start that failed. */
export const MAX_FAILED_OUTPUT_BYTES = 512 * 1024;
/** Failed starts whose output is kept at a time. */
export const MAX_FAILED_OUTPUTS = 20;
/** Days that it is kept. */
export const FAILED_OUTPUT_DAYS = 7;
/** Bytes a second that are written over a long time. */
export const LOG_BYTES_PER_SECOND = 1024 * 1024;
