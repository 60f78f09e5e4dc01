/** Notifies clients once of each kind of change, however many changes there were at the same time. */
import { createNotification } from "../messages/json-rpc.ts";

export class ChangeAnnouncer {
  /** Notifications that clients have not had yet. */
  readonly #methods = new Set<string>();
  readonly #send: (messages: readonly Buffer[]) => void;

  constructor(send: (messages: readonly Buffer[]) => void) {
    this.#send = send;
  }

  /** The notifications are sent after what runs now. */
  add(methods: readonly string[]): void {
    const isPending = this.#methods.size > 0;
    for (const method of methods) this.#methods.add(method);
    if (!isPending && this.#methods.size > 0) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const messages = [...this.#methods].map((method) => createNotification(method));
    this.#methods.clear();
    this.#send(messages);
  }
}
