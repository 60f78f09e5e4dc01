/**
 * An image registry on this machine (OCI distribution, read-only) with one image, whose layers stop in the middle until
 * they are let go: what a slow network does, without its chance. Docker accepts plain http for 127.0.0.0/8; Podman does not.
 */

import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "@toolhive/http";
import { Listeners } from "@toolhive/http/listeners";

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";
const TAR_BLOCK = 512;

interface Blob {
  readonly type: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

export class StallingRegistry implements AsyncDisposable {
  readonly #server: Server;
  readonly #blobs = new Map<string, Blob>();
  readonly #layers: readonly Blob[];
  readonly #manifest: Blob;
  readonly #waiting = new Listeners();
  #isReleased = false;

  private constructor(layerSizes: readonly number[]) {
    this.#layers = layerSizes.map((size, index) =>
      createBlob("application/vnd.oci.image.layer.v1.tar", packTar(`layer-${index}`, randomBytes(size))),
    );
    const rootfs = { type: "layers", diff_ids: this.#layers.map(({ digest }) => digest) };
    const platform = { architecture: process.arch === "arm64" ? "arm64" : "amd64", os: "linux" };
    const config = createJsonBlob("application/vnd.oci.image.config.v1+json", { ...platform, config: {}, rootfs });
    this.#manifest = createJsonBlob(MANIFEST_TYPE, {
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: formatDescriptor(config),
      layers: this.#layers.map(formatDescriptor),
    });
    for (const blob of [...this.#layers, config]) this.#blobs.set(blob.digest, blob);
    this.#server = createServer((request, response) => this.#answer(request.url ?? "", request.method, response));
  }

  /** @param layerSizes Bytes of each layer's file. */
  static async start(layerSizes: readonly number[]): Promise<StallingRegistry> {
    const image = new StallingRegistry(layerSizes);
    await listen(image.#server);
    return image;
  }

  /** What to pull. */
  get reference(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}/held/image:1`;
  }

  /** Layers that stopped in the middle and wait. */
  get held(): number {
    return this.#waiting.size;
  }

  /** Sends the rest, and layers that are asked for from now on without a stop. */
  release(): void {
    this.#isReleased = true;
    this.#waiting.notify();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(url: string, method: string | undefined, response: ServerResponse): void {
    if (/^\/v2\/?$/.test(url)) response.writeHead(200).end();
    else if (/\/manifests\//.test(url)) this.#send(this.#manifest, method, response);
    else {
      const blob = this.#blobs.get(/\/blobs\/(.+)$/.exec(url)?.[1] ?? "");
      if (!blob) response.writeHead(404).end();
      else if (this.#layers.includes(blob) && method === "GET") this.#sendInHalves(blob, response);
      else this.#send(blob, method, response);
    }
  }

  #send({ type, digest, bytes }: Blob, method: string | undefined, response: ServerResponse): void {
    response.writeHead(200, {
      "Content-Type": type,
      "Content-Length": bytes.length,
      "Docker-Content-Digest": digest,
    });
    response.end(method === "HEAD" ? undefined : bytes);
  }

  #sendInHalves({ type, bytes }: Blob, response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": type, "Content-Length": bytes.length });
    const half = Math.floor(bytes.length / 2);
    response.write(bytes.subarray(0, half));
    const sendRest = () => {
      leave();
      response.end(bytes.subarray(half));
    };
    const leave = this.#waiting.add(sendRest);
    response.once("close", leave);
    if (this.#isReleased) sendRest();
  }
}

function createBlob(type: string, bytes: Buffer): Blob {
  return { type, bytes, digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}` };
}

function createJsonBlob(type: string, value: unknown): Blob {
  return createBlob(type, Buffer.from(JSON.stringify(value)));
}

function formatDescriptor({ type, digest, bytes }: Blob) {
  return { mediaType: type, digest, size: bytes.length };
}

/** A tar archive (POSIX ustar) with one file. */
function packTar(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  header.write(name, 0);
  header.write("0000644\0" + "0000000\0" + "0000000\0", 100);
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const checksum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((TAR_BLOCK - (content.length % TAR_BLOCK)) % TAR_BLOCK);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * TAR_BLOCK)]);
}
