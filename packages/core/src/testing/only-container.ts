/** The one container of a world, for tests. */
import type { World } from "./world.ts";

export function onlyContainer(world: World) {
  const [container] = world.engine.containers.values();
  if (!container) throw new Error("there is no container");
  return container;
}
