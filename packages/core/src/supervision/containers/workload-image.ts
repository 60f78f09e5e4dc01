/** The image of one workload: pulled or built where the engine does not have it. */

import type { PackageImages, PackageRequest } from "../../images/package-images.ts";
import type { ContainerEngine, PullProgress } from "../../ports/container-engine.ts";
import { ThvError } from "../../support/errors.ts";
import type { RunConfig } from "../../workload/run-config.ts";

/** @param message The present step, for people; empty when done. @param pull While an image is pulled. */
export type ReportProgress = (message: string, pull?: PullProgress) => void;

export interface EnsureImageOptions {
  /** Builds the images of workloads that are given as a package. */
  readonly packages?: PackageImages | undefined;
  readonly onProgress: ReportProgress;
  /** Receives each line of a build. */
  readonly onBuildOutput?: ((line: string) => void) | undefined;
  readonly signal: AbortSignal;
}

/** @throws {ThvError} `IMAGE_NOT_FOUND`, `IMAGE_NOT_VERIFIED`, `BUILD_FAILED`, and what the engine throws. */
export async function ensureImage(
  engine: ContainerEngine,
  config: Pick<RunConfig, "name" | "image" | "pull_policy" | "image_digest"> & Partial<PackageRequest>,
  options: EnsureImageOptions,
): Promise<void> {
  const { image, image_digest: digest, package_target, pull_policy: policy = "missing" } = config;
  const { signal } = options;
  const isLocal = await engine.hasImage(image, { signal });
  if (package_target !== undefined) {
    if (!isLocal) await buildImage(engine, { ...config, package_target }, options);
    return;
  }
  const findDigests = async () => (digest === undefined ? [] : await engine.imageDigests(image, { signal }));
  if (isLocal && policy !== "always") {
    const digests = await findDigests();
    if (policy === "never") assertDigest(image, digest, digests);
    if (hasDigest(digests, digest)) return;
  }
  if (policy === "never") throw createImageMissingError(image);
  try {
    await pullImage(engine, image, options);
  } catch (error) {
    // For an image that exists here, and perhaps nowhere else, the digest is the problem.
    if (isLocal && !signal.aborted) assertDigest(image, digest, await findDigests());
    throw error;
  }
  assertDigest(image, digest, await findDigests());
}

async function pullImage(engine: ContainerEngine, image: string, { signal, onProgress }: EnsureImageOptions) {
  onProgress("pulling the image");
  await engine.pullImage(image, {
    signal,
    onProgress: (progress) => onProgress(`pulling the image: ${progress.message}`, progress),
  });
  onProgress("");
}

function hasDigest(digests: readonly string[], wanted: string | undefined): boolean {
  return wanted === undefined || digests.some((each) => each.endsWith(`@${wanted}`));
}

function assertDigest(image: string, wanted: string | undefined, digests: readonly string[]): void {
  if (hasDigest(digests, wanted)) return;
  const found = digests.map((each) => each.slice(each.lastIndexOf("@") + 1)).join(", ") || "no digest of a registry";
  const sentence = `The image "${image}" has ${found}, and ${wanted} is wanted.`;
  throw new ThvError("IMAGE_NOT_VERIFIED", sentence, {
    problems: [{ path: ["image_digest"], sentence }],
    hint: "Find out which of them is right before you run it: the image was replaced at its registry.",
  });
}

/** The error for pull policy `never` when the engine does not have the image. */
export function createImageMissingError(image: string): ThvError {
  return new ThvError(
    "IMAGE_NOT_FOUND",
    `The image "${image}" is not on this machine, and --pull never forbids pulling it.`,
    {
      hint: `Pull or build it with your engine, or let thv pull it: --pull missing`,
    },
  );
}

/** @throws {ThvError} `BUILD_FAILED`, and what the engine throws. */
export async function buildImage(
  engine: ContainerEngine,
  config: Pick<RunConfig, "name" | "image"> & PackageRequest,
  { packages, signal, onProgress, onBuildOutput }: EnsureImageOptions,
): Promise<void> {
  const { name, image, package_target } = config;
  if (!packages) throw new ThvError("INTERNAL", `Nothing here can build the image of "${name}".`);
  onProgress(`building the image for ${package_target}`);
  await packages.build(engine, config, image, {
    signal,
    onProgress: (message: string) => {
      onBuildOutput?.(message);
      onProgress(`building the image for ${package_target}: ${message}`);
    },
  });
  onProgress("");
}
