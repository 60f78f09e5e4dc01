/** What is left in the engine without a workload that needs it. */

import type { Container, ContainerEngine } from "../ports/container-engine.ts";
import type { Logger } from "../ports/log.ts";
import { messageOf } from "../support/errors.ts";
import { buildInstanceLabels, isSidecar, readWorkloadName } from "../workload/labels.ts";

interface OrphanOptions {
  readonly instanceId: string;
  /** Whether a workload of that name, which may be on its way, needs the container. */
  readonly isNeeded: (workload: string, container: { readonly isSidecar: boolean }) => boolean;
  readonly log: Logger;
}

/** Containers of ours without a configuration: left by a supervisor that was killed between two steps. */
export async function removeOrphans(
  engine: ContainerEngine,
  { instanceId, isNeeded, log }: OrphanOptions,
): Promise<void> {
  const all = await engine.listContainers(buildInstanceLabels(instanceId));
  // Sidecars last: an engine does not remove what another container hangs on.
  for (const container of [...all].sort((one, other) => Number(isSidecar(one)) - Number(isSidecar(other)))) {
    const name = readWorkload(container);
    if (isNeeded(name, { isSidecar: isSidecar(container) })) continue;
    log.warn({ container: name }, "removing a container without a configuration");
    try {
      await engine.removeContainer(container.id);
    } catch (error) {
      // It must not keep the others from running; the next start tries again.
      log.warn({ container: name, reason: messageOf(error) }, "container could not be removed");
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
    log.warn({ image, reason: messageOf(error) }, "image could not be removed");
  }
}
