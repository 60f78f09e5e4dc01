/** A request of the caller's own that waits for its one answer, on whichever stream that arrives. */
import type { OutgoingHttpHeaders } from "node:http";

export interface OwnRequest {
  /** Pieces of one request of JSON-RPC. */
  readonly body: readonly Buffer[];
  /** The request is `initialize`: its answer may open a session. */
  readonly isInitialize?: boolean;
  /** Headers of a message without a session, in place of the session's. */
  readonly headers?: OutgoingHttpHeaders | undefined;
  /** Whether a message of the server answers it. */
  readonly isAnswer: (text: Buffer) => boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

export class PendingAnswer {
  readonly answer: Promise<Buffer>;
  readonly #isAnswer: (text: Buffer) => boolean;
  #resolve: (text: Buffer) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #isOver = false;

  constructor({ isAnswer, signal }: OwnRequest) {
    this.#isAnswer = isAnswer;
    this.answer = new Promise<Buffer>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (signal === undefined) return;
    const stop = () => this.fail(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const forget = () => signal.removeEventListener("abort", stop);
    this.answer.then(forget, forget);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** @returns Whether the message is the answer that was waited for. */
  take(text: Buffer): boolean {
    if (this.#isOver || !this.#isAnswer(text)) return false;
    this.#isOver = true;
    this.#resolve(text);
    return true;
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#reject(error);
  }
}
