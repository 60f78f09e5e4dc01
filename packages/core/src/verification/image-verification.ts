/** What becomes of a workload whose image cannot prove its origin. Source: cli.md 2.5. */

import type { ContainerEngine } from "../ports/container-engine.ts";
import type { Logger } from "../ports/log.ts";
import { describeError, hasCode, ThvError } from "../support/errors.ts";
import type { RunConfig } from "../workload/run-config.ts";
import { namesSigner } from "./signer.ts";
import type { TrustRootOptions } from "./trust-root.ts";

interface CheckOptions {
  readonly trustRoots: TrustRootOptions;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface CheckedImage {
  /** What the container is made from: the proven digest where there is one, so that no newer tag slips in. */
  readonly image: string;
  /** What could not be proven, for the person who runs it; empty when there is nothing to say. */
  readonly warning: string;
}

/**
 * The image has to exist. Where the registry names no origin there is nothing to check: then `warn` reports nothing.
 *
 * @throws {ThvError} `IMAGE_NOT_VERIFIED` when the workload insists on a proof.
 */
export async function checkImage(
  engine: ContainerEngine,
  config: RunConfig,
  { trustRoots, log, signal }: CheckOptions,
): Promise<CheckedImage> {
  const { name, image, provenance, image_verification: mode = "warn" } = config;
  if (mode === "disabled" || !provenance) return { image, warning: "" };
  try {
    if (!namesSigner(provenance)) throw createOriginError(image);
    const digests = await engine.imageDigests(image, { signal });
    // Loaded here: most workloads have nothing to verify, and the libraries are large.
    const { verifyImage } = await import("./verify-image.ts");
    const proven = await verifyImage({ image, digests, provenance }, { ...trustRoots, signal });
    log.info({ workload: name, image: proven }, "image verified");
    return { image: proven, warning: "" };
  } catch (error) {
    const isUnproven = hasCode(error, "IMAGE_NOT_VERIFIED");
    if (mode === "enabled" || !isUnproven) throw error;
    log.warn({ workload: name, reason: describeError(error) }, "image not verified");
    return { image, warning: error.message };
  }
}

/** Checked before anything is pulled. @throws {ThvError} `IMAGE_NOT_VERIFIED` when a proof is required and cannot exist. */
export function assertProvable({ image, package_target, provenance, image_verification }: RunConfig): void {
  if (image_verification !== "enabled") return;
  if (!provenance || package_target !== undefined) throw createOriginError(package_target ?? image);
}

function createOriginError(image: string): ThvError {
  return new ThvError(
    "IMAGE_NOT_VERIFIED",
    `The origin of the image "${image}" cannot be verified: the registry does not name a signer.`,
    { hint: "Only registry entries with a provenance can be verified: thv registry info NAME" },
  );
}
