/** Where something of a client lies on this machine. */
import { posix, win32 } from "node:path";
import type { ClientPlaces } from "./client-types.ts";

/** Absolute path of something below home. */
export function resolvePlace(path: (places: ClientPlaces) => string, places: ClientPlaces): string {
  const { join } = places.platform === "win32" ? win32 : posix;
  return join(places.home, ...path(places).split("/"));
}
