/** One source of the registry on the wire: what was read of it and when, or why nothing could be read. */
import { describeSource, type LoadedRegistry, type SourceState } from "@toolhive/core";
import type { RegistryInfoBody } from "./registry-entities.ts";

export function stateBody({ name, location, kind, loaded, problem }: SourceState): RegistryInfoBody {
  if (loaded) return infoBody(name, loaded);
  return {
    name,
    version: "",
    last_updated: new Date(0).toISOString(),
    server_count: 0,
    source: location,
    problem: problem?.message ?? "It cannot be read.",
    type: kind === "file" ? "file" : kind === "remote" ? "url" : "default",
    auth_status: "none",
    auth_type: "",
  };
}

export function infoBody(name: string, { registry, source, staleReason, checkedAt }: LoadedRegistry): RegistryInfoBody {
  return {
    name,
    version: registry.version,
    last_updated: registry.lastUpdated,
    server_count: registry.servers.length + registry.remoteServers.length,
    ...(registry.skipped.length > 0 && { skipped_count: registry.skipped.length }),
    source: source.kind === "embedded" ? "embedded" : describeSource(source),
    ...(staleReason !== undefined && { stale_reason: staleReason }),
    ...(checkedAt && { checked_at: checkedAt.toISOString() }),
    type:
      source.kind === "embedded" ? ("default" as const) : source.kind === "file" ? ("file" as const) : ("url" as const),
    auth_status: "none",
    auth_type: "",
  };
}
