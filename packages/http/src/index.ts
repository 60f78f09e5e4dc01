export { formatLocalAuthority, formatUrlHost, normalizeHost, parseAuthority } from "./authority.ts";
export { boundConnections, PROMPT_TIMEOUTS } from "./bound-connections.ts";
export { closeGracefully } from "./close-gracefully.ts";
export { HeldCalls, type HoldFailure } from "./held-calls.ts";
export { isHopByHop, parseHeaderNames, removeHopByHop } from "./hop-by-hop.ts";
export { isOpenToBrowsers, listen } from "./listen.ts";
export { isLoopback, isSecureUrl } from "./loopback.ts";
export { acceptsType, chooseEncoding, matchesTag, namesType, prefersType } from "./negotiate.ts";
export { BodyFailure, collectBody, readBody } from "./read-body.ts";
