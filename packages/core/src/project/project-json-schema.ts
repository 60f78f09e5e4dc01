/** The project file's schema as the site publishes it, and the line by which an editor finds it. */
import { buildPublishedSchema } from "../schemas/published-schema.ts";
import { BRAND } from "../support/brand.ts";
import { ProjectFileSchema } from "./project-schema.ts";

export function buildProjectJsonSchema(): Record<string, unknown> {
  return buildPublishedSchema(`${BRAND.product} project file`, ProjectFileSchema);
}

/** First line of a project file, for editors with the YAML language server. */
export const SCHEMA_LINE = `# yaml-language-server: $schema=${BRAND.siteUrl}/schemas/project.schema.json`;
