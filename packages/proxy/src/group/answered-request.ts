/** A request of a client of a group, as the server that it went to has answered it. */
export interface AnsweredRequest {
  /** Name of the server. */
  readonly server: string;
  readonly method: string;
  /** What the client calls itself; absent where it does not say. */
  readonly client: string | undefined;
  readonly answer: Buffer;
  /** Whether the answer has a result, and no error. */
  readonly hasResult: boolean;
  readonly ms: number;
}
