/** Numbers of the proxy that pages print. */
export { MAX_ARGUMENTS, MAX_ARGUMENTS_LENGTH, MAX_NAME_LENGTH } from "../authz/cedar/policy-limits.ts";
export { LATEST_SESSION_REVISION, MODERN_REVISION } from "../messages/protocol-revisions.ts";
export { DEFAULT_BOUNDS, type Limits } from "../options/limits.ts";
