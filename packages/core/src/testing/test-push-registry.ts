/**
 * An image registry on loopback that stores what is pushed (OCI distribution), for what a real one does not do when it is asked
 * to: fail in the middle, forge, redirect, lose a sign-in. The tests with a real registry are in `packages/cli/e2e`.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "@toolhive/http";
import { computeDigest } from "../image-registry/repository-client.ts";

/** `cut`: the connection breaks. A number: the status of an empty answer. */
type Fault = "cut" | number | ((response: ServerResponse) => void);

export interface SeenRequest {
  readonly method: string;
  /** Without the host, with the query. */
  readonly path: string;
  readonly authorization: string | undefined;
  /** What follows the repository's name, such as `manifests/latest`. */
  readonly object: string;
}

export class TestPushRegistry implements AsyncDisposable {
  readonly #server: Server;
  /** By digest. */
  readonly blobs = new Map<string, Buffer>();
  /** By tag and by digest, of all repositories. */
  readonly manifests = new Map<string, Buffer>();
  readonly requests: SeenRequest[] = [];
  /** `user:password` that it asks for: itself, or through a token of `/token`. */
  basic: string | undefined;
  login: string | undefined;
  /** Tokens that are good; each sign-in adds one. */
  readonly tokens = new Set<string>();
  /** Decides on a request before the registry does. */
  fault: ((request: SeenRequest) => Fault | undefined) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<TestPushRegistry> {
    const server = createServer();
    await listen(server);
    return new TestPushRegistry(server);
  }

  /** With its port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Stores a blob and returns its digest. */
  addBlob(content: string | Buffer): string {
    const bytes = Buffer.from(content);
    const digest = computeDigest(new Uint8Array(bytes));
    this.blobs.set(digest, bytes);
    return digest;
  }

  /** Stores a manifest under a tag and its digest. @returns The digest. */
  addManifest(tag: string, manifest: unknown): string {
    const bytes = Buffer.from(typeof manifest === "string" ? manifest : JSON.stringify(manifest));
    const digest = computeDigest(new Uint8Array(bytes));
    this.manifests.set(tag, bytes);
    this.manifests.set(digest, bytes);
    return digest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = request;
    const { authorization } = headers;
    const object = /^\/v2\/.+?\/((?:manifests|blobs)\/.+)$/.exec(path)?.[1] ?? "";
    const seen = { method, path, authorization, object };
    this.requests.push(seen);
    const fault = this.fault?.(seen);
    if (fault === "cut") {
      response.destroy();
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (typeof fault === "number") response.writeHead(fault).end();
    else if (fault) fault(response);
    else if (path.startsWith("/token")) this.#giveToken(authorization, response);
    else if (!this.#isSignedIn(authorization)) this.#refuse(response);
    else this.#serve(method, object, body, response);
  }

  #isSignedIn(authorization: string | undefined): boolean {
    if (this.basic !== undefined) return authorization === formatBasic(this.basic);
    if (this.login !== undefined) return this.tokens.has(authorization?.replace(/^Bearer /, "") ?? "");
    return true;
  }

  #refuse(response: ServerResponse): void {
    const bearer = `Bearer realm="http://${this.host}/token",service="test",scope="repository:x:pull"`;
    response.writeHead(401, { "WWW-Authenticate": this.basic === undefined ? bearer : 'Basic realm="test"' }).end();
  }

  #giveToken(authorization: string | undefined, response: ServerResponse): void {
    if (this.login !== undefined && authorization !== formatBasic(this.login)) {
      response.writeHead(401).end();
      return;
    }
    const token = `token-${this.tokens.size}`;
    this.tokens.add(token);
    response.end(JSON.stringify({ token }));
  }

  #serve(method: string, object: string, body: Buffer, response: ServerResponse): void {
    const [kind, rest = ""] = object.split(/\/(.*)/s);
    if (method === "POST" && rest === "uploads/") {
      response.writeHead(202, { Location: "/v2/any/blobs/uploads/1?state=a" }).end();
      return;
    }
    if (method === "PUT") {
      const digest = kind === "blobs" ? this.addBlob(body) : this.addManifest(rest, body.toString("utf8"));
      response.writeHead(201, { "Docker-Content-Digest": digest }).end();
      return;
    }
    const found = (kind === "blobs" ? this.blobs : this.manifests).get(rest);
    if (!found) response.writeHead(404).end();
    else response.writeHead(200, { "Content-Length": found.length }).end(method === "HEAD" ? undefined : found);
  }
}

function formatBasic(login: string): string {
  return `Basic ${Buffer.from(login).toString("base64")}`;
}
