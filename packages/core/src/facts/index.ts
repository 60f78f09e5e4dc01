/** Numbers and lists of the domain that pages print. */
export { CLIENTS } from "../clients/client-types.ts";
export { MAX_NAMED_FILE_BYTES } from "../files/bounded-file.ts";
export { parseEmbeddedRegistry } from "../registry/embedded.ts";
export { DESCRIPTION_LENGTH } from "../registry/registry-schema.ts";
export { MIN_PASSWORD_LENGTH } from "../secrets/password-length.ts";
export { KDF_COST } from "../secrets/sealed-file.ts";
export { LOG_BYTES_PER_SECOND, MAX_LOG_BYTES } from "../server-log/log-limits.ts";
export { ERRORS } from "../support/errors.ts";
export {
  HEALTH_INTERVAL_MS,
  IMAGE_PROOF_TIMEOUT_MS,
  MAX_RESTARTS,
  READY_TIMEOUT_MS,
  RESTART_BACKOFF,
  UNHEALTHY_AFTER_PINGS,
} from "../support/supervision-limits.ts";
export { DEFAULT_RESOURCES } from "../workload/resource-limits.ts";
