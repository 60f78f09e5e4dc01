/** Which image registry an image reference names, and where that registry answers. */
import { isLoopback } from "@toolhive/http";
import { parseImageReference } from "../images/image-reference.ts";

export interface ImageSource {
  /** Host of the image registry, with its port if it has one; `docker.io` for Docker Hub. */
  readonly registry: string;
  /** Path of the repository at that host. */
  readonly path: string;
}

/** Where an image comes from; the short names of Docker Hub are written out. */
export function parseImageSource(reference: string): ImageSource {
  const { repository } = parseImageReference(reference);
  const [first = "", ...rest] = repository.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = isHost ? first : "docker.io";
  const path = isHost ? rest.join("/") : repository;
  if (registry !== "docker.io" && registry !== "index.docker.io") return { registry, path };
  return { registry: "docker.io", path: path.includes("/") ? path : `library/${path}` };
}

/** Image registries on this machine speak plain http, as engines assume too. Without a slash at the end. */
export function formatBaseUrl(registry: string): string {
  if (registry === "docker.io") return "https://registry-1.docker.io";
  return `${isLocalRegistry(registry) ? "http" : "https"}://${registry}`;
}

/** Whether the image registry is on this machine. */
export function isLocalRegistry(registry: string): boolean {
  return isLoopback(registry.replace(/:\d+$/, ""));
}
