/** The permission profile of an MCPServer. */
import { listProblems, listSentences, type PermissionProfile, PermissionProfileSchema } from "@toolhive/core";
import { resolveProfile } from "@toolhive/core/permissions";
import type { ServerContext } from "./context.ts";

/** Used in place of a profile that cannot be read: a server whose limits are unknown reaches nothing. */
const NOTHING: PermissionProfile = { name: "none" };

/** @returns `undefined` when the MCPServer has none. A profile that cannot be read allows nothing. */
export function readProfile({ server, references }: Pick<ServerContext, "server" | "references">) {
  const { permissionProfile } = server.spec;
  if (permissionProfile === undefined) return undefined;
  if (permissionProfile.type !== "configmap") return resolveProfile({ name: permissionProfile.name });
  return parseProfile(references.profile ?? "").profile ?? resolveProfile(NOTHING);
}

/** @returns Either a profile or the reason why the text is none, as a sentence's second half. */
export function parseProfile(text: string): { readonly profile?: PermissionProfile; readonly problem?: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "is not JSON" };
  }
  const problems = listSentences(listProblems(PermissionProfileSchema, value));
  return problems.length > 0
    ? { problem: `is no permission profile: ${problems.join("; ")}` }
    : { profile: resolveProfile(value as PermissionProfile) };
}
