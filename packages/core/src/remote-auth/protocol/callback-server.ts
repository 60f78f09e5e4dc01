/** Waits on loopback for the browser to return from signing in (RFC 8252, 7.3), and shows the result in it. */

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "@toolhive/http";
import { Deferred } from "../../support/deferred.ts";
import { readSystemCode, ThvError } from "../../support/errors.ts";
import { toOneLine } from "../../support/one-line.ts";
import { startTimeout } from "../../support/timeout-signal.ts";

export interface CallbackAnswer {
  readonly code: string;
  /** RFC 9207: the issuer of the answer. */
  readonly iss: string | undefined;
  /** Whether the browser was sent to the second address before. */
  readonly isSecond: boolean;
}

/** The address to which the browser is redirected when the sign-in page returns one of these errors. */
export interface SecondAddress {
  readonly errors: ReadonlySet<string>;
  readonly address: string;
}

export class CallbackServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #state: string;
  readonly #answer = new Deferred<CallbackAnswer | ThvError>();
  /** Browsers that brought a code and wait for the result of its exchange. */
  readonly #waiting = new Set<ServerResponse>();
  #second: SecondAddress | undefined;
  #isSecond = false;
  /** Absent until that is known. */
  #outcome: { readonly failure: ThvError | undefined } | undefined;

  private constructor(server: Server, state: string) {
    this.#server = server;
    this.#state = state;
    server.on("request", (request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      if (request.method !== "GET" || url.pathname !== "/callback") {
        response.writeHead(404, { Connection: "close" }).end();
        return;
      }
      const second = this.#takeSecond(url.searchParams);
      if (second !== undefined) {
        response.writeHead(302, { Location: second, "Cache-Control": "no-store", Connection: "close" }).end();
        return;
      }
      const answer = this.#read(url.searchParams);
      if (answer instanceof ThvError) void reply(response, answer);
      else if (this.#outcome) void reply(response, this.#outcome.failure);
      else this.#waiting.add(response);
      // A page that guesses must not end the wait for the one that knows.
      if (url.searchParams.get("state") === this.#state) this.#answer.resolve(answer);
    });
  }

  /** @param port 0 for any free one. @throws {ThvError} `PORT_IN_USE`. */
  static async open(port: number, state: string): Promise<CallbackServer> {
    const server = createServer();
    try {
      await listen(server, { port });
    } catch (error) {
      if (readSystemCode(error) !== "EADDRINUSE") throw error;
      throw new ThvError(
        "PORT_IN_USE",
        `Port ${port} is in use, but the browser must be able to return there after the sign-in.`,
        {
          hint: "Free it, or register another redirect address and name its port: --remote-auth-callback-port",
          cause: error,
        },
      );
    }
    return new CallbackServer(server, state);
  }

  /** Sends the browser there once, in place of the end of the sign-in. */
  offerSecond(second: SecondAddress): void {
    this.#second = second;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get redirectUrl(): string {
    return `http://localhost:${this.port}/callback`;
  }

  /** @throws {ThvError} `UNAUTHENTICATED` when the sign-in was refused, or not finished in time. */
  async wait(signal: AbortSignal, timeoutMs: number): Promise<CallbackAnswer> {
    const timeout = startTimeout(timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    either.throwIfAborted();
    const answer = await new Promise<CallbackAnswer | ThvError>((resolve, reject) => {
      void this.#answer.promise.then(resolve);
      either.addEventListener("abort", () => reject(either.reason as Error), { once: true });
    }).catch((error: unknown) => {
      if (!timeout.aborted || signal.aborted) throw error;
      return new ThvError("UNAUTHENTICATED", `Nobody signed in within ${timeoutMs / 1000} s.`, {
        hint: "Take more time: --remote-auth-timeout 5m",
      });
    });
    if (answer instanceof ThvError) throw answer;
    return answer;
  }

  /** Answers the browser. @param failure Why the sign-in failed, although there was a code. */
  async conclude(failure?: ThvError): Promise<void> {
    this.#outcome ??= { failure };
    const { failure: first } = this.#outcome;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    await Promise.all(waiting.map((response) => reply(response, first)));
  }

  /** @returns The second address, when the answer to the first one calls for it. */
  #takeSecond(query: URLSearchParams): string | undefined {
    const second = this.#second;
    if (query.get("state") !== this.#state || !second?.errors.has(query.get("error") ?? "")) return undefined;
    this.#second = undefined;
    this.#isSecond = true;
    return second.address;
  }

  #read(query: URLSearchParams): CallbackAnswer | ThvError {
    if (query.get("state") !== this.#state) {
      return new ThvError("UNAUTHENTICATED", "This answer does not belong to the question that was asked.");
    }
    const error = query.get("error");
    if (error !== null) {
      const description = toOneLine(query.get("error_description") ?? "").slice(0, 300);
      return new ThvError("UNAUTHENTICATED", `Signing in was refused: ${error.slice(0, 100)} ${description}`.trim());
    }
    const code = query.get("code");
    if (code === null || code === "") return new ThvError("UNAUTHENTICATED", "The answer to signing in has no code.");
    return { code, iss: query.get("iss") ?? undefined, isSecond: this.#isSecond };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.conclude(new ThvError("UNAUTHENTICATED", "This sign-in was given up. Nobody is signed in."));
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Resolves when it is sent, or cannot be. */
async function reply(response: ServerResponse, failure: ThvError | undefined): Promise<void> {
  const text = failure?.message ?? "You are signed in. This page can be closed.";
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    Connection: "close",
  };
  if (response.destroyed) return;
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  response.writeHead(failure ? 400 : 200, headers).end(`${text}\n`);
  await closed;
}
