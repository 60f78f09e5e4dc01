/** A real OpenID Connect issuer, on loopback unless it has a certificate: serves its discovery document and its keys, and signs tokens. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { listen } from "@toolhive/http";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

export const AUDIENCE = "toolhive-api";

interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface TokenChoices {
  /** Members that are `undefined` are left out. */
  readonly claims?: JWTPayload;
  /** Default: that of the newest key. `undefined` leaves it out. */
  readonly kid?: string | undefined;
  /** Signs instead of the newest key. */
  readonly key?: IssuerKey;
}

/** Where an issuer listens that others than this machine reach, and what it shows there, as PEM. */
export interface PublicPlace {
  readonly host: string;
  readonly key: string;
  readonly cert: string;
}

export class TestIssuer implements AsyncDisposable {
  readonly #server: Server;
  readonly url: string;
  /** Served as the key set; replace them to rotate. */
  keys: readonly IssuerKey[] = [];
  /** Replaces a document: by its path, with its status and text. */
  readonly instead = new Map<string, { readonly status: number; readonly text: string }>();
  /** What it says about opaque tokens, by the token; with none it does not say that it can be asked. */
  readonly opaque = new Map<string, Readonly<Record<string, unknown>>>();
  /** The `Authorization` of each request, in order. */
  readonly authorizations: (string | undefined)[] = [];
  /** Forms that were posted to it. */
  readonly forms: URLSearchParams[] = [];
  /** Paths in the order they were asked for. */
  readonly requests: string[] = [];

  private constructor(server: Server, origin: string) {
    this.#server = server;
    this.url = `${origin}:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      const path = request.url ?? "";
      this.requests.push(path);
      this.authorizations.push(request.headers.authorization);
      if (path === "/introspect" && !this.instead.has(path)) {
        void this.#introspect(request, response);
        return;
      }
      const answer = this.instead.get(path) ?? this.#documentAt(path);
      response.writeHead(answer.status, { "Content-Type": "application/json", Connection: "close" }).end(answer.text);
    });
  }

  static async start(alg = "ES256", place?: PublicPlace): Promise<TestIssuer> {
    const server = place ? createTlsServer({ key: place.key, cert: place.cert }) : createServer();
    await listen(server, place && { host: place.host, port: 0 });
    const issuer = new TestIssuer(server, place ? `https://${place.host}` : "http://127.0.0.1");
    issuer.keys = [await TestIssuer.createKey("first", alg)];
    return issuer;
  }

  static async createKey(kid: string, alg = "ES256"): Promise<IssuerKey> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
  }

  get keySetReads(): number {
    return this.requests.filter((path) => path === "/keys").length;
  }

  /** By default a token that the issuer would give today, for `AUDIENCE`, for five minutes. */
  async sign({ claims, key = this.#newest, ...choices }: TokenChoices = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const kid = "kid" in choices ? choices.kid : key.kid;
    const payload = { iss: this.url, aud: AUDIENCE, sub: "someone", iat: now, exp: now + 300, ...claims };
    return await new SignJWT(payload)
      .setProtectedHeader({ alg: key.alg, ...(kid !== undefined && { kid }) })
      .sign(key.privateKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, "close");
  }

  get #newest(): IssuerKey {
    const key = this.keys.at(-1);
    if (!key) throw new Error("the issuer has no key");
    return key;
  }

  async #introspect(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const form = new URLSearchParams(body);
    this.forms.push(form);
    const answer = this.opaque.get(form.get("token") ?? "") ?? { active: false };
    response.writeHead(200, { "Content-Type": "application/json", Connection: "close" }).end(JSON.stringify(answer));
  }

  #documentAt(path: string): { status: number; text: string } {
    switch (path) {
      case "/.well-known/openid-configuration":
        return {
          status: 200,
          text: JSON.stringify({
            issuer: this.url,
            jwks_uri: `${this.url}/keys`,
            ...(this.opaque.size > 0 && { introspection_endpoint: `${this.url}/introspect` }),
          }),
        };
      case "/keys":
        return { status: 200, text: JSON.stringify({ keys: this.keys.map(({ publicJwk }) => publicJwk) }) };
      default:
        return { status: 404, text: "{}" };
    }
  }
}
