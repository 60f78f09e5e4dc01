export { type AccessLogEntry, ApiServer } from "./api-server.ts";
export { OPERATION_IDS, OPERATIONS } from "./contract.ts";
export { createRequest } from "./create-request.ts";
export { documentPage } from "./document-page.ts";
export { createHandlers, type Handlers } from "./handlers.ts";
export { readOrigin } from "./host-guard.ts";
export { openApiDocument } from "./openapi.ts";
export { API_BASE, ROUTES } from "./routes.ts";
