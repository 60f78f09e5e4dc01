/**
 * A registry that the nodes of a test cluster pull the test images from, under whatever name a manifest has (OCI distribution
 * specification, pull only): a page's `:latest` is pulled at every start, and no real registry can be reached here.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { type CachedImage, ensureImageCache } from "../images/image-cache.ts";
import { findRepositoryRoot } from "../repository.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

/** Images that the pages name and nobody can pull here, and what stands for them. */
const STAND_INS: Readonly<Record<string, string>> = {
  "stackloklabs/gofetch/server:latest": "toolhive-test/echo:test",
};

interface Blob {
  readonly digest: string;
  readonly size: number;
  readonly source: { readonly path: string } | { readonly text: string };
}

/**
 * @param kubeconfig Of the run's cluster, in whose folder the container runtime searches registries.
 * @param host An address of this machine that the nodes reach.
 */
export async function startImageRegistry(kubeconfig: string, host: string): Promise<AsyncDisposable> {
  const cache = await ensureImageCache({
    repository: findRepositoryRoot(),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(300_000),
  });
  const blobs = new Map<string, Blob>();
  const manifests = new Map<string, string>();
  for (const image of cache.images) {
    const manifest = await describeImage(cache.directory, image, blobs);
    for (const tag of image.definition.tags) manifests.set(tag, manifest);
  }
  for (const [name, tag] of Object.entries(STAND_INS)) manifests.set(name, manifests.get(tag) ?? "");
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname;
    const [, name, kind, reference] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
    if (path === "/v2/") return response.writeHead(200).end();
    if (name === undefined || reference === undefined) return response.writeHead(404).end();
    if (kind === "blobs") return sendBlob(response, blobs.get(reference), request.method);
    const isDigest = reference.startsWith("sha256:");
    const found = isDigest
      ? [...manifests.values()].find((text) => digestText(text) === reference)
      : manifests.get(`${name}:${reference}`);
    if (found === undefined) return response.writeHead(404).end();
    const headers = {
      "content-type": MANIFEST,
      "content-length": Buffer.byteLength(found),
      "docker-content-digest": digestText(found),
    };
    return response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : found);
  });
  await once(server.listen(0, host), "listening");
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  // For every registry that has no folder of its own.
  const folder = join(dirname(kubeconfig), "registries", "_default");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "hosts.toml"), `[host."${url}"]\ncapabilities = ["pull", "resolve"]\n`);
  return {
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function describeImage(directory: string, image: CachedImage, blobs: Map<string, Blob>): Promise<string> {
  const { rootfs, config: settings, ...rest } = JSON.parse(await readFile(join(directory, image.config), "utf8"));
  // An id of its own: containerd forgets the name of an image on the node when one of the same id is pulled under another name.
  const labels = { ...settings?.Labels, "toolhive-test.pulled": "true" };
  const config = JSON.stringify({ ...rest, rootfs, config: { ...settings, Labels: labels } });
  const remember = (blob: Blob) => {
    blobs.set(blob.digest, blob);
    return { digest: blob.digest, size: blob.size };
  };
  const configBlob = remember({
    digest: digestText(config),
    size: Buffer.byteLength(config),
    source: { text: config },
  });
  // Layers are not compressed, so that their digests are those in the configuration.
  const layers = await Promise.all(
    image.layers.map(async (file, index) => {
      const path = join(directory, file);
      return remember({ digest: rootfs.diff_ids[index] ?? "", size: (await stat(path)).size, source: { path } });
    }),
  );
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: "application/vnd.oci.image.config.v1+json", ...configBlob },
    layers: layers.map((layer) => ({ mediaType: "application/vnd.oci.image.layer.v1.tar", ...layer })),
  });
}

function sendBlob(response: ServerResponse, blob: Blob | undefined, method: string | undefined): void {
  if (blob === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": blob.size });
  if (method === "HEAD") response.end();
  else if ("text" in blob.source) response.end(blob.source.text);
  else
    createReadStream(blob.source.path)
      .on("error", () => response.destroy())
      .pipe(response);
}

function digestText(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
