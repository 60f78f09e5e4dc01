/**
 * What the endpoint reports, in the shape of a structured logger (pino's argument order).
 */
type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface ProxyLog {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
}

const ignore: Write = () => undefined;

/** Used when the caller passes no logger. */
export const SILENT_LOG: ProxyLog = { debug: ignore, info: ignore, warn: ignore };
