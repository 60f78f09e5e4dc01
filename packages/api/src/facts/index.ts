/** Numbers and lists of the API that pages print. */
export { INVITATION_MS, SESSION_MS } from "../app/app-sessions.ts";
export { MAX_BODY_BYTES, MAX_LOG_LINES } from "../contract/parts/limits.ts";
export { ROUTES } from "../contract/routes.ts";
