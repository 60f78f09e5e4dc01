/** The part of a structured logger that the service uses; pino's loggers fit. */
export interface SearchLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export const SILENT_LOG: SearchLog = { info: () => {}, warn: () => {}, error: () => {} };
