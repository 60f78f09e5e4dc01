/** A request that is answered with the hosted provider's error body, `{"message": …, "status": …}`. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly status: number;
  /** Headers beside the body, such as `Allow` or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
