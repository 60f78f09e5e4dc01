/**
 * An image registry on loopback that holds images and proofs of origin; it serves what it was given, true or not. Read-only
 * (OCI distribution). Docker accepts plain http for 127.0.0.0/8; the Podman of the tests is configured to.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "@toolhive/http";

const TOKEN = "anonymous-token";
const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
const CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
const LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar";

/** An image as files: what `docker save` writes. */
export interface StoredImage {
  /** Its configuration in JSON, which names the digests of the layers. */
  readonly config: string;
  /** Paths of the layers' archives, bottom first; not compressed. */
  readonly layers: readonly string[];
}

export class TestImageRegistry implements AsyncDisposable {
  readonly #server: Server;
  /** Bodies by what follows the repository: `manifests/…`, `blobs/…`, `referrers/…`. Replace one to forge it. */
  readonly content = new Map<string, string>();
  /** Layers by their digest. */
  readonly #layers = new Map<string, string>();
  /** Requests that were answered with content, as `GET manifests/1`. */
  readonly served: string[] = [];
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
    await listen(server);
    return new TestImageRegistry(server);
  }

  /** With its port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Holds an image under a tag, in place of one that is there. @returns The digest of its manifest. */
  async addImage(tag: string, { config, layers }: StoredImage): Promise<string> {
    const { rootfs } = JSON.parse(config) as { rootfs: { diff_ids: string[] } };
    const described = await Promise.all(
      layers.map(async (path, index) => {
        const digest = rootfs.diff_ids[index] ?? "";
        this.#layers.set(`blobs/${digest}`, path);
        return { mediaType: LAYER_TYPE, digest, size: (await stat(path)).size };
      }),
    );
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: { mediaType: CONFIG_TYPE, digest: computeDigest(config), size: Buffer.byteLength(config) },
      layers: described,
    });
    this.content.set(`blobs/${computeDigest(config)}`, config);
    this.content.set(`manifests/${computeDigest(manifest)}`, manifest);
    this.content.set(`manifests/${tag}`, manifest);
    return computeDigest(manifest);
  }

  /** Holds a Sigstore bundle that refers to an image. @returns Key of the bundle in `content`. */
  addBundle(digest: string, bundle: unknown): string {
    const blob = JSON.stringify(bundle);
    const mediaType = "application/vnd.dev.sigstore.bundle.v0.3+json";
    const manifest = JSON.stringify({ artifactType: mediaType, layers: [{ mediaType, digest: computeDigest(blob) }] });
    const list = this.hasReferrers ? `referrers/${digest}` : `manifests/${digest.replace(":", "-")}`;
    const before = JSON.parse(this.content.get(list) ?? '{"manifests":[]}') as { manifests: unknown[] };
    const manifests = [...before.manifests, { digest: computeDigest(manifest), artifactType: mediaType }];
    this.content.set(list, JSON.stringify({ manifests }));
    this.content.set(`manifests/${computeDigest(manifest)}`, manifest);
    this.content.set(`blobs/${computeDigest(blob)}`, blob);
    return `blobs/${computeDigest(blob)}`;
  }

  /** Holds a signature of cosign. */
  addSignature(
    digest: string,
    { payload, annotations }: { payload: string; annotations: Record<string, string> },
  ): void {
    const mediaType = "application/vnd.dev.cosign.simplesigning.v1+json";
    const manifest = JSON.stringify({ layers: [{ mediaType, digest: computeDigest(payload), annotations }] });
    this.content.set(`manifests/${digest.replace(":", "-")}.sig`, manifest);
    this.content.set(`blobs/${computeDigest(payload)}`, payload);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #answer({ url = "", method = "GET", headers }: IncomingMessage, response: ServerResponse): void {
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
    if (/^\/v2\/?$/.test(url)) {
      response.end();
      return;
    }
    // Every repository of acme holds the same.
    const [, path = ""] = /^\/v2\/acme\/[a-z-]+\/((?:manifests|blobs|referrers)\/.+)$/.exec(url) ?? [];
    const layer = this.#layers.get(path);
    const body = this.content.get(path);
    if (layer === undefined && body === undefined) {
      const errors = [{ code: "MANIFEST_UNKNOWN", message: "manifest unknown" }];
      response.writeHead(404, { "Content-Type": "application/json" }).end(JSON.stringify({ errors }));
      return;
    }
    this.served.push(`${method} ${path}`);
    if (layer !== undefined) createReadStream(layer).pipe(response);
    else this.#send(path, body ?? "", method, response);
  }

  #send(path: string, body: string, method: string, response: ServerResponse): void {
    const isManifest = path.startsWith("manifests/");
    response.writeHead(200, {
      "Content-Length": Buffer.byteLength(body),
      // Engines go by both when they ask for a tag.
      ...(isManifest && { "Content-Type": MANIFEST_TYPE, "Docker-Content-Digest": computeDigest(body) }),
    });
    response.end(method === "HEAD" ? undefined : body);
  }
}

function computeDigest(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
