/** An image registry on loopback that holds proofs of origin; it serves what it was given, true or not. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const TOKEN = "anonymous-token";

export class TestImageRegistry implements AsyncDisposable {
  readonly #server: Server;
  /** Bodies by what follows the repository: `manifests/…`, `blobs/…`, `referrers/…`. Replace one to forge it. */
  readonly content = new Map<string, string>();
  /** Whether it answers only to those who fetched a token. */
  wantsToken = false;
  /** Where lists of referrers are: behind their own address, or under a tag. */
  hasReferrers = true;
  /** Status of every answer; 0 for the true one. */
  failsWith = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response));
  }

  static async start(): Promise<TestImageRegistry> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TestImageRegistry(server);
  }

  /** With its port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Holds a Sigstore bundle that refers to an image. @returns Key of the bundle in `content`. */
  addBundle(digest: string, bundle: unknown): string {
    const blob = JSON.stringify(bundle);
    const mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json";
    const manifest = JSON.stringify({ artifactType: mediaType, layers: [{ mediaType, digest: digestOf(blob) }] });
    const list = this.hasReferrers ? `referrers/${digest}` : `manifests/${digest.replace(":", "-")}`;
    const before = JSON.parse(this.content.get(list) ?? '{"manifests":[]}') as { manifests: unknown[] };
    const manifests = [...before.manifests, { digest: digestOf(manifest), artifactType: mediaType }];
    this.content.set(list, JSON.stringify({ manifests }));
    this.content.set(`manifests/${digestOf(manifest)}`, manifest);
    this.content.set(`blobs/${digestOf(blob)}`, blob);
    return `blobs/${digestOf(blob)}`;
  }

  /** Holds a signature of cosign. */
  addSignature(
    digest: string,
    { payload, annotations }: { payload: string; annotations: Record<string, string> },
  ): void {
    const mediaType = "application/vnd.dev.cosign.simplesigning.v1+json";
    const manifest = JSON.stringify({ layers: [{ mediaType, digest: digestOf(payload), annotations }] });
    this.content.set(`manifests/${digest.replace(":", "-")}.sig`, manifest);
    this.content.set(`blobs/${digestOf(payload)}`, payload);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    if (url.startsWith("/token?")) {
      response.end(JSON.stringify({ token: TOKEN }));
      return;
    }
    if (this.failsWith > 0) {
      response.writeHead(this.failsWith).end();
      return;
    }
    if (this.wantsToken && headers.authorization !== `Bearer ${TOKEN}`) {
      const challenge = `Bearer realm="http://${this.host}/token",service="test"`;
      response.writeHead(401, { "WWW-Authenticate": challenge }).end();
      return;
    }
    const [, path = ""] = /^\/v2\/acme\/weather\/(.+)$/.exec(url) ?? [];
    const body = this.content.get(path);
    if (body === undefined) response.writeHead(404).end();
    else response.end(body);
  }
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
