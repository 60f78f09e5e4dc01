/** What every endpoint has before it listens: its bounds, its log, and what it asks of callers. */
import type { Logger, McpEndpointOptions } from "@toolhive/core";
import type { Access } from "../http/access.ts";
import type { Limits } from "../options/limits.ts";
import { SILENT_LOG } from "../options/log.ts";
import { loadAccess } from "./load-access.ts";

interface UnpreparedEndpoint<Bounds> extends Pick<McpEndpointOptions, "name" | "access" | "mayWaitForIssuer"> {
  readonly log?: Logger | undefined;
  /** Replaces single bounds. */
  readonly limits?: Partial<Bounds> | undefined;
}

export interface PreparedEndpoint<Bounds> {
  readonly limits: Bounds;
  readonly log: Logger;
  readonly access: Access | undefined;
}

/**
 * @param transport Of the server behind the endpoint.
 * @throws {ThvError} `INVALID_ARGUMENT` when an access rule is wrong, `ISSUER_UNAVAILABLE`.
 */
export async function prepareEndpoint<Bounds extends Limits>(
  { name, access: config, mayWaitForIssuer, log = SILENT_LOG, limits }: UnpreparedEndpoint<Bounds>,
  transport: string,
  bounds: Bounds,
): Promise<PreparedEndpoint<Bounds>> {
  const access = await loadAccess({ name, transport, config, mayWaitForIssuer, log });
  return { limits: { ...bounds, ...limits }, log, access };
}
