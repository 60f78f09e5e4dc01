/** A logger for callers that want none. */
import type { Logger } from "@toolhive/core";

const ignore: Logger["info"] = () => undefined;

export const SILENT_LOG: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
