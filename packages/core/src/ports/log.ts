/** Structured logging as a port: fields first, then a lower-case message without punctuation. */
type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Logger {
  /** A person must act. */
  readonly error: LogMethod;
  /** Degraded and continuing. */
  readonly warn: LogMethod;
  /** A life-cycle fact. */
  readonly info: LogMethod;
  readonly debug: LogMethod;
}
