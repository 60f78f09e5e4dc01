export { boundConnections, PROMPT_TIMEOUTS } from "./bound-connections.ts";
export { isOpenToBrowsers, listen } from "./listen.ts";
