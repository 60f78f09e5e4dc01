/** The images of a cluster's nodes: the test images, and thv's own, which operator and runner are started from. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { mustRun } from "../command.ts";
import { type CachedImage, ensureImageCache } from "../images/image-cache.ts";
import { packLayer } from "../images/layers.ts";
import { findRepositoryRoot } from "../repository.ts";

/** Of `thv`: its program, Node.js and the packet filter. It runs as a user of its own, like the released image. */
export const THV_IMAGE = "docker.io/toolhive-test/thv:test";
/** What the pages call it: the released image, and a copy of it in a registry of the reader's own. */
const PAGE_NAMES = ["docker.io/toolhive/thv:0.2.0", "registry.example.com/toolhive/thv:0.2.0"];
/** Packages that the bundle of thv loads from `node_modules`. */
const LOADED = ["@cedar-policy/cedar-wasm"];

/**
 * Writes the archives that `ctr images import` reads.
 *
 * @param directory Where to; the archives stay there.
 * @returns Their paths.
 * @throws {Error} When thv was not built.
 */
export async function writeClusterImages(directory: string, signal: AbortSignal): Promise<string[]> {
  const repository = findRepositoryRoot();
  const cache = await ensureImageCache({ repository, onProgress: () => undefined, signal });
  const tested = cache.images.map((image) => ({ ...image, tags: image.definition.tags }));
  const layer = join(directory, "thv.tar");
  const root = await mkdtemp(join(tmpdir(), "thv-image-"));
  try {
    await fillThvLayer(root, repository);
    await packLayer(root, layer, signal);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  const base = cache.images.find(({ definition }) => definition.tags.includes("toolhive-test/sidecar-base:test"));
  if (base === undefined) throw new Error("There is no image of Node.js with the packet filter.");
  const config = await describeThv(cache.directory, base, layer);
  await writeFile(join(directory, "thv.json"), config);
  const archive = join(directory, "images.tar");
  const manifest = [
    ...tested.map(({ config: Config, layers: Layers, tags }) => ({
      Config,
      Layers,
      RepoTags: tags.map((tag) => `docker.io/${tag}`),
    })),
    { Config: "thv.json", Layers: [...base.layers, "thv.tar"], RepoTags: [THV_IMAGE, ...PAGE_NAMES] },
  ];
  await writeFile(join(directory, "manifest.json"), JSON.stringify(manifest));
  const cached = [...new Set(tested.flatMap((image) => [image.config, ...image.layers]))];
  const own = ["manifest.json", "thv.json", "thv.tar"];
  await mustRun("tar", ["-cf", archive, "-C", directory, ...own, "-C", cache.directory, ...cached], { signal });
  for (const name of own) await rm(join(directory, name));
  return [archive];
}

async function fillThvLayer(root: string, repository: string): Promise<void> {
  const home = join(root, "usr/lib/thv");
  await mkdir(home, { recursive: true });
  await cp(join(repository, "packages/cli/dist"), join(home, "dist"), { recursive: true });
  for (const name of LOADED) {
    const source = await realpath(join(repository, "node_modules", name));
    await cp(source, join(home, "node_modules", name), { recursive: true });
  }
}

/** Its configuration, on top of another image's. */
async function describeThv(directory: string, base: CachedImage, layer: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(layer), hash);
  const below = JSON.parse(await readFile(join(directory, base.config), "utf8"));
  return JSON.stringify({
    ...below,
    config: {
      ...below.config,
      User: "65532:65532",
      Env: [...below.config.Env, "HOME=/tmp"],
      Entrypoint: ["node", "/usr/lib/thv/dist/thv.mjs"],
      Cmd: ["version"],
      WorkingDir: "/tmp",
    },
    rootfs: { type: "layers", diff_ids: [...below.rootfs.diff_ids, `sha256:${hash.digest("hex")}`] },
    history: [...below.history, { created: below.created, created_by: "thv" }],
  });
}
