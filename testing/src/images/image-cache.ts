/**
 * The test images as files: a folder under `.cache/test-images` in the layout of `docker save`, named by a digest of
 * everything that goes into it. Building takes seconds, happens once, and leaves either a whole folder or none.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { IMAGES, type ImageDefinition, type LayerName } from "./definitions.ts";
import { bundleConformanceFixture, LAYERS, packLayer } from "./layers.ts";

/** Changes when the code that builds layers or configurations changes their bytes. */
const FORMAT = "5";

export interface CachedImage {
  readonly definition: ImageDefinition;
  /** File name of the configuration, inside the cache folder. Its digest is the image's id in both engines. */
  readonly config: string;
  /** File names of the layers, bottom first. */
  readonly layers: readonly string[];
}

export interface ImageCache {
  readonly directory: string;
  readonly images: readonly CachedImage[];
}

export interface BuildOptions {
  readonly repository: string;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

const layerFile = (name: LayerName) => `${name}.tar`;

/** A digest of the inputs: Node's binary, the servers' lockfile, the fixtures, the definitions. */
async function computeCacheKey(repository: string): Promise<string> {
  const node = await stat(process.execPath);
  const parts = [FORMAT, process.version, process.arch, String(node.size), JSON.stringify(IMAGES)];
  parts.push(await readFile(join(repository, "testing/images/package-lock.json"), "utf8"));
  const fixtures = join(repository, "testing/fixtures");
  for (const name of (await readdir(fixtures)).sort()) parts.push(name, await readFile(join(fixtures, name), "utf8"));
  parts.push(await bundleConformanceFixture(repository));
  return sha256(parts.map((part) => sha256(part)).join("\n")).slice(0, 16);
}

/** The OCI image configuration. No times, so that equal content has equal ids on every machine. */
function buildImageConfig(definition: ImageDefinition, diffIds: Readonly<Record<LayerName, string>>): string {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  return JSON.stringify({
    architecture,
    os: "linux",
    created: "1970-01-01T00:00:00Z",
    config: {
      Entrypoint: definition.entrypoint,
      Cmd: definition.cmd?.length ? definition.cmd : null,
      Env: ["PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin", `NODE_VERSION=${process.versions.node}`],
      User: definition.user ?? "",
      WorkingDir: "/app",
      Labels: { "org.opencontainers.image.description": definition.description },
    },
    rootfs: { type: "layers", diff_ids: definition.layers.map((name) => `sha256:${diffIds[name]}`) },
    history: definition.layers.map((name) => ({ created: "1970-01-01T00:00:00Z", created_by: `test layer ${name}` })),
  });
}

async function build(directory: string, { repository, onProgress, signal }: BuildOptions): Promise<void> {
  const diffIds = {} as Record<LayerName, string>;
  for (const name of Object.keys(LAYERS) as LayerName[]) {
    onProgress(`building the image layer "${name}"`);
    const root = await mkdtemp(join(tmpdir(), "thv-layer-"));
    try {
      await LAYERS[name](root, { repository, signal });
      await packLayer(root, join(directory, layerFile(name)), signal);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
    diffIds[name] = await hashFile(join(directory, layerFile(name)));
  }
  const images = await Promise.all(
    IMAGES.map(async (definition): Promise<CachedImage> => {
      const config = buildImageConfig(definition, diffIds);
      const file = `${sha256(config)}.json`;
      await writeFile(join(directory, file), config);
      return { definition, config: file, layers: definition.layers.map(layerFile) };
    }),
  );
  await writeFile(join(directory, "images.json"), JSON.stringify(images));
}

/** Builds what is missing. Two runs at once both succeed: the one that finishes first fills the cache. */
export async function ensureImageCache(options: BuildOptions): Promise<ImageCache> {
  const parent = join(options.repository, ".cache/test-images");
  const key = await computeCacheKey(options.repository);
  const directory = join(parent, key);
  const index = join(directory, "images.json");
  const isBuilt = await access(index).then(
    () => true,
    () => false,
  );
  if (!isBuilt) {
    await mkdir(parent, { recursive: true });
    const draft = await mkdtemp(join(parent, "draft-"));
    try {
      await build(draft, options);
      await rename(draft, directory).catch(async (error: unknown) => {
        await access(index).catch(() => {
          throw error;
        });
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    await removeOthers(parent, key);
  }
  return { directory, images: JSON.parse(await readFile(index, "utf8")) as CachedImage[] };
}

/** Old caches are 200 MB each; what was not used for a week goes, so that switching branches stays cheap. */
async function removeOthers(parent: string, key: string): Promise<void> {
  const weekAgo = Date.now() - 7 * 24 * 3600 * 1000;
  for (const name of await readdir(parent)) {
    if (name === key) continue;
    const path = join(parent, name);
    const found = await stat(path).catch(() => undefined); // another run's draft may be gone by now
    if (found !== undefined && found.mtimeMs < weekAgo) await rm(path, { recursive: true, force: true });
  }
}
