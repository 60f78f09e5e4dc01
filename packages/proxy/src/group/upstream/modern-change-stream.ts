/** The stream on which a server of revision 2026-07-28 says what changes: `subscriptions/listen`, asked for again when it ends. */
import { type ClientSession, type Post, RefusedMessage } from "@toolhive/mcp-client";
import { readEnvelope } from "../../messages/json-rpc.ts";
import { removeSubscription } from "../../messages/modern/adapt-messages.ts";
import { MODERN_REVISION } from "../../messages/protocol-revisions.ts";

const METHOD = "subscriptions/listen";
const HEADERS = { "mcp-protocol-version": MODERN_REVISION, "mcp-method": METHOD };
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
/** Milliseconds between a stream that has ended and the next one. */
const PAUSE_MS = 10_000;

interface ChangeStreamOptions {
  readonly session: ClientSession;
  /** Members of `_meta`. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** Whether changes of lists are of interest. */
  readonly followsLists: boolean;
  readonly onChange: (text: Buffer) => void;
}

export class ChangeStream {
  readonly #options: ChangeStreamOptions;
  readonly #uris = new Set<string>();
  #post: Post | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ChangeStreamOptions) {
    this.#options = options;
    this.#open();
  }

  /** Follows a resource, too, or no longer. */
  follow(uri: string, isWanted: boolean): void {
    if (isWanted) this.#uris.add(uri);
    else this.#uris.delete(uri);
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#post?.cancel();
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#post?.cancel();
    this.#post = undefined;
    const { session, envelope, followsLists, onChange } = this.#options;
    if (this.#isClosed || (!followsLists && this.#uris.size === 0)) return;
    const notifications = {
      ...(followsLists && { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    const params = { notifications, _meta: envelope };
    let isAnswered = false;
    const post = session.post({
      body: [Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: METHOD, params }))],
      headers: HEADERS,
      isAnswered: () => isAnswered,
      onMessage: (text) => {
        const message = readEnvelope(text);
        isAnswered ||= message?.kind === "response";
        if (message?.kind === "notification" && message.method !== ACKNOWLEDGED) onChange(removeSubscription(text));
      },
    });
    this.#post = post;
    const reopen = (error?: unknown): void => {
      // A server that has no such stream says so, and is not asked again.
      const isRefused = error instanceof RefusedMessage && error.status < 500;
      if (this.#post !== post || this.#isClosed || isRefused) return;
      this.#timer = setTimeout(() => this.#open(), PAUSE_MS);
      this.#timer.unref();
    };
    post.done.then(() => (isAnswered ? undefined : reopen()), reopen);
  }
}
