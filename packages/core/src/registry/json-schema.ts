/** The registry's schema as the site publishes it. */
import { buildPublishedSchema } from "../schemas/published-schema.ts";
import { BRAND } from "../support/brand.ts";
import { RegistryFileSchema } from "./registry-schema.ts";

export function buildRegistryJsonSchema(): Record<string, unknown> {
  return buildPublishedSchema(`${BRAND.product} registry`, RegistryFileSchema);
}
