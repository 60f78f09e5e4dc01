/**
 * How programs find the MCP server of the site: a server card, and the catalogue of the domain that names it. Which drafts
 * they follow is in `docs/decisions/0037-docs-for-agents.md`.
 */
import { BRAND } from "@toolhive/core/brand";
import { PROTOCOL_REVISIONS } from "@toolhive/docs";
import { CARD_PATH, MCP_PATH } from "./mcp-paths.ts";

export const CARD_TYPE = "application/mcp-server-card+json";
export const CATALOG_TYPE = "application/ai-catalog+json";

const CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const CATALOG_VERSION = "1.0";
const NAME = `${BRAND.docsSegment}-docs`;

/** @param siteUrl Without slash at the end. @param version Without a `v`. */
export function serverCard(siteUrl: string, version: string): Readonly<Record<string, unknown>> {
  const namespace = new URL(siteUrl).hostname.split(".").reverse().join(".");
  return {
    $schema: CARD_SCHEMA,
    name: `${namespace}/${NAME}`,
    title: `${BRAND.product} documentation`,
    description: `Searches and reads the ${BRAND.product} documentation, explains errors and commands.`,
    version,
    websiteUrl: siteUrl,
    remotes: [
      {
        type: "streamable-http",
        url: `${siteUrl}${MCP_PATH}`,
        supportedProtocolVersions: PROTOCOL_REVISIONS,
      },
    ],
  };
}

export function aiCatalog(siteUrl: string): Readonly<Record<string, unknown>> {
  return {
    specVersion: CATALOG_VERSION,
    host: { displayName: `${BRAND.product} documentation`, documentationUrl: `${siteUrl}/${BRAND.docsSegment}` },
    entries: [
      {
        identifier: `urn:air:${new URL(siteUrl).hostname}:mcp:${NAME}`,
        type: CARD_TYPE,
        url: `${siteUrl}${CARD_PATH}`,
        tags: ["documentation", "mcp"],
      },
    ],
  };
}
