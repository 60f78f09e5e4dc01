/** The project file's schema as the site publishes it, and the line by which an editor finds it. */
import { isLoopback } from "@toolhive/http";
import { buildPublishedSchema } from "../schemas/published-schema.ts";
import { BRAND } from "../support/brand.ts";
import { ProjectFileSchema } from "./project-schema.ts";

export function buildProjectJsonSchema(): Record<string, unknown> {
  return buildPublishedSchema(`${BRAND.product} project file`, ProjectFileSchema);
}

/** First line of a project file, for editors with the YAML language server; none while the site has no address that others reach. */
export const SCHEMA_LINE: string | undefined = formatSchemaLine(BRAND.siteUrl);

export function formatSchemaLine(site: string): string | undefined {
  if (isLoopback(new URL(site).hostname)) return undefined;
  return `# yaml-language-server: $schema=${site}/schemas/project.schema.json`;
}
