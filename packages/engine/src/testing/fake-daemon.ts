/** A tiny HTTP engine on a unix socket with scripted answers, for what no real engine does on demand. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineAddress } from "../connection/engine-address.ts";

export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly body: string;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const VERSION = { Version: "20.10.24", ApiVersion: "1.41", MinAPIVersion: "1.12" };

/** Answers with JSON. */
export function json(status: number, body: unknown): Answer {
  return (_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };
}

export class FakeDaemon implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly #directory: string;
  readonly #server: Server;
  readonly #answers = new Map<string, Answer>();

  private constructor(directory: string) {
    this.#directory = directory;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.answer("GET /version", json(200, VERSION));
  }

  static async start(): Promise<FakeDaemon> {
    const daemon = new FakeDaemon(await mkdtemp(join(tmpdir(), "thv-daemon-")));
    await new Promise<void>((resolve) => daemon.#server.listen(daemon.socketPath, resolve));
    return daemon;
  }

  get directory(): string {
    return this.#directory;
  }

  get socketPath(): string {
    return join(this.#directory, "engine.sock");
  }

  get address(): EngineAddress {
    return { kind: "socket", path: this.socketPath };
  }

  /** @param route Method and path without the version, for example `POST /containers/create`. */
  answer(route: string, answer: Answer): void {
    this.#answers.set(route, answer);
  }

  /** Takes over connections that ask to be upgraded. */
  onUpgrade(listener: (socket: import("node:stream").Duplex) => void): void {
    this.#server.on("upgrade", (_request, socket) => listener(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "" } = request;
    this.seen.push({ method, url, body });
    const path = url.replace(/\?.*$/, "").replace(/^\/v\d+\.\d+/, "");
    const answer = this.#answers.get(`${method} ${path}`);
    if (answer) answer(request, response);
    else json(404, { message: `no such thing: ${path}` })(request, response);
  }
}
