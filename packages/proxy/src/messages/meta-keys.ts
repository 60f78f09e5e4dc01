/** Keys of `_meta` that the protocol reserves, since revision 2026-07-28. */
const PREFIX = "io.modelcontextprotocol/";
export const META = {
  revision: `${PREFIX}protocolVersion`,
  clientInfo: `${PREFIX}clientInfo`,
  capabilities: `${PREFIX}clientCapabilities`,
  logLevel: `${PREFIX}logLevel`,
  serverInfo: `${PREFIX}serverInfo`,
  subscriptionId: `${PREFIX}subscriptionId`,
} as const;
