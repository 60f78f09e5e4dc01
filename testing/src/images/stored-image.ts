/** The files of a test image, for an image registry to serve. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findRepositoryRoot } from "../repository.ts";
import { ensureImageCache } from "./image-cache.ts";

/** @param tag As in `definitions.ts`. @returns Its configuration in JSON, and the paths of its layers, bottom first. */
export async function readStoredImage(
  tag: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ config: string; layers: string[] }> {
  const { directory, images } = await ensureImageCache({
    repository: findRepositoryRoot(),
    onProgress: () => undefined,
    signal,
  });
  const found = images.find(({ definition }) => definition.tags.includes(tag));
  if (!found) throw new Error(`there is no test image ${tag}`);
  return {
    config: await readFile(join(directory, found.config), "utf8"),
    layers: found.layers.map((name) => join(directory, name)),
  };
}
