/** Looks servers up by name, by image, and by a word. */
import { parseImageReference } from "../images/image-reference.ts";
import type { Registry, RegistryServer } from "./registry-schema.ts";

/** Names are exact and case-sensitive. */
export function findServer({ servers }: Registry, name: string): RegistryServer | undefined {
  return servers.find((server) => server.name === name);
}

/** The server whose image is this one, whatever the tag and the digest of either. */
export function findServerByImage({ servers }: Pick<Registry, "servers">, image: string): RegistryServer | undefined {
  const repository = readRepository(image);
  return servers.find((server) => readRepository(server.image) === repository);
}

function readRepository(image: string): string {
  try {
    return parseImageReference(image).repository;
  } catch {
    // Nothing else is like it.
    return image;
  }
}

/** Servers whose name, description or tags hold the text, whatever its case; best match first, then by name. */
export function searchServers(servers: readonly RegistryServer[], query: string): RegistryServer[] {
  const wanted = query.trim().toLowerCase();
  return servers
    .map((server) => ({ server, rank: computeRank(server, wanted) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((left, right) => left.rank - right.rank || (left.server.name < right.server.name ? -1 : 1))
    .map(({ server }) => server);
}

function computeRank({ name, tags = [], description }: RegistryServer, wanted: string): number {
  if (name === wanted) return 0;
  if (name.includes(wanted)) return 1;
  if (tags.includes(wanted)) return 2;
  if (tags.some((tag) => tag.includes(wanted))) return 3;
  return description.toLowerCase().includes(wanted) ? 4 : Number.POSITIVE_INFINITY;
}
