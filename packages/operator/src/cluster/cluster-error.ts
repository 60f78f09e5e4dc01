/** What went wrong at the API server, or on the way to it. */
export class ClusterError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The API server's word for it, for example `AlreadyExists`. */
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    status: number,
    cause?: unknown,
    { reason, retryAfterSeconds }: { reason?: string | undefined; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, { cause });
    this.name = "ClusterError";
    this.status = status;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The server asks clients to wait for a while. */
  get isBusy(): boolean {
    return this.status === 429 || this.status === 503;
  }

  /** @param status A `Status` object of the API. */
  static fromStatus(
    status: { readonly message?: string; readonly reason?: string } | undefined,
    code: number,
    retryAfterSeconds?: number,
  ): ClusterError {
    const reason = status?.reason;
    return new ClusterError(status?.message ?? `The API server answered ${code}.`, code, undefined, {
      reason,
      retryAfterSeconds,
    });
  }

  static fromAnswer(bytes: Buffer, code: number, retryAfter: string | undefined): ClusterError {
    const seconds = Number(retryAfter);
    // Longer than a minute is a mistake of something on the way.
    const retryAfterSeconds = Number.isFinite(seconds) ? Math.min(seconds, 60) : undefined;
    try {
      return ClusterError.fromStatus(JSON.parse(bytes.toString("utf8")), code, retryAfterSeconds);
    } catch {
      return ClusterError.fromStatus(undefined, code, retryAfterSeconds);
    }
  }
}
