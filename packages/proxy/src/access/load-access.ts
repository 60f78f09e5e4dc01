/**
 * Loads authentication, policies and observers only where they are configured: their libraries are large, and most
 * endpoints need none.
 */

import type { Access } from "../http/access.ts";
import type { OpenAccessOptions } from "./access.ts";

/** @returns `undefined` without any rule. @throws {ThvError} `INVALID_ARGUMENT`, `ISSUER_UNAVAILABLE`. */
export async function loadAccess(options: OpenAccessOptions): Promise<Access | undefined> {
  if (options.config === undefined) return undefined;
  const { openAccess } = await import("./access.ts");
  return await openAccess(options);
}
