/** Where the registry is, from the setting's one string. */
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { ThvError } from "../../support/errors.ts";

export type RegistrySource =
  | { readonly kind: "embedded" }
  | { readonly kind: "remote"; readonly url: string; readonly allowPrivate: boolean }
  | { readonly kind: "file"; readonly path: string };

interface RegistrySettings {
  readonly registry_url: string;
  readonly allow_private_registry_ip: boolean;
}

/** @throws {ThvError} `INVALID_ARGUMENT` for what is neither an https address nor an absolute path. */
export function parseRegistrySource(settings: RegistrySettings): RegistrySource {
  const location = settings.registry_url.trim();
  if (location === "") return { kind: "embedded" };
  if (isAbsolute(location)) return { kind: "file", path: location };
  const url = URL.canParse(location) ? new URL(location) : undefined;
  switch (url?.protocol) {
    case "https:":
      if (url.username || url.password) {
        throw createInvalidError(
          `https://…@${location.slice(location.lastIndexOf("@") + 1)}`,
          "an address must not hold a password",
        );
      }
      return { kind: "remote", url: url.href, allowPrivate: settings.allow_private_registry_ip };
    case "file:":
      return { kind: "file", path: parseFilePath(location, url) };
    case "http:":
      throw createInvalidError(location, "http can be changed on its way, so only https is allowed");
    default:
      throw createInvalidError(location, "it is neither an https address nor an absolute path");
  }
}

/** For people: what `thv` and the API say about where the registry is from. */
export function describeSource(source: RegistrySource): string {
  switch (source.kind) {
    case "embedded":
      return "that comes with the tool";
    case "remote":
      return source.url;
    case "file":
      return source.path;
  }
}

function parseFilePath(location: string, url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    // It names another machine, or holds an encoded slash.
    throw createInvalidError(location, "it is not the address of a file on this machine");
  }
}

function createInvalidError(location: string, reason: string): ThvError {
  return new ThvError("INVALID_ARGUMENT", `"${location}" cannot be a registry: ${reason}.`, {
    hint: "Write https://host/registry.json, file:///path/registry.json or /path/registry.json.",
  });
}
