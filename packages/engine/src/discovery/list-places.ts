/**
 * Where an engine may be, best first: what the user named, the current Docker context, Podman's default connection, and the usual
 * sockets. With an engine that was named, no other place is tried.
 */
import type { DiscoveryInput, Place } from "./candidate.ts";
import { findContextEngine } from "./docker-context.ts";
import { findNamedEngine } from "./named-engine.ts";
import { findPodmanConnection } from "./podman-connection.ts";
import { listUsualPlaces } from "./usual-places.ts";

/** @throws {ThvError} `INVALID_ARGUMENT` when what the user named cannot be used. */
export async function listPlaces(input: DiscoveryInput): Promise<Place[]> {
  const named = findNamedEngine(input);
  if (named) return [named];
  const places: Place[] = [];
  for (const find of [findContextEngine, findPodmanConnection]) {
    const found = await find(input);
    const explicit = found.find((place) => "explicit" in place && place.explicit);
    if (explicit) return [explicit];
    places.push(...found);
  }
  return [...places, ...listUsualPlaces(input)];
}
