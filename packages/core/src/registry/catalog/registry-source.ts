/** Where a registry is, from the setting's one string; and the names of further sources beside the default one. */
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { quote } from "@toolhive/http/values";
import type { RegistrySourceSetting } from "../../config/config-schema.ts";
import { ThvError } from "../../support/errors.ts";

export type RegistrySource =
  | { readonly kind: "embedded" }
  | { readonly kind: "remote"; readonly url: string; readonly allowPrivate: boolean }
  | { readonly kind: "file"; readonly path: string };

/** The source that `registry_url` names: it is always there, and goes before all others. */
export const DEFAULT_SOURCE = "default";

/** `registry_url` and its permission, or the same of a further source. */
interface RegistryPlace {
  readonly registry_url: string;
  readonly allow_private_registry_ip: boolean;
}

/** @throws {ThvError} `INVALID_ARGUMENT` for what is neither an https address nor an absolute path. */
export function parseRegistrySource(settings: RegistryPlace): RegistrySource {
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

/** As `parseRegistrySource`, of a further source, which is never the built-in registry. @throws {ThvError} `INVALID_ARGUMENT`. */
export function parseSourceSetting({ url, allow_private_ip = false }: RegistrySourceSetting): RegistrySource {
  const source = parseRegistrySource({ registry_url: url, allow_private_registry_ip: allow_private_ip });
  if (source.kind === "embedded") throw createInvalidError(url, "it is empty");
  return source;
}

/** First parts of usual image names: an image of that name would be taken for a server of the source. */
const IMAGE_NAMESPACES: ReadonlySet<string> = new Set(["mcp", "library", "docker", "localhost", "bitnami", "grafana"]);

/** @throws {ThvError} `INVALID_ARGUMENT` for a name that a source cannot have. */
export function assertSourceName(name: string, usedImages: readonly string[] = []): void {
  const problem = findNameProblem(name, usedImages);
  if (problem === undefined) return;
  throw new ThvError("INVALID_ARGUMENT", `A registry source cannot be named ${quote(name, 60)}: ${problem}.`, {
    hint: "Choose another name, for example: thv registry source add team https://mcp.example.com/registry.json",
  });
}

const SOURCE_NAME = /^[a-z][a-z0-9-]{0,29}[a-z0-9]$/;

function findNameProblem(name: string, usedImages: readonly string[]): string | undefined {
  if (!SOURCE_NAME.test(name)) {
    return "a name has 2 to 31 small letters, digits and hyphens, begins with a letter and ends with none of the hyphens";
  }
  if (name === DEFAULT_SOURCE) return "that is the one that registry_url names";
  if (IMAGE_NAMESPACES.has(name)) return `images are named ${name}/…, and would be taken for its servers`;
  const image = usedImages.find((each) => each.startsWith(`${name}/`));
  return image === undefined
    ? undefined
    : `the image ${quote(image, 100)} in use would be taken for one of its servers`;
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
