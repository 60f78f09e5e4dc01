export { type Handlers, OPERATION_IDS, OPERATIONS } from "./contract/contract.ts";
export { API_BASE, ROUTES } from "./contract/routes.ts";
export { createHandlers } from "./handlers/handlers.ts";
export type { SupervisorProcess } from "./handlers/supervisor.ts";
export { documentPage } from "./openapi/document-page.ts";
export { openApiDocument } from "./openapi/openapi.ts";
export { type AccessLogEntry, ApiServer } from "./server/api-server.ts";
export { readOrigin } from "./server/host-guard.ts";
