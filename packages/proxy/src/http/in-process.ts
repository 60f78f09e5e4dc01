/**
 * Requests of the endpoint's own, in the name of a client: they go to what is behind the listener, without a connection of the
 * machine. What the listener checks was checked for the request that they are made for.
 */
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { HttpRefusal, sendRefusal } from "./http-exchange.ts";

/** Answers a request. A refusal may be thrown. */
type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Gives each request a connection in memory. */
export class InProcessAgent extends Agent {
  readonly #server: Server;
  readonly #facts: Pick<Socket, "remoteAddress">;

  /** @param client Socket of the original request: the server behind the endpoint receives its address. */
  constructor(client: Socket, answer: Answer) {
    super({ keepAlive: false });
    this.#facts = { remoteAddress: client.remoteAddress };
    this.#server = createServer((request, response) => {
      answer(request, response).catch((error: unknown) => {
        const failure = new HttpRefusal(500, RPC_ERRORS.INTERNAL, "The endpoint failed.");
        sendRefusal(request, response, error instanceof HttpRefusal ? error : failure);
      });
    });
  }

  override createConnection(): Duplex {
    const [near, far] = duplexPair();
    // Closing one side does not close the other.
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
    far.on("error", () => undefined);
    this.#server.emit("connection", Object.assign(far, this.#facts));
    return near;
  }
}
