/** Writes an image as a tar archive: an OCI image layout, with the index that `docker load` of older versions reads. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";

const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const INDEX = "application/vnd.oci.image.index.v1+json";

/**
 * @typedef {{ folder: string, modes?: Readonly<Record<string, number>> }} Layer `modes` are those of paths that are not
 *   readable by all and writable by nobody but root.
 */

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {{ file: string, reference: string, processor: string, layers: readonly Layer[], config: object }} image
 */
export async function writeImageArchive(release, { file, reference, processor, layers, config }) {
  const { work, epoch, compression } = release;
  const folder = join(work, `${basename(file)}.layout`);
  const blobs = join(folder, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const add = (/** @type {string} */ mediaType, /** @type {Buffer | string} */ content) => {
    const digest = createHash("sha256").update(content).digest("hex");
    writeFileSync(join(blobs, digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(content) };
  };

  const created = new Date(epoch * 1000).toISOString();
  const diffs = [];
  const descriptors = [];
  for (const [index, layer] of layers.entries()) {
    const archive = join(work, `${basename(file)}.${index}.tar`);
    await writeTar(release, archive, layer);
    const content = readFileSync(archive);
    diffs.push(`sha256:${createHash("sha256").update(content).digest("hex")}`);
    descriptors.push(add(LAYER, gzipSync(content, { level: compression.layer })));
  }
  const described = add(
    CONFIG,
    JSON.stringify({
      created,
      architecture: processor,
      os: "linux",
      config,
      rootfs: { type: "layers", diff_ids: diffs },
      history: diffs.map(() => ({ created, created_by: "npm run release" })),
    }),
  );
  const manifest = add(
    MANIFEST,
    JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config: described, layers: descriptors }),
  );
  const tag = reference.slice(reference.lastIndexOf(":") + 1);
  const annotations = {
    "io.containerd.image.name": `docker.io/${reference}`,
    "org.opencontainers.image.ref.name": tag,
  };
  const platform = { architecture: processor, os: "linux" };
  const write = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  write("oci-layout", { imageLayoutVersion: "1.0.0" });
  write("index.json", { schemaVersion: 2, mediaType: INDEX, manifests: [{ ...manifest, platform, annotations }] });
  const placeBlob = (/** @type {{ digest: string }} */ { digest }) => `blobs/${digest.replace(":", "/")}`;
  write("manifest.json", [
    { Config: placeBlob(described), RepoTags: [reference], Layers: descriptors.map((each) => placeBlob(each)) },
  ]);
  await writeTar(release, file, { folder });
}

/**
 * @param {import("./context.mjs").ReleaseContext} release
 * @param {string} file
 * @param {Layer} layer
 */
async function writeTar({ run, epoch }, file, { folder, modes = {} }) {
  const options = ["--format=ustar", "--sort=name", "--numeric-owner", "--owner=0", "--group=0", `--mtime=@${epoch}`];
  const apart = Object.keys(modes);
  const excluded = apart.map((path) => `--exclude=./${path}`);
  await run("tar", ["-C", folder, ...options, "--mode=u+rwX,go+rX,go-w", ...excluded, "-cf", file, "."]);
  for (const [path, mode] of Object.entries(modes))
    await run("tar", ["-C", folder, ...options, `--mode=${mode.toString(8)}`, "-rf", file, `./${path}`]);
}
