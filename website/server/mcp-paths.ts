/** Where the MCP server of the site is, and the documents by which programs find it. */
export const MCP_PATH = "/mcp";
/** The place that the extension reserves: that of the server itself, and this behind it. */
export const CARD_PATH = `${MCP_PATH}/server-card`;
export const CATALOG_PATH = "/.well-known/ai-catalog.json";
