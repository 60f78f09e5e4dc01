/** A session at a server's own endpoint over HTTP with SSE: everything comes on one stream, messages are posted. */
import { type ClientRequest, request } from "node:http";
import { messageOf } from "@toolhive/core/errors";
import { readEnvelope } from "../../messages/json-rpc.ts";
import type { GroupLimits } from "../../options/group-limits.ts";
import { isStream, readEvents } from "./http-upstream.ts";
import { readInitializeResult } from "./initialize-answer.ts";
import {
  createInitializeRequest,
  INITIALIZED_MESSAGE,
  type OpenUpstreamOptions,
  type Upstream,
  type UpstreamHandler,
} from "./upstream.ts";

const OPEN_BRACE = 0x7b;

export class SseUpstream implements Upstream {
  readonly isAttributed = false;
  readonly #handler: UpstreamHandler;
  readonly #limits: GroupLimits;
  readonly #stream: ClientRequest;
  #address: URL | undefined;
  #result: Buffer | undefined;
  #isOpen = true;
  /** Takes the address for posts, then the answer to `initialize`; afterwards nothing. */
  #onOpening:
    | { address: (url: string) => void; answer: (text: Buffer) => void; fail: (error: Error) => void }
    | undefined;

  private constructor({ url, handler, limits }: OpenUpstreamOptions) {
    this.#handler = handler;
    this.#limits = limits;
    this.#stream = request({
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      path: url.pathname,
      headers: { accept: "text/event-stream" },
      agent: false,
    });
  }

  /** @throws When the server does not accept the session. */
  static async open(options: OpenUpstreamOptions): Promise<SseUpstream> {
    const upstream = new SseUpstream(options);
    try {
      await upstream.#initialize(options);
    } catch (error) {
      upstream.close();
      throw error;
    }
    return upstream;
  }

  get result(): Buffer {
    return this.#result ?? Buffer.from("{}");
  }

  send(message: readonly Buffer[], id: number | undefined): void {
    const address = this.#address;
    const fail = (reason: string) => {
      if (id !== undefined) this.#handler.onFailed(id, { reason });
    };
    if (address === undefined) {
      fail("its stream has ended");
      return;
    }
    const body = Buffer.concat(message);
    const post = request({
      host: address.hostname.replace(/^\[|\]$/g, ""),
      port: address.port,
      path: address.pathname + address.search,
      method: "POST",
      headers: { "content-type": "application/json", "content-length": body.length },
    });
    post.on("response", (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      if (statusCode >= 300) fail(`status ${statusCode}`);
    });
    post.on("error", (error) => fail(messageOf(error)));
    post.end(body);
  }

  forget(): void {
    // An answer that nobody waits for is dropped when it comes.
  }

  touch(): void {
    // Its stream is the session.
  }

  close(): void {
    this.#isOpen = false;
    this.#address = undefined;
    this.#stream.destroy();
  }

  async #initialize({ url, initialize, signal }: OpenUpstreamOptions): Promise<void> {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      this.#onOpening = {
        address: (given) => {
          this.#address = new URL(given, url);
          // It names a place of the same server, whatever name the server knows for itself.
          this.#address.host = url.host;
          this.send([createInitializeRequest(initialize)], undefined);
        },
        answer: resolve,
        fail: reject,
      };
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      this.#stream.on("error", (error) => this.#end(messageOf(error)));
      this.#stream.on("response", (response) => {
        if (!isStream(response)) {
          response.resume();
          reject(new Error(`status ${response.statusCode}`));
          return;
        }
        const onEnd = () => this.#end("its stream has ended");
        readEvents(response, this.#limits.maxLineBytes, (text) => this.#receive(text), onEnd);
      });
      this.#stream.end();
    });
    this.#onOpening = undefined;
    this.#result = readInitializeResult(answer);
    this.send([INITIALIZED_MESSAGE], undefined);
  }

  #receive(text: Buffer): void {
    const opening = this.#onOpening;
    if (text[0] !== OPEN_BRACE) {
      // The first event; a later one would lead elsewhere.
      if (this.#address === undefined) opening?.address(text.toString("utf8"));
      return;
    }
    if (opening === undefined) this.#handler.onMessage(text, undefined);
    else if (readEnvelope(text)?.kind === "response") opening.answer(text);
  }

  #end(reason: string): void {
    this.#onOpening?.fail(new Error(reason));
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#address = undefined;
    if (this.#result !== undefined) this.#handler.onEnd(reason);
  }
}
