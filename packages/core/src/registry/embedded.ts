/** The built-in registry: no network, no file to lose. */
import content from "./embedded-registry.json" with { type: "json" };
import { parseRegistry } from "./parse-registry.ts";
import type { Registry } from "./registry-schema.ts";

let parsed: Registry | undefined;

export function parseEmbeddedRegistry(): Registry {
  parsed ??= parseRegistry(JSON.stringify(content), "that comes with the tool");
  return parsed;
}
