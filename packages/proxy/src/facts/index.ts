/** Numbers of the proxy that pages print. */
export {
  ALTERNATIVES_IN_A_LEVEL,
  MAX_ARGUMENTS,
  MAX_ARGUMENTS_LENGTH,
  MAX_NAME_LENGTH,
  MAX_POLICIES_LENGTH,
  MAX_POLICY_DEPTH,
  MAX_POLICY_LENGTH,
} from "../authz/cedar/policy-limits.ts";
export { LATEST_SESSION_REVISION, MODERN_REVISION } from "../messages/protocol-revisions.ts";
export { DEFAULT_BOUNDS, type Limits } from "../options/limits.ts";
