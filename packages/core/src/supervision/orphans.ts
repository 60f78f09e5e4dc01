/** Removes containers and images in the engine that no workload needs. */

import type { Container, ContainerEngine } from "../ports/container-engine.ts";
import type { Logger } from "../ports/log.ts";
import { describeError } from "../support/errors.ts";
import { buildInstanceLabels, isSidecar, readWorkloadName } from "../workload/labels.ts";

interface OrphanOptions {
  readonly instanceId: string;
  /** Whether a workload of that name, possibly still being created, needs the container. */
  readonly isNeeded: (workload: string, container: { readonly isSidecar: boolean }) => boolean;
  readonly log: Logger;
}

/** Removes containers of this instance without a run configuration, which a killed supervisor did not remove. */
export async function removeOrphans(
  engine: ContainerEngine,
  { instanceId, isNeeded, log }: OrphanOptions,
): Promise<void> {
  const all = await engine.listContainers(buildInstanceLabels(instanceId));
  // Sidecars last: an engine does not remove a container whose network another one shares.
  for (const container of [...all].sort((one, other) => Number(isSidecar(one)) - Number(isSidecar(other)))) {
    const name = readWorkload(container);
    if (isNeeded(name, { isSidecar: isSidecar(container) })) continue;
    log.warn({ container: name }, "removing a container without a configuration");
    try {
      await engine.removeContainer(container.id);
    } catch (error) {
      // Must not keep workloads from running; the next start tries again.
      log.warn({ container: name, reason: describeError(error) }, "container could not be removed");
    }
  }
}

function readWorkload(container: Container): string {
  return isSidecar(container) ? (readWorkloadName(container) ?? "") : container.name;
}

/** An image that was built for a workload goes with the last one that runs from it. */
export async function removeBuiltImage(
  image: string,
  { requireEngine, log }: { readonly requireEngine: () => Promise<ContainerEngine>; readonly log: Logger },
): Promise<void> {
  try {
    const isGone = await (await requireEngine()).removeImage(image);
    log.info({ image }, isGone ? "image removed" : "image kept, another container uses it");
  } catch (error) {
    // It only takes room; the next workload of the same package uses it.
    log.warn({ image, reason: describeError(error) }, "image could not be removed");
  }
}
