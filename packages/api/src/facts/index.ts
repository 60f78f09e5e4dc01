/** Numbers and lists of the API that pages print. */
export { INVITATION_MS, SESSION_MS } from "../app/app-sessions.ts";
export { CALL_MINUTES, MAX_BODY_BYTES, MAX_CALL_BYTES, MAX_CALLS, MAX_LOG_LINES } from "../contract/parts/limits.ts";
export { ROUTES } from "../contract/routes.ts";
