/** Failures that every operation of the API may return: the reference says them once, and each operation its own. */
import type { Operation } from "./openapi-types.ts";

export const COMMON_RESPONSES: readonly { readonly status: string; readonly of: string }[] = [
  { status: "400", of: "All: an MCP client that sends its messages here, for instance, needs the URL of a workload" },
  { status: "401", of: "All except `GET /health`" },
  { status: "403", of: "All" },
  { status: "413", of: "Those with a body" },
  { status: "415", of: "All `POST`, `PUT` and `DELETE` operations" },
  { status: "500", of: "All except `GET /health`, which returns 503" },
];

/** The 400 of an operation that refuses nothing but messages of an MCP client. */
const FOR_MCP_CLIENTS = "This is not an MCP server";

export function isCommonResponse(status: string, { content }: Operation["responses"][string]): boolean {
  if (status === "400") return String(content?.["text/plain"]?.example).trim() === FOR_MCP_CLIENTS;
  return COMMON_RESPONSES.some((each) => each.status === status);
}
